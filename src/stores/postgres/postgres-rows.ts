import { recordCorrupt } from '../../engine/store/store-errors.ts';
import { type EntryRow, type Numbered, type RunRow, runChecksum, type Stored, type ThreadRow } from '../rows/run-rows.ts';
import type { PostgresValue, TextRow } from './database/postgres-database.ts';

// Rows of the tables in PostgreSQL. The server sends every column as text.

export const entryColumns = ['seq', 'key', 'kind', 'outcome', 'events', 'epoch', 'at', 'checksum'] as const;

export const threadColumns = ['id', 'workflow', 'revision', 'state', 'active_run', 'title', 'lists', 'checksum'] as const;

/** Returns one parameter per column, such as `$1, $2`. */
export const dollars = (columns: readonly string[], from = 1): string => columns.map((_, index) => `$${from + index}`).join(', ');

export const valuesOf = <TName extends string>(
  row: Readonly<Record<TName, PostgresValue>>,
  columns: readonly TName[],
): readonly PostgresValue[] => columns.map((column) => row[column]);

/** Unchecked: a number too large for JavaScript loses precision and then fails the checksum. */
export const toRunRow = (row: TextRow): Stored<RunRow> => ({
  n: Number(row.n),
  id: text(row.id),
  workflow: text(row.workflow),
  version: text(row.version),
  structure: text(row.structure),
  thread: row.thread ?? null,
  thread_revision: numberOrNull(row.thread_revision),
  status: text(row.status) as RunRow['status'],
  seq: Number(row.seq),
  head: text(row.head),
  epoch: Number(row.epoch),
  crashes: Number(row.crashes),
  active_ms: Number(row.active_ms),
  started_at: Number(row.started_at),
  updated_at: Number(row.updated_at),
  wake_at: numberOrNull(row.wake_at),
  failure: row.failure ?? null,
  sleeps: numberOrNull(row.sleeps),
  owner: row.owner ?? null,
  expires_at: numberOrNull(row.expires_at),
  lease_ms: numberOrNull(row.lease_ms),
  heartbeat: Number(row.heartbeat),
  priority: numberOrNull(row.priority),
  checksum: text(row.checksum),
});

/** @throws {WorkflowError} `JOURNAL_CORRUPT`. */
export function toCheckedRunRow(row: TextRow): Stored<RunRow> {
  const run = toRunRow(row);
  // the checksum does not cover the lease; above the safe range, `heartbeat + 1` would equal `heartbeat`
  if (run.checksum !== runChecksum(run) || !Number.isSafeInteger(run.heartbeat)) throw recordCorrupt(run.id);
  return run;
}

export const toEntryRow = (row: TextRow): Numbered<EntryRow> => ({
  seq: Number(row.seq),
  key: text(row.key),
  kind: text(row.kind) as EntryRow['kind'],
  outcome: text(row.outcome),
  events: text(row.events),
  epoch: Number(row.epoch),
  at: Number(row.at),
  checksum: text(row.checksum),
});

export const toThreadRow = (row: TextRow): Stored<ThreadRow> => ({
  id: text(row.id),
  workflow: text(row.workflow),
  revision: Number(row.revision),
  state: text(row.state),
  active_run: row.active_run ?? null,
  title: row.title ?? null,
  lists: row.lists ?? null,
  checksum: text(row.checksum),
});

const text = (value: string | null | undefined): string => value ?? '';
const numberOrNull = (value: string | null | undefined): number | null => (value === null || value === undefined ? null : Number(value));
