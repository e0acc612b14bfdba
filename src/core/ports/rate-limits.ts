import type { Awaitable } from './run-store.ts';

/** A rate: at most `calls` starts in any `perMs`. */
export interface CallRate {
  /** A whole number from 1 to 1,000. */
  readonly calls: number;
  /** Length of the window in milliseconds, from 1. */
  readonly perMs: number;
}

/** A moment at which a call may start. */
export interface CallPlace {
  /** Time by the clock of the rate limits, in milliseconds since 1970. */
  readonly at: number;
  /** Delay until then, in milliseconds. */
  readonly waitMs: number;
  /** False: the wait would exceed the limit, and no place was taken. */
  readonly isTaken: boolean;
  /** Time after `at` during which the place stays reserved, in milliseconds. A later call takes another place. Default: unlimited. */
  readonly lateMs?: number;
}

/** Assigns start times to all callers that share it. */
export interface RateLimits {
  /**
   * Takes the next place under a name; earlier requests get earlier places.
   *
   * @param lateMs Maximum delay of the call after its place. Default: derived from the rate.
   * @throws {WorkflowError} `STORE_UNAVAILABLE`; `OPTION_INVALID` for an invalid rate.
   */
  take(name: string, rate: CallRate, maxWaitMs: number, lateMs?: number): Awaitable<CallPlace>;
  /** Returns an unused place. */
  giveBack(name: string, place: CallPlace): Awaitable<void>;
}
