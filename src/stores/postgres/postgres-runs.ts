import type { FoundThread, RunPlace, StoredRun } from '../../core/ports/run-storage.ts';
import type { JournalEntry } from '../../core/ports/run-store.ts';
import { runBlocked, threadLost } from '../../engine/store/store-errors.ts';
import {
  changingColumns,
  type EntryRow,
  type KnownRow,
  type RunRow,
  runChecksum,
  runColumns,
  type Stored,
  toEntryRow,
  toEntryRows,
  toStoredRun,
} from '../rows/run-rows.ts';
import type { PostgresDatabase, PostgresSession } from './database/postgres-database.ts';
import { assertPostgresKey, lockNote } from './postgres-notes.ts';
import { dollars, entryColumns, threadColumns, toCheckedRunRow, toRunRow, toThreadRow, valuesOf } from './postgres-rows.ts';
import type { PostgresTables } from './postgres-schema.ts';
import type { PostgresThreads } from './postgres-threads.ts';

/** Runs, journals and threads in the tables. Methods without a session take one statement. */
export interface PostgresRuns {
  /** Locks the run until the transaction ends. @throws {WorkflowError} `JOURNAL_CORRUPT`. */
  lock(session: PostgresSession, runId: string): Promise<Stored<RunRow> | undefined>;
  /** Locks the run without waiting. @throws {WorkflowError} `JOURNAL_CORRUPT`; `RUN_BUSY` while another transaction holds the lock. */
  lockNoWait(session: PostgresSession, runId: string): Promise<Stored<RunRow> | undefined>;
  /** @throws {WorkflowError} `JOURNAL_CORRUPT`. */
  lockThread(session: PostgresSession, threadId: string, reads: RunPlace['reads']): Promise<FoundThread>;
  /** Waits for the lock that serializes concurrency decisions, and holds it until the transaction ends. */
  lockConcurrency(session: PostgresSession): Promise<void>;
  /** Returns every `running` run. Unchecked. */
  driven(session: PostgresSession): Promise<readonly StoredRun[]>;
  /** Number for a new run. */
  nextNumber(session: PostgresSession): Promise<number>;
  add(session: PostgresSession, run: RunRow, entries: readonly JournalEntry[]): Promise<KnownRow>;
  /** Replaces a run with `next`, and adds the entry if given. */
  save(session: PostgresSession, next: KnownRow, entry: JournalEntry | undefined): Promise<KnownRow>;
  saveLease(session: PostgresSession, next: KnownRow): Promise<KnownRow>;
  /** Replaces the outcomes and events of all entries. */
  rewrite(session: PostgresSession, run: Stored<RunRow>, entries: readonly JournalEntry[]): Promise<void>;
  /** See `assertWriter`. */
  assertKey(session: PostgresSession, keyId: string | undefined): Promise<void>;
  /** Adds an entry if the run's row is unchanged. Returns false if it changed, and `undefined` if the result is unknown. */
  advance(next: KnownRow, before: string, entry: Stored<EntryRow>): Promise<boolean | undefined>;
}

const statementsOf = ({ runs, journal }: PostgresTables) => ({
  lock: `SELECT ${runColumns.join(', ')} FROM ${runs} WHERE id = $1 FOR UPDATE`,
  isThere: `SELECT 1 FROM ${runs} WHERE id = $1`,
  firstQueued: `SELECT id FROM ${runs} WHERE thread = $1 AND status = 'queued' ORDER BY n LIMIT 1`,
  driven: `SELECT ${runColumns.join(', ')} FROM ${runs} WHERE status = $1`,
  nextNumber: `SELECT nextval(pg_get_serial_sequence($1, 'n')) AS n`,
  add: `INSERT INTO ${runs} (${runColumns.join(', ')}) OVERRIDING SYSTEM VALUE VALUES (${dollars(runColumns)})`,
  addEntry: `INSERT INTO ${journal} (run, ${entryColumns.join(', ')}) VALUES (${dollars(['run', ...entryColumns])})`,
  save: `UPDATE ${runs} SET (${changingColumns.join(', ')}) = ROW(${dollars(changingColumns, 2)}) WHERE n = $1`,
  saveLease: `UPDATE ${runs} SET owner = $2, expires_at = $3, lease_ms = $4, heartbeat = $5 WHERE n = $1`,
  removeEntries: `DELETE FROM ${journal} WHERE run = $1`,
  saveHead: `UPDATE ${runs} SET head = $2, checksum = $3 WHERE n = $1`,
  // one statement is one transaction, so the row cannot change between check and update
  advance: `WITH driven AS (
      UPDATE ${runs} SET seq = $3, head = $4, crashes = 0, active_ms = $5, updated_at = $6, checksum = $7 WHERE n = $1 AND checksum = $2
      RETURNING n
    ) INSERT INTO ${journal} (run, seq, key, kind, outcome, events, epoch, at, checksum)
      SELECT n, $3, $8, $9, $10, $11, $12::bigint, $6, $4 FROM driven RETURNING seq`,
});

export function postgresRuns(db: PostgresDatabase, tables: PostgresTables, threads: PostgresThreads): PostgresRuns {
  const statements = statementsOf(tables);
  const checksummed = <TRow extends RunRow>(row: TRow): TRow & { readonly checksum: string } => ({ ...row, checksum: runChecksum(row) });
  const addEntry = async (session: PostgresSession, n: number, seq: number, row: Stored<EntryRow>): Promise<void> => {
    await session.all(statements.addEntry, n, ...valuesOf({ ...row, seq }, entryColumns));
  };
  return {
    async lock(session, runId) {
      const row = await session.one(statements.lock, runId);
      return row && toCheckedRunRow(row);
    },
    async lockNoWait(session, runId) {
      const row = await session.one(`${statements.lock} SKIP LOCKED`, runId);
      if (row) return toCheckedRunRow(row);
      if (await session.one(statements.isThere, runId)) throw runBlocked(runId);
      return undefined;
    },
    async lockThread(session, threadId, reads) {
      const found = await findThread(session, tables, threads, threadId, `${selectThread(tables)} FOR UPDATE`);
      const first = found.record && reads === 'queue' ? await session.one(statements.firstQueued, threadId) : undefined;
      return found.record ? { ...found, firstQueued: first?.id ?? undefined } : found;
    },
    async lockConcurrency(session) {
      await lockNote(session, tables.notes, 'driven runs');
    },
    async driven(session) {
      return (await session.all(statements.driven, 'running')).map((row) => toStoredRun(toRunRow(row)));
    },
    async nextNumber(session) {
      return Number((await session.one(statements.nextNumber, tables.runs))?.n);
    },
    async add(session, run, entries) {
      const rows = toEntryRows(run, entries);
      const row = checksummed({ ...run, head: rows.at(-1)?.checksum ?? '' });
      await session.all(statements.add, ...valuesOf(row, runColumns));
      for (const [index, entry] of rows.entries()) await addEntry(session, row.n, index + 1, entry);
      return row;
    },
    async save(session, next, entry) {
      const added = entry && toEntryRow(next, entry);
      const row = checksummed(added ? { ...next, head: added.checksum } : next);
      if (entry && added) await addEntry(session, row.n, entry.seq, added);
      await session.all(statements.save, row.n, ...valuesOf(row, changingColumns));
      return row;
    },
    async saveLease(session, next) {
      await session.all(statements.saveLease, next.n, next.owner, next.expires_at, next.lease_ms, next.heartbeat);
      return next;
    },
    async rewrite(session, run, entries) {
      const rows = toEntryRows(run, entries);
      const { n, head, checksum } = checksummed({ ...run, head: rows.at(-1)?.checksum ?? '' });
      await session.all(statements.removeEntries, n);
      for (const [index, entry] of rows.entries()) await addEntry(session, n, index + 1, entry);
      await session.all(statements.saveHead, n, head, checksum);
    },
    assertKey: (session, keyId) => assertPostgresKey(session, tables.notes, keyId),
    async advance(next, before, { key, kind, outcome, events, epoch }) {
      const { n, seq, head, active_ms, updated_at, checksum } = next;
      const values = [n, before, seq, head, active_ms, updated_at, checksum, key, kind, outcome, events, epoch];
      const rows = await db.runOnce(statements.advance, ...values);
      return rows && rows.length > 0;
    },
  };
}

const selectThread = ({ threads }: PostgresTables): string => `SELECT ${threadColumns.join(', ')} FROM ${threads} WHERE id = $1`;

/** Reads a thread. @throws {WorkflowError} `JOURNAL_CORRUPT`. */
export async function findThread(
  session: PostgresSession,
  tables: PostgresTables,
  states: PostgresThreads,
  threadId: string,
  sql: string = selectThread(tables),
): Promise<FoundThread> {
  const { runs, threads } = tables;
  for (;;) {
    const found = await states.read(session, async () => {
      const row = await session.one(sql, threadId);
      return row && toThreadRow(row);
    });
    if (found) return { record: found.record };
    // one statement reads both facts, because other processes may create or remove the thread meanwhile
    const facts = `SELECT EXISTS (SELECT 1 FROM ${threads} WHERE id = $1) AS is_there, EXISTS (SELECT 1 FROM ${runs} WHERE thread = $1) AS has_runs`;
    const row = await session.one(facts, threadId);
    if (row?.is_there !== 't') return { lost: row?.has_runs === 't' ? threadLost(threadId) : undefined };
  }
}
