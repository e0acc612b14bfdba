import { hash as digest } from 'node:crypto';
import type { Json, JsonObject } from '../ports/json.ts';
import type { StoredRun } from '../ports/run-storage.ts';
import type { EntryKind, JournalEntry, RunRecord, RunStatus, ThreadRecord } from '../ports/run-store.ts';
import { asObject } from '../util/as-object.ts';
import { isObject } from '../util/is-object.ts';
import { packEvents, unpackEvents } from './packed-events.ts';
import { packOutcome, unpackOutcome } from './packed-outcome.ts';
import { journalCorrupt, journalMissing, recordCorrupt, structureCorrupt, threadCorrupt } from './store-errors.ts';
import { type OpenedThread, type PackedState, type ThreadParts, toPartLists } from './thread-parts.ts';

// The rows of a database's tables, what they say, and how damage of them is found: every row has a checksum of all that it says.

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
  /** The checksum of the last entry, which is one of all before it. In the table `''` for a run that has a tail. */
  readonly head: string;
  readonly epoch: number;
  readonly crashes: number;
  readonly active_ms: number;
  readonly started_at: number;
  readonly updated_at: number;
  readonly wake_at: number | null;
  /** The code of the error that led to a final state tagged `failure`. */
  readonly failure: string | null;
  readonly priority: number | null;
  /** Who drives it, or keeps its place in the queue: without a checksum, like all of the lease, because it is only for now. */
  readonly owner: string | null;
  /** Of the owner's wall clock: for processes of version 2, which go by it. */
  readonly expires_at: number | null;
  /** How long the lease holds without a renewal, in milliseconds; `null` when version 2 gave it. */
  readonly lease_ms: number | null;
  /** How often leases of the run were given or renewed. */
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
  /** JSON, which keeps every text exactly. */
  readonly title: string | null;
  /** JSON of its `PartLists`. */
  readonly lists: string | null;
}

/** A row as the tables have it. */
export type Stored<TRow> = TRow & { readonly checksum: string };

/** A row of a journal with its place in it, from 1. */
export type Numbered<TRow> = Stored<TRow> & { readonly seq: number };

/** A run as it is known to whoever has brought it so far. */
export interface KnownRow extends Stored<RunRow> {
  /** The last outcome of a node. */
  readonly last?: JournalEntry | undefined;
}

/** The columns of a run, in every database that has rows. */
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
  'owner',
  'expires_at',
  'lease_ms',
  'heartbeat',
  'priority',
  'checksum',
] as const;

/** The first 96 bits of SHA-256: they find damage, and do not keep out somebody who can compute them. */
const checksumOf = (...values: readonly (string | number | null)[]): string =>
  digest('sha256', checksummed(values), 'base64url').slice(0, 16);

function checksummed(values: readonly (string | number | null)[]): string {
  let text = '';
  // with its length in front, no text runs over into the next
  for (const value of values) text += typeof value === 'string' ? `${value.length}:${value}` : `${value};`;
  return text;
}

/** An entry as a row, tied to its run and to all entries before it. */
export function toEntryRow(run: Omit<KnownRow, 'checksum'>, entry: JournalEntry): Stored<EntryRow> {
  const { id, head, last } = run;
  const { seq, key, kind, epoch, at } = entry;
  const row = { key: toKeyText(key), kind, outcome: packOutcome(entry, last), events: packEvents(entry, run), epoch, at };
  return { ...row, checksum: entryChecksum(id, seq, head, row) };
}

/** The entries that a journal begins with, as rows. */
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

/** What the checksum of a run is made of behind its number and a semicolon: for a database that gives it the number. */
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
  // not the empty text: processes of version 1, which know no tails, must refuse such a run
  row.head || null,
  row.epoch,
  row.crashes,
  row.active_ms,
  row.started_at,
  row.updated_at,
  row.wake_at,
  // only when there is one: the rows of version 2 have none
  ...(row.failure === null ? [] : [row.failure]),
  // no failure is a number: what is there is told from what is not
  ...(row.priority === null ? [] : [row.priority]),
];

export const threadChecksum = ({ id, workflow, revision, state, active_run, title, lists }: ThreadRow): string => {
  // what older versions do not have is in it only where there is some
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

/** The version that a run was started in: its row has the one that it was moved to last. */
function versionAtStart({ version }: RunRow, rows: readonly EntryRow[]): string {
  const moved = rows.find(({ kind, outcome }) => kind === 'settle' && outcome.includes('"migrated":'));
  const { migrated } = asObject(moved && parse(moved.outcome));
  const from = asObject(asObject(migrated).from).version;
  return typeof from === 'string' ? from : version;
}

/** A new run as a row, without its journal. */
export const newRow = (n: number, run: StoredRun): RunRow => {
  const { id, workflow, threadId = null, startedAt, priority = null } = run.record;
  return { n, id, workflow, thread: threadId, started_at: startedAt, head: '', priority, ...changingColumns(run, 0) };
};

/** What is known of a run as its row, with the head that it had. */
export const toRow = <TRow extends KnownRow>(before: TRow, run: StoredRun): TRow => ({
  ...before,
  ...changingColumns(run, before.heartbeat),
});

const changingColumns = (
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
  owner: lease?.owner ?? null,
  expires_at: lease ? lease.renewedAt + lease.leaseMs : null,
  lease_ms: lease?.leaseMs ?? null,
  heartbeat: lease?.heartbeat ?? heartbeat,
});

/** How long a lease of version 2 holds: it has not said so. */
const leaseMsOfVersion2 = 30_000;

export function toStoredRun(row: RunRow): StoredRun {
  const { owner, expires_at, heartbeat } = row;
  const leaseMs = row.lease_ms ?? leaseMsOfVersion2;
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
    ...(row.failure === null ? {} : { failure: row.failure }),
  };
}

/** A thread as a row, with its state as it was packed. */
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
  const state = parse(row.state);
  const lists = row.lists === null ? undefined : toPartLists(parse(row.lists));
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
  const title = parse(text);
  if (typeof title === 'string') return title;
  throw threadCorrupt(threadId, 0);
}

/** @throws {WorkflowError} `JOURNAL_CORRUPT`. */
export function toStructure(hash: string, text: string): JsonObject {
  const structure = parse(text);
  if (isObject(structure)) return structure;
  throw structureCorrupt(hash);
}

/** What an entry's JSON says. @throws {WorkflowError} `JOURNAL_CORRUPT`. */
function readEntry(run: RunRow, seq: number, row: EntryRow, before: readonly JournalEntry[]): JournalEntry {
  const { kind, epoch, at } = row;
  const key = fromKeyText(row.key);
  const outcome = unpackOutcome(parse(row.outcome), kind, before);
  if (outcome === undefined) throw journalCorrupt(run.id, seq, 'is no JSON');
  const events = unpackEvents(parse(row.events), { seq, key, kind, outcome, epoch, at }, run);
  if (!events) throw journalCorrupt(run.id, seq, 'has no list of events');
  return { seq, key, kind, outcome, events, epoch, at };
}

/**
 * Deno reads a column of text up to its first U+0000 only, PostgreSQL has none in a text, and no database keeps half of a surrogate pair: such
 * a key stands as JSON, and one that could be taken for that, too.
 */
const toKeyText = (key: string): string =>
  key.startsWith('"') || key.includes('\u0000') || !key.isWellFormed() ? JSON.stringify(key) : key;

function fromKeyText(text: string): string {
  const key = text.startsWith('"') ? parse(text) : text;
  return typeof key === 'string' ? key : text; // an older version has written it as it was
}

/** `undefined` for what is no JSON. */
function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
