import type { Awaitable } from './run-store.ts';

/** How often something may be begun: in any `perMs`, `calls` times at most. */
export interface CallRate {
  /** A whole number from 1 to 1,000. */
  readonly calls: number;
  /** In milliseconds, from 1. */
  readonly perMs: number;
}

/** A moment at which something may be begun. */
export interface CallPlace {
  /** By the clock of whoever keeps the places, in milliseconds since 1970. */
  readonly at: number;
  /** How long it is until then, in milliseconds. */
  readonly waitMs: number;
  /** False: it would be waited for too long, and nothing was taken. */
  readonly isTaken: boolean;
  /** How long after `at` the place is kept free for its call, in milliseconds. A call that begins later takes another place. Default: for good. */
  readonly lateMs?: number;
}

/** Gives out the moments at which something may be begun, to all who share it. */
export interface RateLimits {
  /**
   * Takes the next place under a name: whoever asks first has the earlier one.
   *
   * @param lateMs How late the call may begin. Default: by the rate.
   * @throws {WorkflowError} `STORE_UNAVAILABLE`, `OPTION_INVALID` for a rate that is none.
   */
  take(name: string, rate: CallRate, maxWaitMs: number, lateMs?: number): Awaitable<CallPlace>;
  /** Gives back a place that was not used. */
  giveBack(name: string, place: CallPlace): Awaitable<void>;
}
