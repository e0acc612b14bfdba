import { WorkflowError } from '../../core/errors/errors.ts';
import { storeTooOld } from '../../core/errors/store-too-old.ts';
import { strayEntries, strayParts, strayThread } from '../upkeep/store-strays.ts';
import { type StoreProblem, type StoreVerdict, verifyStore } from '../upkeep/verify-store.ts';
import { checkPostgresPlace } from './database/postgres-place.ts';
import { postgresVersions } from './postgres-schema.ts';
import { postgresStatus } from './postgres-status.ts';
import { postgresStore } from './postgres-store.ts';
import { type PostgresPlaceOptions, readPostgres } from './read-postgres.ts';

/**
 * Verifies all rows of the tables in a database without changing them.
 *
 * @throws {WorkflowError} `STORE_VERSION` for tables of another version. Others as `readPostgres`.
 */
export async function verifyPostgres(place: PostgresPlaceOptions): Promise<StoreVerdict> {
  const { state, version, known } = await postgresStatus(place);
  if (state === 'empty') return { runs: 0, entries: 0, threads: 0, problems: [] };
  if (state === 'unsupported') throw storeTooOld(checkPostgresPlace(place), version ?? 0, postgresVersions);
  if (state !== 'current') {
    throw new WorkflowError({
      code: 'STORE_VERSION',
      message: `The tables have version ${version ?? 'unknown'}, but this package needs version ${known}.`,
      hint: state === 'older' ? 'Update them with `db migrate`.' : 'Update agent-machines.',
      data: { version: version ?? 0, known },
    });
  }
  const store = postgresStore({ ...place, poolSize: 1, durability: 'normal' });
  try {
    const verdict = await verifyStore(store);
    return { ...verdict, problems: [...(await strays(place)), ...verdict.problems] };
  } finally {
    await store.close();
  }
}

/** Finds rows whose run or thread is missing, and threads without runs. */
const strays = (place: PostgresPlaceOptions): Promise<readonly StoreProblem[]> =>
  readPostgres(place, async (db, { runs, journal, threads, threadParts }) => {
    const entries = await db.all(
      `SELECT run, count(*) AS count FROM ${journal} WHERE NOT EXISTS (SELECT 1 FROM ${runs} WHERE n = run) GROUP BY run`,
    );
    const lone = await db.all(`SELECT id FROM ${threads} t WHERE NOT EXISTS (SELECT 1 FROM ${runs} WHERE thread = t.id)`);
    const parts = await db.all(
      `SELECT thread, count(*) AS count FROM ${threadParts} p WHERE NOT EXISTS (SELECT 1 FROM ${threads} WHERE id = p.thread) GROUP BY thread`,
    );
    return [
      ...entries.map(({ run, count }) => strayEntries(Number(run), Number(count))),
      ...lone.map(({ id }) => strayThread(id ?? '')),
      ...parts.map(({ thread, count }) => strayParts(thread ?? '', Number(count))),
    ];
  });
