import { hash as digest } from 'node:crypto';
import type { JsonObject } from '../../core/ports/json.ts';
import type { StoredRun } from '../../core/ports/run-storage.ts';
import type { EntryKind, JournalEntry, RunRecord, RunStatus, ThreadRecord } from '../../core/ports/run-store.ts';
import { asObject } from '../../core/util/as-object.ts';
import { isObject } from '../../core/util/is-object.ts';
import { parseJson } from '../../core/util/parse-json.ts';
import { journalCorrupt, journalMissing, recordCorrupt, structureCorrupt, threadCorrupt } from '../../engine/store/store-errors.ts';
import { packEvents, unpackEvents } from './packed-events.ts';
import { packOutcome, unpackOutcome } from './packed-outcome.ts';
import { type OpenedThread, type PackedState, type ThreadParts, toPartLists } from './thread-parts.ts';

// Rows of a database's tables, and their conversion. Every row has a checksum of its values, which detects damage.

/** A row of `runs`. */
export interface RunRow {
  readonly n: number;
  readonly id: string;
  readonly workflow: string;
  readonly version: string;
  readonly structure: string;
  readonly thread: string | null;
  readonly thread_revision: number | null;
  readonly status: RunStatus;
  readonly seq: number;
  /** Checksum of the last entry, which covers all entries before it. Stored as `''` for a run with a tail. */
  readonly head: string;
  readonly epoch: number;
  readonly crashes: number;
  readonly active_ms: number;
  readonly started_at: number;
  readonly updated_at: number;
  readonly wake_at: number | null;
  /** Error code of a final state tagged `failure`. */
  readonly failure: string | null;
  /** 1 for a waiting run that only its timer can move. */
  readonly sleeps: number | null;
  readonly priority: number | null;
  /** Owner of the lease or of the place in the queue. The checksum excludes the lease, because it is temporary. */
  readonly owner: string | null;
  /** Expiry by the owner's wall clock. */
  readonly expires_at: number | null;
  /** Duration of the lease without a renewal, in milliseconds; `null` without a lease. */
  readonly lease_ms: number | null;
  /** Number of leases and renewals of the run. */
  readonly heartbeat: number;
}

export interface EntryRow {
  readonly key: string;
  readonly kind: EntryKind;
  readonly outcome: string;
  readonly events: string;
  readonly epoch: number;
  readonly at: number;
}

export interface ThreadRow {
  readonly id: string;
  readonly workflow: string;
  readonly revision: number;
  readonly state: string;
  readonly active_run: string | null;
  /** JSON string, which preserves every text exactly. */
  readonly title: string | null;
  /** JSON of the thread's `PartLists`. */
  readonly lists: string | null;
}

/** Stored row. */
export type Stored<TRow> = TRow & { readonly checksum: string };

/** Row of a journal with its position, from 1. */
export type Numbered<TRow> = Stored<TRow> & { readonly seq: number };

/** Row of a run as its last writer knows it. */
export interface KnownRow extends Stored<RunRow> {
  /** Last entry of kind `node`. */
  readonly last?: JournalEntry | undefined;
}

/** Columns of a run, the same in every database with rows. */
export const runColumns = [
  'n',
  'id',
  'workflow',
  'version',
  'structure',
  'thread',
  'thread_revision',
  'status',
  'seq',
  'head',
  'epoch',
  'crashes',
  'active_ms',
  'started_at',
  'updated_at',
  'wake_at',
  'failure',
  'sleeps',
  'owner',
  'expires_at',
  'lease_ms',
  'heartbeat',
  'priority',
  'checksum',
] as const;

const fixedColumns: ReadonlySet<string> = new Set(['n', 'id', 'workflow', 'thread', 'started_at', 'priority']);
/** Columns that may change. */
export const changingColumns: readonly (typeof runColumns)[number][] = runColumns.filter((column) => !fixedColumns.has(column));

/** First 96 bits of SHA-256. Detects damage. An attacker can recompute it. */
const checksumOf = (...values: readonly (string | number | null)[]): string =>
  digest('sha256', checksummed(values), 'base64url').slice(0, 16);

function checksummed(values: readonly (string | number | null)[]): string {
  let text = '';
  // the length prefix makes the concatenation unambiguous
  for (const value of values) text += typeof value === 'string' ? `${value.length}:${value}` : `${value};`;
  return text;
}

/** Converts an entry to a row. Its checksum covers the run and all entries before it. */
export function toEntryRow(run: Omit<KnownRow, 'checksum'>, entry: JournalEntry): Stored<EntryRow> {
  const { id, head, last } = run;
  const { seq, key, kind, epoch, at } = entry;
  const row = { key: toKeyText(key), kind, outcome: packOutcome(entry, last), events: packEvents(entry, run), epoch, at };
  // Decision 16: chained, so that an edited or missing entry is found.
  return { ...row, checksum: entryChecksum(id, seq, head, row) };
}

/** Converts the first entries of a journal to rows. */
export function toEntryRows(run: RunRow, entries: readonly JournalEntry[]): readonly Stored<EntryRow>[] {
  let head = '';
  return entries.map((entry) => {
    const row = toEntryRow({ ...run, head }, entry);
    head = row.checksum;
    return row;
  });
}

export const entryChecksum = (owner: string, seq: number, head: string, row: Omit<EntryRow, 'kind'> & { readonly kind: string }): string =>
  checksumOf(owner, head, seq, row.key, row.kind, row.outcome, row.events, row.epoch, row.at);

export const runChecksum = (row: RunRow): string => checksumOf(row.n, ...checksummedOf(row));

/** Text that the checksum of a run covers, after the number and a semicolon. Used when the database assigns the number. */
export const checksummedText = (row: RunRow): string => checksummed(checksummedOf(row));

const checksummedOf = (row: RunRow): readonly (string | number | null)[] => [
  row.id,
  row.workflow,
  row.version,
  row.structure,
  row.thread,
  row.thread_revision,
  row.status,
  row.seq,
  // an empty text counts as `null`
  row.head || null,
  row.epoch,
  row.crashes,
  row.active_ms,
  row.started_at,
  row.updated_at,
  row.wake_at,
  // a value that is absent is omitted
  ...(row.failure === null ? [] : [row.failure]),
  // a number cannot be confused with a failure, so either may be omitted
  ...(row.priority === null ? [] : [row.priority]),
  // neither a failure nor a priority is `null` here
  ...(row.sleeps === null ? [] : [null, row.sleeps]),
];

export const threadChecksum = ({ id, workflow, revision, state, active_run, title, lists }: ThreadRow): string => {
  // newer columns are included only if present, which keeps the checksums of older rows valid
  const newer = lists === null ? (title === null ? [] : [title]) : [title, lists];
  return checksumOf(id, workflow, revision, state, active_run, ...newer);
};

/** @throws {WorkflowError} `JOURNAL_CORRUPT`. */
export function checkRun(row: Stored<RunRow>): void {
  if (row.checksum !== runChecksum(row)) throw recordCorrupt(row.id);
}

/** @throws {WorkflowError} `JOURNAL_MISSING`, `JOURNAL_CORRUPT`. */
export function toEntries(run: RunRow, rows: readonly Numbered<EntryRow>[]): readonly JournalEntry[] {
  const { id, seq, head } = run;
  if (rows.length === 0) throw journalMissing(id);
  let checksum = '';
  const asBegun = { ...run, version: versionAtStart(run, rows) };
  const entries: JournalEntry[] = [];
  for (const row of rows) {
    const number = row.seq;
    if (number !== entries.length + 1) throw journalCorrupt(id, entries.length + 1, 'is missing');
    checksum = entryChecksum(id, number, checksum, row);
    if (checksum !== row.checksum) throw journalCorrupt(id, number, 'was changed');
    entries.push(readEntry(asBegun, number, row, entries));
  }
  if (rows.length < seq) throw journalCorrupt(id, rows.length + 1, 'is missing');
  if (rows.length > seq || checksum !== head) throw journalCorrupt(id, rows.length, 'does not belong to it');
  return entries;
}

/** Version in which a run was started. Its row has the version of the last migration. */
function versionAtStart({ version }: RunRow, rows: readonly EntryRow[]): string {
  const moved = rows.find(({ kind, outcome }) => kind === 'settle' && outcome.includes('"migrated":'));
  const { migrated } = asObject(moved && parseJson(moved.outcome));
  const from = asObject(asObject(migrated).from).version;
  return typeof from === 'string' ? from : version;
}

/** Converts a new run to a row, without its journal. */
export const newRow = (n: number, run: StoredRun): RunRow => {
  const { id, workflow, threadId = null, startedAt, priority = null } = run.record;
  return { n, id, workflow, thread: threadId, started_at: startedAt, head: '', priority, ...changingValues(run, 0) };
};

/** Converts a run to a row with the previous head. */
export const toRow = <TRow extends KnownRow>(before: TRow, run: StoredRun): TRow => ({
  ...before,
  ...changingValues(run, before.heartbeat),
});

const changingValues = (
  { record, lease }: StoredRun,
  heartbeat: number,
): Omit<RunRow, 'n' | 'id' | 'workflow' | 'thread' | 'started_at' | 'head' | 'priority'> => ({
  version: record.version,
  structure: record.structure,
  thread_revision: record.threadRevision ?? null,
  status: record.status,
  seq: record.seq,
  epoch: record.epoch,
  crashes: record.crashes,
  active_ms: record.activeMs,
  updated_at: record.updatedAt,
  wake_at: record.wakeAt ?? null,
  failure: record.failure ?? null,
  sleeps: record.sleeps ? 1 : null,
  owner: lease?.owner ?? null,
  expires_at: lease ? lease.renewedAt + lease.leaseMs : null,
  lease_ms: lease?.leaseMs ?? null,
  heartbeat: lease?.heartbeat ?? heartbeat,
});

export function toStoredRun(row: RunRow): StoredRun {
  const { owner, expires_at, lease_ms, heartbeat } = row;
  const leaseMs = lease_ms ?? 0;
  const lease = owner === null ? undefined : { owner, leaseMs, renewedAt: (expires_at ?? 0) - leaseMs, heartbeat };
  return { record: toRecord(row), ...(lease ? { lease } : {}) };
}

export function toRecord(row: RunRow): RunRecord {
  const { id, workflow, version, structure, status, seq, epoch, crashes } = row;
  return {
    id,
    workflow,
    version,
    structure,
    ...(row.thread === null ? {} : { threadId: row.thread }),
    ...(row.priority === null ? {} : { priority: row.priority }),
    ...(row.thread_revision === null ? {} : { threadRevision: row.thread_revision }),
    status,
    seq,
    epoch,
    crashes,
    activeMs: row.active_ms,
    startedAt: row.started_at,
    updatedAt: row.updated_at,
    ...(row.wake_at === null ? {} : { wakeAt: row.wake_at }),
    ...(row.sleeps === null ? {} : { sleeps: true }),
    ...(row.failure === null ? {} : { failure: row.failure }),
  };
}

/** Converts a thread and its packed state to a row. */
export function threadRow({ id, workflow, revision, activeRun, title }: ThreadRecord, { state, lists }: PackedState): Stored<ThreadRow> {
  const row = {
    id,
    workflow,
    revision,
    state: JSON.stringify(state),
    active_run: activeRun ?? null,
    title: title === undefined ? null : JSON.stringify(title),
    lists: lists ? JSON.stringify(lists) : null,
  };
  return { ...row, checksum: threadChecksum(row) };
}

/** @throws {WorkflowError} `JOURNAL_CORRUPT`. */
export function openThread(parts: ThreadParts, row: Stored<ThreadRow>): OpenedThread {
  const { id, workflow, revision, active_run, title } = row;
  const state = parseJson(row.state);
  const lists = row.lists === null ? undefined : toPartLists(parseJson(row.lists));
  const isSound = row.checksum === threadChecksum(row) && (row.lists === null || lists !== undefined);
  if (state === undefined || !isSound) throw threadCorrupt(id, revision);
  const opened = parts.open(id, { state, lists });
  return {
    missing: opened.missing,
    read(found) {
      const whole = opened.read(found);
      if (whole === undefined) throw threadCorrupt(id, revision);
      return {
        id,
        workflow,
        revision,
        state: whole,
        ...(active_run === null ? {} : { activeRun: active_run }),
        ...(title === null ? {} : { title: toTitle(id, title) }),
      };
    },
  };
}

/** @throws {WorkflowError} `JOURNAL_CORRUPT`. */
export function toTitle(threadId: string, text: string): string {
  const title = parseJson(text);
  if (typeof title === 'string') return title;
  throw threadCorrupt(threadId, 0);
}

/** @throws {WorkflowError} `JOURNAL_CORRUPT`. */
export function toStructure(hash: string, text: string): JsonObject {
  const structure = parseJson(text);
  if (isObject(structure)) return structure;
  throw structureCorrupt(hash);
}

/** Parses a journal row. @throws {WorkflowError} `JOURNAL_CORRUPT`. */
function readEntry(run: RunRow, seq: number, row: EntryRow, before: readonly JournalEntry[]): JournalEntry {
  const { kind, epoch, at } = row;
  const key = fromKeyText(row.key);
  const outcome = unpackOutcome(parseJson(row.outcome), kind, before);
  if (outcome === undefined) throw journalCorrupt(run.id, seq, 'is not JSON');
  const events = unpackEvents(parseJson(row.events), { seq, key, kind, outcome, epoch, at }, run);
  if (!events) throw journalCorrupt(run.id, seq, 'has no list of events');
  return { seq, key, kind, outcome, events, epoch, at };
}

/**
 * Stores a key as JSON if it contains U+0000 or a lone surrogate, or starts with a quote. Deno reads a text column up to the first U+0000.
 * PostgreSQL stores no U+0000, and no database stores a lone surrogate.
 */
const toKeyText = (key: string): string =>
  // Decision 157: otherwise a key comes back cut, or its checksum fails.
  key.startsWith('"') || key.includes('\u0000') || !key.isWellFormed() ? JSON.stringify(key) : key;

function fromKeyText(text: string): string {
  const key = text.startsWith('"') ? parseJson(text) : text;
  return typeof key === 'string' ? key : text; // older versions wrote such keys unchanged
}
