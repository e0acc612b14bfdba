import type { JournalEntry } from '../ports/run-store.ts';
import type { SqliteDatabase } from '../sqlite/sqlite-database.ts';
import {
  checkRun,
  checkTail,
  type EntryRow,
  type FoundRun,
  type Placed,
  type RunRow,
  rowsPerRun,
  runChecksum,
  type Stored,
  type TailRow,
  toEntries,
  toEntryRow,
  toTailRow,
  withTail,
} from './sqlite-rows.ts';

/** Runs and their journals in the tables, for use within a transaction. */
export interface SqliteRuns {
  /** @throws {WorkflowError} `JOURNAL_MISSING`, `JOURNAL_CORRUPT`. */
  find(runId: string): FoundRun | undefined;
  /** A row of `runs` as it stands now. Not checked. */
  latest(row: Stored<RunRow>): RunRow;
  /** @throws {WorkflowError} `JOURNAL_MISSING`, `JOURNAL_CORRUPT`. */
  entries(run: FoundRun): readonly JournalEntry[];
  add(row: RunRow, entries: readonly Stored<EntryRow>[]): void;
  /** Makes `next` of a run, and adds the entry when there is one. */
  save(run: FoundRun, next: RunRow, entry?: Stored<EntryRow>): FoundRun;
  /** Adds an entry to a driven run; `undefined` when its rows are not as they were any more. */
  advance(run: FoundRun, entry: JournalEntry, activeMs: number): FoundRun | undefined;
}

export function sqliteRuns(db: SqliteDatabase): SqliteRuns {
  const rowsOf = (n: number): readonly [after: number, last: number] => [n * rowsPerRun, (n + 1) * rowsPerRun];
  const lastRow = ({ n }: RunRow): Placed<EntryRow | TailRow> | undefined =>
    db.one('SELECT * FROM journal WHERE id > ? AND id <= ? ORDER BY id DESC LIMIT 1', ...rowsOf(n));

  const insert = (n: number, place: number, row: Stored<EntryRow | TailRow>): void => {
    const { key, kind, outcome, events, epoch, at, checksum } = row;
    db.run(
      'INSERT INTO journal (id, key, kind, outcome, events, epoch, at, checksum) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
      ...[n * rowsPerRun + place, key, kind, outcome, events, epoch, at, checksum],
    );
  };
  /** The run's own row: that of a driven one leaves to the tail what changes with every entry. */
  const toStored = (run: RunRow): Stored<RunRow> => {
    const row = run.status === 'running' ? { ...run, head: '' } : run;
    return { ...row, checksum: runChecksum(row) };
  };
  const insertTail = (row: Stored<RunRow>, { head }: RunRow): FoundRun => {
    const run = { ...row, head };
    if (run.status !== 'running') return run;
    const tail = toTailRow(run);
    insert(run.n, run.seq + 1, tail);
    return { ...run, tail: tail.checksum };
  };

  return {
    find(runId) {
      const row = db.one<Stored<RunRow>>('SELECT * FROM runs WHERE id = ?', runId);
      if (!row) return undefined;
      checkRun(row);
      if (row.head !== '') return row;
      const tail = lastRow(row);
      checkTail(row, tail);
      return withTail(row, tail);
    },
    latest(row) {
      const last = row.head === '' ? lastRow(row) : undefined;
      return last?.kind === 'tail' ? withTail(row, last) : row;
    },
    entries(run) {
      const rows = db.all<Placed<EntryRow>>('SELECT * FROM journal WHERE id > ? AND id <= ? ORDER BY id', ...rowsOf(run.n));
      return toEntries(run, run.tail === undefined ? rows : rows.slice(0, -1));
    },
    add(run, entries) {
      const row = toStored(run);
      db.run(
        `INSERT INTO runs (n, id, workflow, version, structure, thread, thread_revision, status, seq, head, epoch, crashes, active_ms,
           started_at, updated_at, wake_at, failure, owner, expires_at, lease_ms, heartbeat, checksum) VALUES (:n, :id, :workflow, :version, :structure, :thread,
           :thread_revision, :status, :seq, :head, :epoch, :crashes, :active_ms, :started_at, :updated_at, :wake_at, :failure,
           :owner, :expires_at, :lease_ms, :heartbeat, :checksum)`,
        { ...row },
      );
      for (const [index, entry] of entries.entries()) insert(run.n, index + 1, entry);
      insertTail(row, run);
    },
    save(run, next, entry) {
      if (run.tail !== undefined) db.run('DELETE FROM journal WHERE id = ?', run.n * rowsPerRun + run.seq + 1);
      if (entry) insert(next.n, next.seq, entry);
      const row = toStored(next);
      const { n, status, seq, head, epoch, crashes, active_ms, updated_at, wake_at, failure, thread_revision, checksum } = row;
      const { owner, expires_at, lease_ms, heartbeat } = row;
      db.run(
        `UPDATE runs SET status = ?, seq = ?, head = ?, epoch = ?, crashes = ?, active_ms = ?, updated_at = ?, wake_at = ?, failure = ?,
           thread_revision = ?, checksum = ?, owner = ?, expires_at = ?, lease_ms = ?, heartbeat = ? WHERE n = ?`,
        ...[status, seq, head, epoch, crashes, active_ms, updated_at, wake_at, failure, thread_revision, checksum],
        ...[owner, expires_at, lease_ms, heartbeat, n],
      );
      return insertTail(row, next);
    },
    advance(run, entry, activeMs) {
      if (run.tail === undefined) return undefined;
      const { n } = run;
      const { seq } = entry;
      const { key, kind, outcome, events, epoch, at, checksum } = toEntryRow(run, entry);
      const { changes } = db.run(
        `UPDATE journal SET key = ?, kind = ?, outcome = ?, events = ?, epoch = ?, at = ?, checksum = ? WHERE id = ? AND checksum = ?
             AND EXISTS (SELECT 1 FROM runs WHERE n = ? AND checksum = ?)`,
        ...[key, kind, outcome, events, epoch, at, checksum, n * rowsPerRun + seq, run.tail, n, run.checksum],
      );
      if (changes === 0) return undefined;
      const next = { ...run, seq, head: checksum, crashes: 0, active_ms: activeMs, updated_at: at };
      const tail = toTailRow(next);
      insert(n, seq + 1, tail);
      return { ...next, tail: tail.checksum };
    },
  };
}
