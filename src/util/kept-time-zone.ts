import { defaultTimeZone } from './local-datetime.ts';

/** The part of a stored input that says in which time zone its run is. */
export type KeptTimeZone = {
  /** Absent: `defaultTimeZone`. */
  readonly timeZone?: string;
};

/**
 * What `parseInput` of a workflow adds, so that a run which goes on elsewhere is told the same time.
 *
 * @example parseInput: ({ input }) => ({ input, ...keepTimeZone('Europe/Paris') })
 */
export const keepTimeZone = (timeZone: string): KeptTimeZone => (timeZone === defaultTimeZone ? {} : { timeZone });
