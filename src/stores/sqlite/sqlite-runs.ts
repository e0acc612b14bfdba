import type { SqliteDatabase } from '../../core/node/sqlite/sqlite-database.ts';
import type { StoredRun } from '../../core/ports/run-storage.ts';
import type { JournalEntry } from '../../core/ports/run-store.ts';
import {
  changingColumns,
  checkRun,
  type EntryRow,
  type RunRow,
  runChecksum,
  runColumns,
  type Stored,
  toEntries,
  toEntryRow,
  toEntryRows,
  toStoredRun,
} from '../rows/run-rows.ts';
import { type CurrentRow, checkTail, type JournalRow, numbered, rowsPerRun, type TailRow, toTailRow, withTail } from './sqlite-rows.ts';

/** Runs and their journals in the tables, used within a transaction. */
export interface SqliteRuns {
  /** @throws {WorkflowError} `JOURNAL_MISSING`, `JOURNAL_CORRUPT`. */
  find(runId: string): CurrentRow | undefined;
  /** Returns a row of `runs` with its tail. @throws {WorkflowError} `JOURNAL_MISSING`, `JOURNAL_CORRUPT`. */
  current(row: Stored<RunRow>): CurrentRow;
  /** Current version of a row of `runs`. Unchecked. */
  latest(row: Stored<RunRow>): RunRow;
  /** Unchecked. */
  driven(): readonly StoredRun[];
  /** @throws {WorkflowError} `JOURNAL_MISSING`, `JOURNAL_CORRUPT`. */
  entries(run: CurrentRow): readonly JournalEntry[];
  /** @param run without a head. */
  add(run: RunRow, entries: readonly JournalEntry[]): CurrentRow;
  /** Replaces a run with `next`, which has the same head, and adds the entry if given. */
  save(run: CurrentRow, next: RunRow, entry?: JournalEntry): CurrentRow;
  /** Adds an entry of the current lease in one statement, which changes only the tail. Returns `undefined` if the rows have changed. */
  advance(run: CurrentRow, entry: JournalEntry, activeMs: number): CurrentRow | undefined;
  /** Replaces the outcomes and events of all entries. */
  rewrite(run: CurrentRow, entries: readonly JournalEntry[]): void;
  /** Writes only the lease. */
  saveLease(next: CurrentRow): CurrentRow;
}

const saveSql = `UPDATE runs SET ${changingColumns.map((column) => `${column} = ?`).join(', ')} WHERE n = ?`;

export function sqliteRuns(db: SqliteDatabase): SqliteRuns {
  const journal = sqliteJournal(db);
  const insertTail = (row: Stored<RunRow>, { head }: RunRow): CurrentRow => {
    const run = { ...row, head, tail: undefined };
    if (run.status !== 'running') return run;
    const tail = toTailRow(run);
    journal.insert(run.n, run.seq + 1, tail);
    return { ...run, tail: tail.checksum };
  };

  const save = (run: CurrentRow, next: RunRow, entry?: JournalEntry): CurrentRow => {
    if (run.tail !== undefined) journal.remove(run.n, run.seq + 1);
    const added = entry && toEntryRow(run, entry);
    if (added) journal.insert(run.n, next.seq, added);
    const saved = { ...next, head: added?.checksum ?? run.head };
    const row = toStored(saved);
    db.run(saveSql, ...changingColumns.map((column) => row[column]), row.n);
    return insertTail(row, saved);
  };

  return {
    find(runId) {
      const row = db.one<Stored<RunRow>>('SELECT * FROM runs WHERE id = ?', runId);
      return row && currentOf(journal, row);
    },
    current: (row) => currentOf(journal, row),
    latest: (row) => latestOf(journal, row),
    driven: () => db.all<Stored<RunRow>>("SELECT * FROM runs WHERE status = 'running'").map((row) => toStoredRun(latestOf(journal, row))),
    entries(run) {
      const rows = numbered(run.n, journal.all(run.n));
      return toEntries(run, run.tail === undefined ? rows : rows.slice(0, -1));
    },
    add: (run, entries) => insertTail(...addRun(db, journal, run, entries)),
    save,
    advance(run, entry, activeMs) {
      const row = toEntryRow(run, entry);
      const { seq, at } = entry;
      const next = { ...run, seq, head: row.checksum, crashes: 0, active_ms: activeMs, updated_at: at };
      const tail = toTailRow(next);
      if (!journal.replaceTail(run, row, tail)) return undefined;
      next.tail = tail.checksum;
      if (entry.kind === 'node') next.last = entry;
      return next;
    },
    rewrite(run, entries) {
      journal.removeAll(run.n);
      db.run('DELETE FROM runs WHERE n = ?', run.n);
      insertTail(...addRun(db, journal, run, entries));
    },
    saveLease(next) {
      const { n, owner, expires_at, lease_ms, heartbeat } = next;
      const sql = 'UPDATE runs SET owner = ?, expires_at = ?, lease_ms = ?, heartbeat = ? WHERE n = ?';
      db.run(sql, owner, expires_at, lease_ms, heartbeat, n);
      return next;
    },
  };
}

/** Adds a run with its entries, and returns the stored row and the row with its head. */
function addRun(
  db: SqliteDatabase,
  journal: SqliteJournal,
  run: RunRow,
  entries: readonly JournalEntry[],
): readonly [row: Stored<RunRow>, next: RunRow] {
  const rows = toEntryRows(run, entries);
  const next = { ...run, head: rows.at(-1)?.checksum ?? '' };
  const row = toStored(next);
  db.run(
    `INSERT INTO runs (${runColumns.join(', ')}) VALUES (${runColumns.map(() => '?').join(', ')})`,
    ...runColumns.map((column) => row[column]),
  );
  for (const [index, entry] of rows.entries()) journal.insert(run.n, index + 1, entry);
  return [row, next];
}

function latestOf(journal: SqliteJournal, row: Stored<RunRow>): RunRow {
  const last = row.head === '' ? journal.last(row.n) : undefined;
  return last?.kind === 'tail' ? withTail(row, last) : row;
}

function currentOf(journal: SqliteJournal, row: Stored<RunRow>): CurrentRow {
  checkRun(row);
  if (row.head !== '') return row;
  const tail = journal.last(row.n);
  checkTail(row, tail);
  return withTail(row, tail);
}

/** Row of `runs`. For a driven run, the tail holds the columns that change with every entry. */
function toStored(run: RunRow): Stored<RunRow> {
  const row = run.status === 'running' ? { ...run, head: '' } : run;
  return { ...row, checksum: runChecksum(row) };
}

/** Journal rows, used within a transaction: the entries of a run, then its tail while it is driven. */
interface SqliteJournal {
  last(n: number): JournalRow<EntryRow | TailRow> | undefined;
  all(n: number): readonly JournalRow<EntryRow>[];
  insert(n: number, place: number, row: Stored<EntryRow | TailRow>): void;
  remove(n: number, place: number): void;
  removeAll(n: number): void;
  /** Replaces the tail of a run with an entry and a new tail. Returns false if the tail or the run's row has changed. */
  replaceTail(run: CurrentRow, entry: Stored<EntryRow>, tail: Stored<TailRow>): boolean;
}

function sqliteJournal(db: SqliteDatabase): SqliteJournal {
  const placesOf = (n: number): readonly [after: number, last: number] => [n * rowsPerRun, (n + 1) * rowsPerRun];
  return {
    last: (n) => db.one('SELECT * FROM journal WHERE id > ? AND id <= ? ORDER BY id DESC LIMIT 1', ...placesOf(n)),
    all: (n) => db.all('SELECT * FROM journal WHERE id > ? AND id <= ? ORDER BY id', ...placesOf(n)),
    insert(n, place, { key, kind, outcome, events, epoch, at, checksum }) {
      const sql = 'INSERT INTO journal (id, key, kind, outcome, events, epoch, at, checksum) VALUES (?, ?, ?, ?, ?, ?, ?, ?)';
      db.run(sql, n * rowsPerRun + place, key, kind, outcome, events, epoch, at, checksum);
    },
    remove(n, place) {
      db.run('DELETE FROM journal WHERE id = ?', n * rowsPerRun + place);
    },
    removeAll(n) {
      db.run('DELETE FROM journal WHERE id > ? AND id <= ?', ...placesOf(n));
    },
    replaceTail({ n, seq, tail = '', checksum: ofRun }, entry, next) {
      const place = n * rowsPerRun + seq + 1;
      const { key, kind, outcome, events, epoch, at, checksum } = entry;
      const { changes } = db.run(
        replaceTailSql,
        ...[place, key, kind, outcome, events, epoch, at, checksum],
        ...[place + 1, next.key, next.outcome, next.epoch, next.at, next.checksum],
        ...[place, tail, n, ofRun],
      );
      return Number(changes) > 0;
    },
  };
}

/** One statement is one transaction, so the rows cannot change between check and update. */
const replaceTailSql = `INSERT INTO journal (id, key, kind, outcome, events, epoch, at, checksum)
  SELECT * FROM (VALUES (?, ?, ?, ?, ?, ?, ?, ?), (?, ?, 'tail', ?, '', ?, ?, ?))
  WHERE EXISTS (SELECT 1 FROM journal WHERE id = ? AND checksum = ?) AND EXISTS (SELECT 1 FROM runs WHERE n = ? AND checksum = ?)
  ON CONFLICT (id) DO UPDATE SET key = excluded.key, kind = excluded.kind, outcome = excluded.outcome, events = excluded.events,
    epoch = excluded.epoch, at = excluded.at, checksum = excluded.checksum`;
