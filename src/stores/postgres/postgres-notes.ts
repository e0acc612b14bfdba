import type { NoteDecision, RunStorage } from '../../core/ports/run-storage.ts';
import { notePage, notePageSql } from '../../engine/store/note-page.ts';
import { ratingNote, toRatings } from '../../engine/store/run-notes.ts';
import { assertWriter, encryptionNote } from '../../engine/store/store-key.ts';
import type { PostgresDatabase, PostgresSession } from './database/postgres-database.ts';
import type { PostgresTables } from './postgres-schema.ts';

const clockSql = 'SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now';

/** Stores notes in a table, timed by the server's clock. */
export const postgresNotes = (
  db: PostgresDatabase,
  { notes, runs }: PostgresTables,
): Required<Pick<RunStorage, 'note' | 'notes' | 'now' | 'rate' | 'ratings'>> => ({
  now: async () => Number((await db.one(clockSql))?.now),
  note: <T extends NoteDecision>(name: string, decide: (text: string | undefined, now: number) => T): Promise<T> =>
    db.transaction(async (session) => {
      const before = await lockNote(session, notes, name);
      // read after the row lock, so that later callers read a later time
      const clock = await session.one(clockSql);
      const decision = decide(before, Number(clock?.now));
      if (decision.text === undefined) await session.all(`DELETE FROM ${notes} WHERE name = $1`, name);
      else await session.all(`UPDATE ${notes} SET note = $2 WHERE name = $1`, name, decision.text);
      return decision;
    }),
  async notes(query) {
    const page = notePage(query);
    const { where, values } = notePageSql(page, (index) => `$${index}`);
    const sql = `SELECT name, note FROM ${notes} WHERE ${where} AND note IS NOT NULL ORDER BY name LIMIT ${page.limit}`;
    return (await db.all(sql, ...values)).map(({ name, note }) => ({ name: name ?? '', text: note ?? '' }));
  },
  rate: (runId, rating) =>
    db.transaction(async (session) => {
      // a removal of the run waits for this lock; its driver does not
      const isThere = (await session.one(`SELECT 1 FROM ${runs} WHERE id = $1 FOR KEY SHARE`, runId)) !== undefined;
      if (rating === undefined) await session.all(`DELETE FROM ${notes} WHERE name = $1`, ratingNote(runId));
      else if (isThere) {
        const sql = `INSERT INTO ${notes} (name, note) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET note = excluded.note`;
        await session.all(sql, ratingNote(runId), rating);
      }
      return isThere;
    }),
  async ratings(runIds) {
    const rows = await db.all(`SELECT name, note FROM ${notes} WHERE name = ANY($1::text[])`, runIds.map(ratingNote));
    return toRatings(rows.map(({ name, note }) => ({ name: name ?? '', note: note ?? '' })));
  },
});

/** See `assertWriter`. */
export async function assertPostgresKey(session: Pick<PostgresSession, 'one'>, notes: string, keyId: string | undefined): Promise<void> {
  if (keyId === undefined) return;
  assertWriter((await session.one(`SELECT note FROM ${notes} WHERE name = $1`, encryptionNote))?.note ?? undefined, keyId);
}

/** Locks the note of a name until the transaction ends. The note may be empty. */
export async function lockNote(session: PostgresSession, notes: string, name: string): Promise<string | undefined> {
  await session.all(`INSERT INTO ${notes} (name) VALUES ($1) ON CONFLICT (name) DO NOTHING`, name);
  return (await session.one(`SELECT note FROM ${notes} WHERE name = $1 FOR UPDATE`, name))?.note ?? undefined;
}
