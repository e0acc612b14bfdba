import type { NoteDecision, RunStorage } from '../../core/ports/run-storage.ts';
import type { PostgresDatabase, PostgresSession } from './database/postgres-database.ts';
import type { PostgresTables } from './postgres-schema.ts';

const clockSql = 'SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now';

/** Stores notes in a table, timed by the server's clock. */
export const postgresNotes = (db: PostgresDatabase, { notes }: PostgresTables): Required<Pick<RunStorage, 'note' | 'now'>> => ({
  now: async () => Number((await db.one(clockSql))?.now),
  note: <T extends NoteDecision>(name: string, decide: (text: string | undefined, now: number) => T): Promise<T> =>
    db.transaction(async (session) => {
      const before = await lockNote(session, notes, name);
      // read after the row lock, so that later callers read a later time
      const clock = await session.one(clockSql);
      const decision = decide(before, Number(clock?.now));
      await session.all(`UPDATE ${notes} SET note = $2 WHERE name = $1`, name, decision.text);
      return decision;
    }),
});

/** Locks the note of a name until the transaction ends. The note may be empty. */
export async function lockNote(session: PostgresSession, notes: string, name: string): Promise<string | undefined> {
  await session.all(`INSERT INTO ${notes} (name) VALUES ($1) ON CONFLICT (name) DO NOTHING`, name);
  return (await session.one(`SELECT note FROM ${notes} WHERE name = $1 FOR UPDATE`, name))?.note ?? undefined;
}
