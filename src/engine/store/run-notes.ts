import type { RemovedPlace, RunRating } from '../../core/ports/run-store.ts';

// Databases keep the rating of a run, and what budgets have spent, as notes. A removal removes them with their run or thread.

const prefix = 'rating ';

/** Name of the note with the rating of a run. */
export const ratingNote = (runId: string): string => `${prefix}${runId}`;

/** Runs that a budget counts together. */
export interface BudgetScope {
  readonly of: 'run' | 'thread' | 'tenant';
  readonly id: string;
}

/** Name of the note with what a budget has spent. */
export const budgetNote = ({ of, id }: BudgetScope): string => `budget ${of} ${id}`;

/** Returns the names of the notes that a storage removes with these places and their runs. */
export const notesOfPlaces = (places: readonly RemovedPlace[], runIds: readonly string[]): readonly string[] => [
  ...runIds.flatMap((id) => [ratingNote(id), budgetNote({ of: 'run', id })]),
  ...places.flatMap((place) => ('threadId' in place ? [budgetNote({ of: 'thread', id: place.threadId })] : [])),
];

/** Reads the rows of ratings. */
export const toRatings = (rows: Iterable<{ readonly name: string; readonly note: string }>): ReadonlyMap<string, RunRating> =>
  new Map(
    Array.from(rows).flatMap(({ name, note }): readonly (readonly [string, RunRating])[] =>
      note === 'up' || note === 'down' ? [[name.slice(prefix.length), note]] : [],
    ),
  );
