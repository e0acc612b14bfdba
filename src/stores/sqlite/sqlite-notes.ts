import type { SqliteDatabase } from '../../core/node/sqlite/sqlite-database.ts';
import type { NoteDecision, NoteRow, RunStorage } from '../../core/ports/run-storage.ts';
import type { Awaitable } from '../../core/ports/run-store.ts';
import { notePage, notePageSql } from '../../engine/store/note-page.ts';
import { ratingNote, toRatings } from '../../engine/store/run-notes.ts';
import type { StoreDatabase } from './store-database.ts';

/** Stores notes, and the ratings among them, in a table. */
export const sqliteNotes = (
  file: StoreDatabase,
  db: SqliteDatabase,
): Required<Pick<RunStorage, 'note' | 'notes' | 'rate' | 'ratings'>> => ({
  note: <T extends NoteDecision>(name: string, decide: (text: string | undefined, now: number) => T): Awaitable<T> =>
    file.write(() => {
      const before = db.one<{ readonly note: string }>('SELECT note FROM notes WHERE name = ?', name);
      const decision = decide(before?.note, Date.now());
      if (decision.text === before?.note) return decision;
      if (decision.text === undefined) db.run('DELETE FROM notes WHERE name = ?', name);
      else
        db.run('INSERT INTO notes (name, note) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET note = excluded.note', name, decision.text);
      return decision;
    }),
  notes: (query) =>
    db.read(() => {
      const page = notePage(query);
      const { where, values } = notePageSql(page, () => '?');
      return db.all<NoteRow>(`SELECT name, note AS text FROM notes WHERE ${where} ORDER BY name LIMIT ?`, ...values, page.limit);
    }),
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
