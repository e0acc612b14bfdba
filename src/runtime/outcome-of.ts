import type { JournalEntry } from '../ports/run-store.ts';
import type { Outcome } from './host.ts';

/** What an entry says has ended something that the machine waited for. */
export const outcomeOf = ({ outcome }: JournalEntry): Outcome =>
  // the journal is what this package has written, and the store has checked that nobody else has
  outcome as unknown as Outcome;
