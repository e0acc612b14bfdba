import type { SqliteDatabase } from '../../core/node/sqlite/sqlite-database.ts';
import type { RunStorage } from '../../core/ports/run-storage.ts';
import { ratingNote, toRatings } from '../../engine/store/run-notes.ts';
import type { StoreDatabase } from './store-database.ts';

/** Keeps ratings of runs as notes. */
export const sqliteRatings = (file: StoreDatabase, db: SqliteDatabase): Required<Pick<RunStorage, 'rate' | 'ratings'>> => ({
  rate: (runId, rating) =>
    file.write(() => {
      const isThere = db.one('SELECT 1 FROM runs WHERE id = ?', runId) !== undefined;
      if (rating === undefined) db.run('DELETE FROM notes WHERE name = ?', ratingNote(runId));
      else if (isThere) db.run('INSERT OR REPLACE INTO notes (name, note) VALUES (?, ?)', ratingNote(runId), rating);
      return isThere;
    }),
  ratings: (runIds) =>
    db.read(() => {
      const sql = 'SELECT name, note FROM notes WHERE name IN (SELECT value FROM json_each(?))';
      return toRatings(db.all<{ readonly name: string; readonly note: string }>(sql, JSON.stringify(runIds.map(ratingNote))));
    }),
});
