import type { NoteDecision, RunStorage } from '../ports/run-storage.ts';
import type { PostgresDatabase } from '../postgres/postgres-database.ts';
import type { PostgresTables } from './postgres-schema.ts';

/** Keeps notes in a table, by the server's clock. */
export const postgresNotes = (db: PostgresDatabase, { notes }: PostgresTables): Required<Pick<RunStorage, 'note'>> => ({
  note: <T extends NoteDecision>(name: string, decide: (text: string | undefined, now: number) => T): Promise<T> =>
    db.transaction(async (session) => {
      await session.all(`INSERT INTO ${notes} (name) VALUES ($1) ON CONFLICT (name) DO NOTHING`, name);
      const before = await session.one(`SELECT note FROM ${notes} WHERE name = $1 FOR UPDATE`, name);
      // now that nobody else has the row: whoever comes later reads a later time
      const clock = await session.one('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now');
      const decision = decide(before?.note ?? undefined, Number(clock?.now));
      await session.all(`UPDATE ${notes} SET note = $2 WHERE name = $1`, name, decision.text);
      return decision;
    }),
});
