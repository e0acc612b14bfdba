import type { JournalEntry } from '../../core/ports/run-store.ts';
import type { Outcome } from './host.ts';

export const outcomeOf = ({ outcome }: JournalEntry): Outcome =>
  // safe cast: this package wrote the journal, and the store has checked that it is unchanged
  outcome as unknown as Outcome;
