import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SqliteConnection } from '../../core/node/sqlite/sqlite-connection.ts';
import { assertFileKind, readPragma } from '../../core/node/sqlite/sqlite-file-kind.ts';
import { strayEntries, strayParts, strayThread } from '../upkeep/store-strays.ts';
import { type StoreProblem, type StoreVerdict, verifyStore } from '../upkeep/verify-store.ts';
import { readSqlite } from './read-sqlite.ts';
import { rowsPerRun } from './sqlite-rows.ts';
import { storeFile } from './sqlite-schema.ts';
import { sqliteStore } from './sqlite-store.ts';

/**
 * Verifies a whole file without changing it. Older tables are verified in a migrated copy.
 *
 * @throws {WorkflowError} `STORE_UNAVAILABLE`, `STORE_VERSION`.
 */
export const verifySqlite = (path: string): Promise<StoreVerdict> =>
  readSqlite(path, async (db) => {
    assertFileKind(db, path, storeFile);
    const version = readPragma(db, 'user_version');
    const damage = pageProblems(db);
    if (version === 0) return { runs: 0, entries: 0, threads: 0, problems: damage };
    if (version < storeFile.version && damage.length === 0) return verifyCopy(db);
    if (version < storeFile.version) return { runs: 0, entries: 0, threads: 0, problems: damage };
    return verifyTables(db, damage);
  });

async function verifyTables(db: SqliteConnection, damage: readonly StoreProblem[]): Promise<StoreVerdict> {
  const store = sqliteStore({ database: db });
  try {
    const verdict = await verifyStore(store);
    return { ...verdict, problems: [...damage, ...strays(db), ...verdict.problems] };
  } finally {
    await store.close();
  }
}

async function verifyCopy(db: SqliteConnection): Promise<StoreVerdict> {
  const folder = mkdtempSync(join(tmpdir(), 'agent-machines-'));
  try {
    const copy = join(folder, 'copy.db');
    db.prepare('VACUUM INTO ?').run(copy);
    await sqliteStore({ path: copy }).close();
    return await verifySqlite(copy);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the problems that SQLite finds: pages, indexes, and rows that do not fit the tables. */
function pageProblems(db: SqliteConnection): readonly StoreProblem[] {
  const rows = db.prepare('PRAGMA integrity_check').all() as readonly { readonly integrity_check: string }[];
  return rows.flatMap(({ integrity_check: said }) =>
    said === 'ok' ? [] : [{ code: 'JOURNAL_CORRUPT' as const, message: `SQLite reports a damaged file: ${said}.` }],
  );
}

/** Finds rows whose run or thread is missing, and threads without runs. */
function strays(db: SqliteConnection): readonly StoreProblem[] {
  const entries = db
    .prepare(
      `SELECT (id - 1) / ${rowsPerRun} AS n, count(*) AS count FROM journal WHERE (id - 1) / ${rowsPerRun} NOT IN (SELECT n FROM runs) GROUP BY 1`,
    )
    .all() as readonly { readonly n: number; readonly count: number }[];
  const threads = db
    .prepare('SELECT id FROM threads WHERE id NOT IN (SELECT thread FROM runs WHERE thread IS NOT NULL)')
    .all() as readonly {
    readonly id: string;
  }[];
  const parts = db
    .prepare('SELECT thread, count(*) AS count FROM thread_parts WHERE thread NOT IN (SELECT id FROM threads) GROUP BY thread')
    .all() as readonly { readonly thread: string; readonly count: number }[];
  return [
    ...entries.map(({ n, count }) => strayEntries(n, count)),
    ...threads.map(({ id }) => strayThread(id)),
    ...parts.map(({ thread, count }) => strayParts(thread, count)),
  ];
}
