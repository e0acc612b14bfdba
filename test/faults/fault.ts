import { spawnSync } from 'node:child_process';
import type { FaultPlaces } from './fault-place.ts';

/** What became of a fault that was made some times. */
export interface FaultOutcome {
  /** How often it was really made. */
  readonly reached: number;
  /** What must not have been, a line each. */
  readonly violations: readonly string[];
  /** What else was counted or measured. */
  readonly seen?: Readonly<Record<string, number | string>>;
}

export interface FaultOptions {
  readonly places: FaultPlaces;
  readonly count: number;
  /** From 0 to 1. */
  readonly random: () => number;
  /** Told after each time. @default nobody */
  readonly progress?: (done: number) => void;
  /** True when there is no more time: what has begun is ended. @default never */
  readonly isLate?: () => boolean;
}

/** A row of the table of faults. */
export interface Fault {
  readonly row: string;
  readonly what: string;
  /** How often it is asked for. */
  readonly asked: number;
  /** @default both */
  readonly only?: FaultPlaces['db'];
  /** A program without which it cannot be made. @default none */
  readonly needs?: string;
  make(options: FaultOptions): Promise<FaultOutcome>;
}

/** Does something so many times in some lanes at once, and stops when it is late. */
export async function inLanes(
  { count, progress, isLate = () => false }: FaultOptions,
  lanes: number,
  work: (number: number) => Promise<void>,
): Promise<number> {
  let begun = 0;
  let done = 0;
  const lane = async (): Promise<void> => {
    while (begun < count && !isLate()) {
      await work(begun++);
      done++;
      progress?.(done);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return done;
}

/** Whether all is there that it needs. */
export const canMake = ({ needs }: Fault): boolean => needs === undefined || spawnSync(needs, ['--version']).status === 0;
