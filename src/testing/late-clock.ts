import type { Clock } from '../ports/clock.ts';
import { systemClock } from '../util/system-clock.ts';

/**
 * A clock that shows one moment and nothing else, so that two runs have equal dates. Pauses take the time that they take: work that is
 * really done cannot be hurried.
 */
export const lateClock = (atMs: number): Clock => ({ ...systemClock, now: () => atMs });
