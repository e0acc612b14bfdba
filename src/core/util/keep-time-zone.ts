import { defaultTimeZone } from './local-datetime.ts';

/** Time zone of a stored input. */
export type StoredTimeZone = {
  /** Absent: `defaultTimeZone`. */
  readonly timeZone?: string;
};

/**
 * Time zone member for the result of `parseInput`, so that a run shows the same time wherever it is resumed.
 *
 * @example parseInput: ({ input }) => ({ input, ...keepTimeZone('Europe/Paris') })
 */
export const keepTimeZone = (timeZone: string): StoredTimeZone => (timeZone === defaultTimeZone ? {} : { timeZone });
