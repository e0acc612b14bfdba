import { hash as digest } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { WorkflowError } from '../errors.ts';
import type { Json, JsonObject } from '../ports/json.ts';
import type { RunEvent } from '../ports/run-event.ts';
import type {
  AcquiredRun,
  EntryKind,
  JournalEntry,
  Lease,
  LeaseRequest,
  RunRecord,
  RunStatus,
  RunStore,
  ThreadRecord,
} from '../ports/run-store.ts';
import { isAlive, processName } from './process-name.ts';
import { migrate } from './sqlite-schema.ts';
import {
  journalCorrupt,
  journalMissing,
  runBusy,
  runEnded,
  runFenced,
  runUnknown,
  storeUnavailable,
  threadBusy,
  threadMovedOn,
  threadOfOtherWorkflow,
} from './store-errors.ts';

export interface SqliteStoreOptions {
  /** The database file; its folder is made when it is missing. `:memory:` = none. */
  readonly path: string;
  /**
   * `full`: a commit survives a power cut. `normal`: it survives a crash of the process, and a power cut may lose the last ones.
   * @default 'full'
   */
  readonly durability?: 'full' | 'normal';
  /** How long a write waits for another process's, in milliseconds. @default 5_000 */
  readonly busyTimeoutMs?: number;
}

/** A journal's rows are numbered `run * rowsPerRun + seq`: they stand side by side, and new ones go to the end of one tree. */
const rowsPerRun = 1_000_000;

/**
 * Keeps runs in a SQLite file, by Node's own `node:sqlite`. Any number of processes on one machine may share it.
 *
 * @throws {WorkflowError} `STORE_UNAVAILABLE` when the file cannot be opened, `STORE_VERSION` when a newer version of the package made it.
 * @example const store = sqliteStore({ path: 'agents.db' });
 */
export function sqliteStore({ path, durability = 'full', busyTimeoutMs = 5_000 }: SqliteStoreOptions): RunStore {
  const db = open(path, durability, busyTimeoutMs);
  const statements = new Map<string, StatementSync>();
  const sql = (text: string): StatementSync => {
    const known = statements.get(text);
    if (known) return known;
    const made = db.prepare(text);
    statements.set(text, made);
    return made;
  };

  /** One transaction: all of `work`, or nothing of it. */
  const transaction = <T>(work: () => T): T => {
    try {
      sql('BEGIN IMMEDIATE').run();
      try {
        const result = work();
        sql('COMMIT').run();
        return result;
      } catch (cause) {
        if (db.isTransaction) sql('ROLLBACK').run();
        throw cause;
      }
    } catch (cause) {
      throw WorkflowError.isInstance(cause) ? cause : storeUnavailable(path, cause);
    }
  };
  const read = <T>(work: () => T): T => {
    try {
      return work();
    } catch (cause) {
      throw WorkflowError.isInstance(cause) ? cause : storeUnavailable(path, cause);
    }
  };

  const findRow = (runId: string): RunRow => {
    const row = sql('SELECT * FROM runs WHERE id = ?').get(runId);
    if (!row) throw runUnknown(runId);
    return row as unknown as RunRow;
  };
  const findThread = (threadId: string): ThreadRow | undefined =>
    sql('SELECT * FROM threads WHERE id = ?').get(threadId) as unknown as ThreadRow | undefined;

  const insertEntry = (run: number, head: Uint8Array, entry: JournalEntry): Uint8Array => {
    const { seq, key, kind, epoch, at } = entry;
    const outcome = JSON.stringify(entry.outcome);
    const events = JSON.stringify(entry.events);
    const checksum = chain(head, { seq, key, kind, outcome, events, epoch, at });
    sql('INSERT INTO journal (id, key, kind, outcome, events, epoch, at, checksum) VALUES (?, ?, ?, ?, ?, ?, ?, ?)').run(
      run * rowsPerRun + seq,
      key,
      kind,
      outcome,
      events,
      epoch,
      at,
      checksum,
    );
    return checksum;
  };

  /** Leases of this process are told apart by the runtime, those of others by their process. */
  const isHeld = ({ owner, expires_at }: Pick<RunRow, 'owner' | 'expires_at'>, { now, owner: asking }: LeaseRequest): boolean => {
    if (owner === null || expires_at === null || expires_at <= now) return false;
    return owner !== `${processName}/${asking}` && isAlive(owner.slice(0, owner.lastIndexOf('/')));
  };
  const ownerOf = ({ owner }: LeaseRequest): string => `${processName}/${owner}`;

  const takeThread = (run: RunRow, request: LeaseRequest): ThreadRow | undefined => {
    const thread = run.thread === null ? undefined : findThread(run.thread);
    if (!thread) return undefined;
    if (thread.active_run === run.id) return thread;
    if (thread.active_run !== null) throw threadBusy(thread.id, thread.active_run);
    if (run.status === 'queued') {
      const before = sql("SELECT id, owner, expires_at FROM runs WHERE thread = ? AND status = 'queued' AND n < ? ORDER BY n").all(
        thread.id,
        run.n,
      );
      const next = (before as unknown as Pick<RunRow, 'id' | 'owner' | 'expires_at'>[]).find((other) => isHeld(other, request));
      if (next) throw threadBusy(thread.id, next.id);
    } else if (run.thread_revision !== thread.revision) throw threadMovedOn(thread.id, run.id);
    sql('UPDATE threads SET active_run = ? WHERE id = ?').run(run.id, thread.id);
    return { ...thread, active_run: run.id };
  };

  return {
    create({ id, workflow, version, structure, threadId, ifBusy }, start, request) {
      return transaction(() => {
        let thread = threadId === undefined ? undefined : findThread(threadId);
        if (threadId !== undefined && !thread) {
          thread = { id: threadId, workflow, revision: 0, state: 'null', active_run: null, checksum: threadChecksum(threadId, 0, 'null') };
          sql('INSERT INTO threads (id, workflow, revision, state, active_run, checksum) VALUES (?, ?, 0, ?, NULL, ?)').run(
            threadId,
            workflow,
            thread.state,
            thread.checksum,
          );
        }
        if (thread && thread.workflow !== workflow) throw threadOfOtherWorkflow(thread.id, thread.workflow);
        if (thread && thread.active_run !== null && ifBusy === 'reject') throw threadBusy(thread.id, thread.active_run);
        const queued = thread !== undefined && thread.active_run !== null;
        if (thread && !queued) {
          sql('UPDATE threads SET active_run = ? WHERE id = ?').run(id, thread.id);
          thread = { ...thread, active_run: id };
        }
        const { lastInsertRowid } = sql(
          `INSERT INTO runs (id, workflow, version, structure, thread, thread_revision, status, seq, head, epoch, crashes, active_ms, started_at, updated_at, owner, expires_at)
           VALUES (?, ?, ?, ?, ?, ?, ?, 1, x'', ?, 0, 0, ?, ?, ?, ?)`,
        ).run(
          id,
          workflow,
          version,
          structure,
          threadId ?? null,
          thread && !queued ? thread.revision : null,
          queued ? 'queued' : 'running',
          queued ? 0 : 1,
          request.now,
          request.now,
          ownerOf(request),
          request.expiresAt,
        );
        const head = insertEntry(Number(lastInsertRowid), emptyHead, start);
        sql('UPDATE runs SET head = ? WHERE n = ?').run(head, lastInsertRowid);
        return toAcquired(findRow(id), thread);
      });
    },
    acquire(runId, request) {
      return transaction(() => {
        const run = findRow(runId);
        if (run.status === 'done' || run.status === 'cancelled') throw runEnded(runId, run.status);
        if (isHeld(run, request) && !request.force) throw runBusy(runId, run.owner ?? '', run.expires_at ?? 0);
        const thread = request.toEnd ? undefined : takeThread(run, request);
        const crashes = run.status === 'running' ? run.crashes + 1 : 0;
        sql(
          `UPDATE runs SET status = 'running', epoch = epoch + 1, crashes = ?, owner = ?, expires_at = ?, wake_at = NULL, updated_at = ?,
             thread_revision = coalesce(?, thread_revision) WHERE n = ?`,
        ).run(crashes, ownerOf(request), request.expiresAt, request.now, thread?.revision ?? null, run.n);
        return toAcquired(findRow(runId), thread);
      });
    },
    renew({ runId, epoch }, expiresAt) {
      transaction(() => {
        const { changes } = sql("UPDATE runs SET expires_at = ? WHERE id = ? AND epoch = ? AND status = 'running'").run(
          expiresAt,
          runId,
          epoch,
        );
        if (changes === 0) throw runFenced(runId, epoch);
      });
    },
    append({ runId, epoch }, entry, activeMs) {
      transaction(() => {
        const run = sql("SELECT n, head FROM runs WHERE id = ? AND epoch = ? AND seq = ? AND status = 'running'").get(
          runId,
          epoch,
          entry.seq - 1,
        );
        if (!run) throw runFenced(runId, epoch);
        const { n, head } = run as unknown as Pick<RunRow, 'n' | 'head'>;
        const next = insertEntry(n, head, entry);
        sql('UPDATE runs SET seq = ?, head = ?, crashes = 0, active_ms = ?, updated_at = ? WHERE n = ?').run(
          entry.seq,
          next,
          activeMs,
          entry.at,
          n,
        );
      });
    },
    settle({ runId, epoch }, { entry, status, activeMs, wakeAt, threadState }) {
      transaction(() => {
        const run = findRow(runId);
        if (run.epoch !== epoch || run.status !== 'running' || (entry && entry.seq !== run.seq + 1)) throw runFenced(runId, epoch);
        const head = entry ? insertEntry(run.n, run.head, entry) : run.head;
        sql(
          `UPDATE runs SET status = ?, seq = ?, head = ?, crashes = 0, active_ms = ?, updated_at = ?, wake_at = ?, owner = NULL, expires_at = NULL WHERE n = ?`,
        ).run(status, entry?.seq ?? run.seq, head, activeMs, entry?.at ?? run.updated_at, wakeAt ?? null, run.n);
        const thread = run.thread === null ? undefined : findThread(run.thread);
        if (thread?.active_run !== run.id) return;
        const ended = status === 'done' || status === 'failed' || status === 'cancelled';
        const revision = threadState === undefined ? thread.revision : thread.revision + 1;
        const state = threadState === undefined ? thread.state : JSON.stringify(threadState);
        sql('UPDATE threads SET active_run = ?, revision = ?, state = ?, checksum = ? WHERE id = ?').run(
          ended ? null : thread.active_run,
          revision,
          state,
          threadChecksum(thread.id, revision, state),
          thread.id,
        );
      });
    },
    read: (runId) =>
      read(() => {
        const row = sql('SELECT * FROM runs WHERE id = ?').get(runId);
        return row && toRecord(row as unknown as RunRow);
      }),
    journal: (runId) =>
      read(() => {
        const run = findRow(runId);
        const first = run.n * rowsPerRun;
        const rows = sql('SELECT * FROM journal WHERE id > ? AND id < ? ORDER BY id').all(
          first,
          first + rowsPerRun,
        ) as unknown as EntryRow[];
        return toEntries(run, rows);
      }),
    list: ({ workflow = null, threadId = null, status = null, dueBefore = null, limit = 100 }) =>
      read(() =>
        sql(
          `SELECT * FROM runs WHERE (?1 IS NULL OR workflow = ?1) AND (?2 IS NULL OR thread = ?2) AND (?3 IS NULL OR status = ?3)
             AND (?4 IS NULL OR wake_at <= ?4) ORDER BY n DESC LIMIT ?5`,
        )
          .all(workflow, threadId, status, dueBefore, limit)
          .map((row) => toRecord(row as unknown as RunRow)),
      ),
    readThread: (threadId) =>
      read(() => {
        const row = findThread(threadId);
        return row && toThread(row);
      }),
    saveStructure(hash, structure) {
      transaction(() => sql('INSERT OR IGNORE INTO structures (hash, structure) VALUES (?, ?)').run(hash, JSON.stringify(structure)));
    },
    readStructure: (hash) =>
      read(() => {
        const row = sql('SELECT structure FROM structures WHERE hash = ?').get(hash) as { structure: string } | undefined;
        return row && (JSON.parse(row.structure) as JsonObject);
      }),
    close() {
      if (db.isOpen) db.close();
    },
  };
}

function open(path: string, durability: 'full' | 'normal', busyTimeoutMs: number): DatabaseSync {
  try {
    if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true });
    const db = new DatabaseSync(path, { timeout: busyTimeoutMs });
    db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${durability.toUpperCase()}; PRAGMA foreign_keys = ON`);
    migrate(db, path);
    return db;
  } catch (cause) {
    throw WorkflowError.isInstance(cause) ? cause : storeUnavailable(path, cause);
  }
}

interface RunRow {
  readonly n: number;
  readonly id: string;
  readonly workflow: string;
  readonly version: string;
  readonly structure: string;
  readonly thread: string | null;
  readonly thread_revision: number | null;
  readonly status: RunStatus;
  readonly seq: number;
  readonly head: Uint8Array;
  readonly epoch: number;
  readonly crashes: number;
  readonly active_ms: number;
  readonly started_at: number;
  readonly updated_at: number;
  readonly wake_at: number | null;
  readonly owner: string | null;
  readonly expires_at: number | null;
}

interface EntryRow {
  readonly id: number;
  readonly key: string;
  readonly kind: EntryKind;
  readonly outcome: string;
  readonly events: string;
  readonly epoch: number;
  readonly at: number;
  readonly checksum: Uint8Array;
}

interface ThreadRow {
  readonly id: string;
  readonly workflow: string;
  readonly revision: number;
  readonly state: string;
  readonly active_run: string | null;
  readonly checksum: Uint8Array;
}

const emptyHead = new Uint8Array();

/** Ties an entry to all before it: SHA-256, the first 16 bytes. It finds damage, and does not keep out somebody who can compute it. */
function chain(
  head: Uint8Array,
  { seq, key, kind, outcome, events, epoch, at }: { readonly seq: number } & Omit<EntryRow, 'id' | 'checksum'>,
): Uint8Array {
  const previous = Buffer.from(head).toString('base64');
  return digest('sha256', JSON.stringify([previous, seq, key, kind, outcome, events, epoch, at]), 'buffer').subarray(0, 16);
}

const threadChecksum = (id: string, revision: number, state: string): Uint8Array =>
  digest('sha256', JSON.stringify([id, revision, state]), 'buffer').subarray(0, 16);

const isEqual = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

/** @throws {WorkflowError} `JOURNAL_MISSING`, `JOURNAL_CORRUPT`. */
function toEntries({ id, n, seq, head }: RunRow, rows: readonly EntryRow[]): readonly JournalEntry[] {
  if (rows.length === 0) throw journalMissing(id);
  let checksum: Uint8Array = emptyHead;
  const entries = rows.map((row, index) => {
    const number = row.id - n * rowsPerRun;
    if (number !== index + 1) throw journalCorrupt(id, index + 1, 'is missing');
    checksum = chain(checksum, { ...row, seq: number });
    if (!isEqual(checksum, row.checksum)) throw journalCorrupt(id, number, 'was changed');
    const { key, kind, epoch, at } = row;
    return { seq: number, key, kind, outcome: JSON.parse(row.outcome) as Json, events: JSON.parse(row.events) as RunEvent[], epoch, at };
  });
  if (rows.length < seq) throw journalCorrupt(id, rows.length + 1, 'is missing');
  if (rows.length > seq || !isEqual(checksum, head)) throw journalCorrupt(id, rows.length, 'does not belong to it');
  return entries;
}

function toAcquired(row: RunRow, thread: ThreadRow | undefined): AcquiredRun {
  const lease: Lease = { runId: row.id, epoch: row.epoch };
  return { lease, record: toRecord(row), ...(thread ? { thread: toThread(thread) } : {}) };
}

function toRecord(row: RunRow): RunRecord {
  const { id, workflow, version, structure, status, seq, epoch, crashes } = row;
  return {
    id,
    workflow,
    version,
    structure,
    ...(row.thread === null ? {} : { threadId: row.thread }),
    ...(row.thread_revision === null ? {} : { threadRevision: row.thread_revision }),
    status,
    seq,
    epoch,
    crashes,
    activeMs: row.active_ms,
    startedAt: row.started_at,
    updatedAt: row.updated_at,
    ...(row.wake_at === null ? {} : { wakeAt: row.wake_at }),
  };
}

function toThread({ id, workflow, revision, state, active_run, checksum }: ThreadRow): ThreadRecord {
  if (!isEqual(checksum, threadChecksum(id, revision, state))) {
    throw new WorkflowError({
      code: 'JOURNAL_CORRUPT',
      message: `The state of the thread ${id} was changed by something else.`,
      hint: 'Restore the database from a backup, or start a new thread.',
      data: { threadId: id, revision },
    });
  }
  return { id, workflow, revision, state: JSON.parse(state) as Json, ...(active_run === null ? {} : { activeRun: active_run }) };
}
