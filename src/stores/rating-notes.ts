import type { RunRating } from '../core/ports/run-store.ts';

// Databases keep the rating of a run as a note.

const prefix = 'rating ';

/** Name of the note with the rating of a run. */
export const ratingNote = (runId: string): string => `${prefix}${runId}`;

/** Reads the rows of such notes. */
export const toRatings = (rows: Iterable<{ readonly name: string; readonly note: string }>): ReadonlyMap<string, RunRating> =>
  new Map(
    Array.from(rows).flatMap(({ name, note }): readonly (readonly [string, RunRating])[] =>
      note === 'up' || note === 'down' ? [[name.slice(prefix.length), note]] : [],
    ),
  );
