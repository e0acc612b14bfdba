import type { JournalEntry } from '../ports/run-store.ts';
import type { Outcome } from './host.ts';

/** How a piece of work has ended. */
export const outcomeOf = ({ outcome }: JournalEntry): Outcome => outcome as unknown as Outcome; // written by this package, and checked by the store
