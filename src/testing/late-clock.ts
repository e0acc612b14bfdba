import type { Clock } from '../core/ports/clock.ts';
import { systemClock } from '../core/util/system-clock.ts';

/**
 * A clock that always shows the same time, so that two runs have equal dates. Pauses take real time, because real work cannot be
 * accelerated.
 */
export const lateClock = (atMs: number): Clock => ({ ...systemClock, now: () => atMs });
