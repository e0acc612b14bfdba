import type { JournalEntry, Lease, LeaseRequest, RunStore } from '../ports/run-store.ts';
import { type HeldLease, type LeaseVerdict, LeaseWatch } from './lease-watch.ts';
import { processName } from './process-name.ts';
import { processState } from './process-state.ts';
import {
  checkThread,
  type FoundRun,
  type RunRow,
  rowsPerRun,
  type Stored,
  type ThreadRow,
  threadChecksum,
  toAcquired,
  toEntryRow,
  toEntryRows,
  toRecord,
  toStructure,
  toThread,
} from './sqlite-rows.ts';
import { sqliteRuns } from './sqlite-runs.ts';
import { StoreDatabase } from './store-database.ts';
import {
  journalFull,
  runBusy,
  runEnded,
  runExists,
  runFenced,
  runUnknown,
  threadBusy,
  threadLost,
  threadMovedOn,
  threadOfOtherWorkflow,
} from './store-errors.ts';

export interface SqliteStoreOptions {
  /** The database file; its folder is made when it is missing. `:memory:` = none. Names that SQLite reads in another way are refused. */
  readonly path: string;
  /**
   * `full`: a commit survives a power cut. `normal`: it survives a crash of the process, and a power cut may lose the last ones.
   * @default 'full'
   */
  readonly durability?: 'full' | 'normal';
  /** How long an operation waits while another process locks the file, in milliseconds; meanwhile this process goes on. @default 5_000 */
  readonly busyTimeoutMs?: number;
}

/**
 * Keeps runs in a SQLite file, by Node's own `node:sqlite`. Any number of processes on one machine may share it. A journal has at most
 * 999,999 entries.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for a path that is none; `STORE_UNAVAILABLE` when the file cannot be opened; `STORE_VERSION` when a newer version of the package, or
 *   another program, made it.
 * @example const store = sqliteStore({ path: 'agents.db' });
 */
export function sqliteStore({ path, durability = 'full', busyTimeoutMs = 5_000 }: SqliteStoreOptions): RunStore {
  const file = new StoreDatabase({ path, durability, busyTimeoutMs });
  const { db } = file;

  const runs = sqliteRuns(db);
  const findRun = (runId: string): FoundRun => {
    const row = runs.find(runId);
    if (!row) throw runUnknown(runId);
    return row;
  };
  /** The run, if the lease is still its last one and `entry` comes next. */
  const heldRun = ({ runId, epoch }: Lease, entry: JournalEntry | undefined): FoundRun => {
    const row = runs.find(runId);
    file.assertOnward(known.get(runId), row);
    const follows = row && (entry === undefined || entry.seq === row.seq + 1);
    if (follows && row.epoch === epoch && row.status === 'running') return row;
    known.delete(runId);
    throw runFenced(runId, epoch);
  };
  /** Driven runs as this store has written them last: an append need not read what nobody else has changed. */
  const known = new Map<string, FoundRun>();

  const findThread = (threadId: string): ThreadRow | undefined => {
    const row = db.one<Stored<ThreadRow>>('SELECT * FROM threads WHERE id = ?', threadId);
    if (row) checkThread(row);
    return row;
  };
  const saveThread = (row: ThreadRow): ThreadRow => {
    const { id, workflow, revision, state, active_run } = row;
    db.run(
      `INSERT INTO threads (id, workflow, revision, state, active_run, checksum) VALUES (:id, :workflow, :revision, :state, :active_run, :checksum)
       ON CONFLICT (id) DO UPDATE SET revision = :revision, state = :state, active_run = :active_run, checksum = :checksum`,
      { id, workflow, revision, state, active_run, checksum: threadChecksum(row) },
    );
    return row;
  };

  // owners are told apart by their runtime, and those of other processes by their process, too
  const ownerOf = ({ owner }: LeaseRequest): string => `${processName}/${owner}`;
  const leaseOf = (request: LeaseRequest): Pick<RunRow, 'owner' | 'expires_at' | 'lease_ms'> => ({
    owner: ownerOf(request),
    expires_at: request.now + request.leaseMs,
    lease_ms: request.leaseMs,
  });
  const watch = new LeaseWatch((owner) => processState(processOf(owner)));
  const judge = (run: RunRow, request: LeaseRequest): LeaseVerdict => watch.judge(heldLease(run), ownerOf(request), request);
  /** The run that comes first in a thread's queue, of those that were there before `n`. */
  const firstInQueue = (threadId: string, n = Number.MAX_SAFE_INTEGER): string | undefined => {
    const first = db.one<Pick<RunRow, 'id'>>(
      "SELECT id FROM runs WHERE thread = ? AND status = 'queued' AND n < ? ORDER BY n LIMIT 1",
      threadId,
      n,
    );
    return first?.id;
  };
  /** @throws {WorkflowError} `THREAD_LOST` when there is none, though runs of it are there. */
  const assertNew = (threadId: string): void => {
    if (db.one('SELECT 1 FROM runs WHERE thread = ? LIMIT 1', threadId)) throw threadLost(threadId);
  };
  const takeThread = (run: RunRow): ThreadRow | undefined => {
    if (run.thread === null) return undefined;
    const thread = findThread(run.thread);
    if (!thread) throw threadLost(run.thread);
    if (thread.active_run === run.id) return thread;
    const before = thread.active_run ?? (run.status === 'queued' ? firstInQueue(thread.id, run.n) : undefined);
    if (before !== undefined) throw threadBusy(thread.id, before);
    if (run.status !== 'queued' && run.thread_revision !== thread.revision) throw threadMovedOn(thread.id, run.id);
    return saveThread({ ...thread, active_run: run.id });
  };

  return {
    create({ id, workflow, version, structure, threadId = null, ifBusy }, entries, request) {
      return file.write(() => {
        file.goOn();
        if (runs.find(id)) throw runExists(id);
        let thread = threadId === null ? undefined : findThread(threadId);
        if (threadId !== null && !thread) assertNew(threadId);
        if (thread && thread.workflow !== workflow) throw threadOfOtherWorkflow(thread.id, thread.workflow);
        const before = thread && (thread.active_run ?? firstInQueue(thread.id));
        const queued = before !== undefined;
        if (thread && queued && ifBusy === 'reject') throw threadBusy(thread.id, before);
        if (threadId !== null && !queued) {
          thread = saveThread({ ...(thread ?? { id: threadId, workflow, revision: 0, state: 'null' }), active_run: id });
        }
        const n = db.one<Pick<RunRow, 'n'>>('SELECT coalesce(max(n), 0) + 1 AS n FROM runs')?.n ?? 1;
        const rows = toEntryRows(id, entries);
        const row: RunRow = {
          n,
          id,
          workflow,
          version,
          structure,
          thread: threadId,
          thread_revision: queued ? null : (thread?.revision ?? null),
          status: queued ? 'queued' : 'running',
          seq: rows.length,
          head: rows.at(-1)?.checksum ?? '',
          epoch: queued ? 0 : 1,
          crashes: 0,
          active_ms: 0,
          started_at: request.now,
          updated_at: request.now,
          wake_at: null,
          failure: null,
          ...leaseOf(request),
          heartbeat: 1,
        };
        runs.add(row, rows);
        return toAcquired(row, thread);
      });
    },
    acquire(runId, request) {
      return file.write(() => {
        file.goOn();
        const run = findRun(runId);
        file.assertOnward(known.get(runId), run);
        if (run.status === 'done' || run.status === 'cancelled') throw runEnded(runId, run.status);
        const verdict = request.force || run.owner === ownerOf(request) ? undefined : judge(run, request);
        if (verdict?.isFree === false) throw runBusy(runId, run.owner ?? '', verdict);
        const thread = request.toEnd ? undefined : takeThread(run);
        const next: RunRow = {
          ...run,
          status: 'running',
          epoch: run.epoch + 1,
          crashes: run.status === 'running' ? run.crashes + Number(run.owner !== ownerOf(request)) : 0,
          wake_at: null,
          failure: null,
          updated_at: request.now,
          thread_revision: thread?.revision ?? run.thread_revision,
          ...leaseOf(request),
          heartbeat: run.heartbeat + 1,
        };
        runs.save(run, next);
        return toAcquired(next, thread);
      });
    },
    lost: (leases) =>
      db.read(() => {
        const lost = db.all<{ readonly place: number }>(
          `SELECT asked.key AS place FROM json_each(?) AS asked LEFT JOIN runs ON runs.id = asked.value ->> 'runId'
             WHERE runs.epoch IS NOT asked.value ->> 'epoch' OR runs.status NOT IN ('running', 'queued')`,
          JSON.stringify(leases),
        );
        return lost.flatMap(({ place }) => leases[Number(place)] ?? []);
      }),
    renew({ runId, epoch }, { now, leaseMs }) {
      return file.write(() => {
        const { changes } = db.run(
          `UPDATE runs SET expires_at = ?, lease_ms = ?, heartbeat = heartbeat + 1
           WHERE id = ? AND epoch = ? AND status IN ('running', 'queued')`,
          ...[now + leaseMs, leaseMs, runId, epoch],
        );
        if (changes === 0) throw runFenced(runId, epoch);
      });
    },
    append(lease, entry, activeMs) {
      const { runId, epoch } = lease;
      let after: FoundRun | undefined;
      const advance = (): void => {
        const before = known.get(runId);
        // the last place is kept, so that the run can still be settled
        if (entry.seq >= rowsPerRun - 1) throw journalFull(runId, rowsPerRun - 1);
        const follows = before && before.epoch === epoch && before.seq === entry.seq - 1;
        after = follows ? runs.advance(before, entry, activeMs) : undefined;
        if (after) return;
        const run = heldRun(lease, entry);
        known.delete(runId);
        // a run of version 1 gets its tail
        after = runs.advance(run.tail === undefined ? runs.save(run, run) : run, entry, activeMs);
        if (!after) throw runFenced(runId, epoch);
      };
      return file.write(advance, () => {
        if (after) known.set(runId, after);
      });
    },
    settle(lease, { entry, status, activeMs, wakeAt = null, failure = null, threadState }) {
      return file.write(() => {
        const run = heldRun(lease, entry);
        known.delete(lease.runId);
        if (entry && entry.seq >= rowsPerRun) throw journalFull(run.id, rowsPerRun - 1);
        const row = entry && toEntryRow(run, entry);
        const last = entry && row ? { seq: entry.seq, head: row.checksum, updated_at: entry.at } : {};
        const next = { ...run, ...last, ...noLease, status, crashes: 0, active_ms: activeMs, wake_at: wakeAt, failure };
        runs.save(run, next, row);
        const thread = run.thread === null ? undefined : findThread(run.thread);
        if (run.thread !== null && !thread && status === 'done') throw threadLost(run.thread);
        if (thread?.active_run !== run.id) return;
        const ended = status === 'done' || status === 'failed' || status === 'cancelled';
        const changed = threadState === undefined ? {} : { state: JSON.stringify(threadState), revision: thread.revision + 1 };
        if (ended || threadState !== undefined) saveThread({ ...thread, ...changed, active_run: ended ? null : run.id });
      });
    },
    read: (runId) =>
      db.read(() => {
        const run = runs.find(runId);
        return run && toRecord(run);
      }),
    journal: (runId) => db.read(() => runs.entries(findRun(runId))),
    list: ({ workflow = null, threadId = null, status = null, dueBefore = null, limit = 100 }) =>
      db.read(() =>
        db
          .all<Stored<RunRow>>(
            `SELECT * FROM runs WHERE (:workflow IS NULL OR workflow = :workflow) AND (:threadId IS NULL OR thread = :threadId)
               AND (:status IS NULL OR status = :status) AND (:dueBefore IS NULL OR wake_at <= :dueBefore) ORDER BY n DESC LIMIT :limit`,
            { workflow, threadId, status, dueBefore, limit: Number.isFinite(limit) ? limit : -1 },
          )
          .map((row) => toRecord(runs.latest(row))),
      ),
    readThread: (threadId) =>
      db.read(() => {
        const row = findThread(threadId);
        if (!row) assertNew(threadId);
        return row && toThread(row);
      }),
    mayLive: (owner) => processState(processOf(owner)) !== 'gone',
    saveStructure(hash, structure) {
      return file.write(() => {
        db.run('INSERT OR IGNORE INTO structures (hash, structure) VALUES (?, ?)', hash, JSON.stringify(structure));
      });
    },
    readStructure: (hash) =>
      db.read(() => {
        const row = db.one<{ readonly structure: string }>('SELECT structure FROM structures WHERE hash = ?', hash);
        return row && toStructure(hash, row.structure);
      }),
    close: () => db.close(),
  };
}

const noLease = { owner: null, expires_at: null, lease_ms: null } as const;

/** How long a lease of version 2 holds: it has not said so. */
const leaseMsOfVersion2 = 30_000;

/** The process of a stored owner. */
const processOf = (owner: string): string => owner.slice(0, owner.indexOf('/'));

function heldLease({ id, owner, epoch, heartbeat, expires_at, lease_ms }: RunRow): HeldLease | undefined {
  if (owner === null) return undefined;
  // a process of version 2 renews by the time alone
  return { runId: id, owner, epoch, heartbeat: `${heartbeat}/${expires_at}`, leaseMs: lease_ms ?? leaseMsOfVersion2 };
}
