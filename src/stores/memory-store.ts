import type { JsonObject } from '../ports/json.ts';
import type { AcquiredRun, JournalEntry, Lease, LeaseRequest, RunRecord, RunStore, ThreadRecord } from '../ports/run-store.ts';
import { type HeldLease, LeaseWatch } from './lease-watch.ts';
import { runBusy, runEnded, runExists, runFenced, runUnknown, threadBusy, threadMovedOn, threadOfOtherWorkflow } from './store-errors.ts';

interface StoredRun {
  /** Changed in place, and copied for those who read it. */
  readonly record: { -readonly [K in keyof RunRecord]: RunRecord[K] };
  readonly entries: JournalEntry[];
  /** Who drives it, or keeps its place in the queue. */
  holder: HeldLease | undefined;
}

/** Keeps runs in this process: for tests, and for workflows that need not outlive it. */
export function memoryStore(): RunStore {
  const runs = new Map<string, StoredRun>();
  const threads = new Map<string, ThreadRecord>();
  const structures = new Map<string, JsonObject>();

  const find = (runId: string): StoredRun => {
    const run = runs.get(runId);
    if (run) return run;
    throw runUnknown(runId);
  };
  /** The run, if the lease is still its last one. */
  const held = ({ runId, epoch }: Lease): StoredRun => {
    const run = find(runId);
    if (run.record.epoch === epoch && run.record.status === 'running') return run;
    throw runFenced(runId, epoch);
  };
  // all owners are in this process, and whether one is at work only its renewals tell
  const watch = new LeaseWatch(() => 'alive');

  /** The run that comes first in a thread's queue, of those that were there before `last`. */
  const firstInQueue = (threadId: string, last?: StoredRun): string | undefined => {
    for (const run of runs.values()) {
      if (run === last) return undefined;
      if (run.record.threadId === threadId && run.record.status === 'queued') return run.record.id;
    }
    return undefined;
  };

  /** Gives the run its thread, if it may have it. */
  const takeThread = (run: StoredRun): ThreadRecord | undefined => {
    const { id, threadId, status, threadRevision } = run.record;
    const thread = threadId === undefined ? undefined : threads.get(threadId);
    if (!thread || thread.activeRun === id) return thread;
    const before = thread.activeRun ?? (status === 'queued' ? firstInQueue(thread.id, run) : undefined);
    if (before !== undefined) throw threadBusy(thread.id, before);
    if (status !== 'queued' && threadRevision !== thread.revision) throw threadMovedOn(thread.id, id);
    const taken = { ...thread, activeRun: id };
    threads.set(thread.id, taken);
    return taken;
  };

  return {
    create({ ifBusy, ...run }, entries, request) {
      const { threadId } = run;
      if (runs.has(run.id)) throw runExists(run.id);
      let thread: ThreadRecord | undefined;
      let queued = false;
      if (threadId !== undefined) {
        thread = threads.get(threadId) ?? { id: threadId, workflow: run.workflow, revision: 0, state: null };
        if (thread.workflow !== run.workflow) throw threadOfOtherWorkflow(threadId, thread.workflow);
        const before = thread.activeRun ?? firstInQueue(threadId);
        queued = before !== undefined;
        if (before !== undefined && ifBusy === 'reject') throw threadBusy(threadId, before);
        if (!queued) thread = { ...thread, activeRun: run.id };
        threads.set(threadId, thread);
      }
      const record: RunRecord = {
        ...run,
        ...(thread && !queued ? { threadRevision: thread.revision } : {}),
        status: queued ? 'queued' : 'running',
        seq: entries.length,
        epoch: queued ? 0 : 1,
        crashes: 0,
        activeMs: 0,
        startedAt: request.now,
        updatedAt: request.now,
      };
      runs.set(run.id, { record, entries: [...entries], holder: leaseOf(record, request) });
      return acquired(record, request, thread);
    },
    acquire(runId, request) {
      const { force = false, toEnd = false } = request;
      const run = find(runId);
      const { status, epoch, crashes } = run.record;
      if (status === 'done' || status === 'cancelled') throw runEnded(runId, status);
      const { holder } = run;
      const verdict = watch.judge(force || holder?.owner === request.owner ? undefined : holder, request.owner, request);
      if (!verdict.isFree) throw runBusy(runId, holder?.owner ?? '', verdict);
      const thread = toEnd ? undefined : takeThread(run);
      const { record } = run;
      delete record.wakeAt;
      delete record.failure;
      if (thread) record.threadRevision = thread.revision;
      record.status = 'running';
      record.epoch = epoch + 1;
      record.crashes = status === 'running' ? crashes + Number(holder?.owner !== request.owner) : 0;
      record.updatedAt = request.now;
      run.holder = leaseOf(record, request);
      return acquired(record, request, thread);
    },
    lost: (leases) =>
      leases.filter(({ runId, epoch }) => {
        const record = runs.get(runId)?.record;
        return record?.epoch !== epoch || (record.status !== 'running' && record.status !== 'queued');
      }),
    renew(lease, { leaseMs }) {
      const run = find(lease.runId);
      const { epoch, status } = run.record;
      if (epoch !== lease.epoch || !run.holder || (status !== 'running' && status !== 'queued')) throw runFenced(lease.runId, lease.epoch);
      run.holder = { ...run.holder, leaseMs, heartbeat: Number(run.holder.heartbeat) + 1 };
    },
    append(lease, entry, activeMs) {
      const run = held(lease);
      if (entry.seq !== run.record.seq + 1) throw runFenced(lease.runId, lease.epoch);
      addEntry(run, entry);
      run.record.crashes = 0;
      run.record.activeMs = activeMs;
    },
    settle(lease, { entry, status, activeMs, wakeAt, failure, threadState }) {
      const run = held(lease);
      if (entry && entry.seq !== run.record.seq + 1) throw runFenced(lease.runId, lease.epoch);
      const { record } = run;
      if (entry) addEntry(run, entry);
      record.status = status;
      record.activeMs = activeMs;
      record.crashes = 0;
      if (wakeAt !== undefined) record.wakeAt = wakeAt;
      if (failure !== undefined) record.failure = failure;
      run.holder = undefined;
      const thread = record.threadId === undefined ? undefined : threads.get(record.threadId);
      if (thread?.activeRun !== record.id) return;
      const { activeRun: _, ...free } = thread;
      const ended = status === 'done' || status === 'failed' || status === 'cancelled';
      const next = threadState === undefined ? {} : { state: threadState, revision: thread.revision + 1 };
      threads.set(thread.id, { ...(ended ? free : thread), ...next });
    },
    read: (runId) => {
      const run = runs.get(runId);
      return run && { ...run.record };
    },
    journal: (runId) => [...find(runId).entries],
    list({ workflow, threadId, status, dueBefore, limit = 100 }) {
      const found = [...runs.values()].reverse().flatMap(({ record }) => {
        const fits =
          (workflow === undefined || record.workflow === workflow) &&
          (threadId === undefined || record.threadId === threadId) &&
          (status === undefined || record.status === status) &&
          (dueBefore === undefined || (record.wakeAt ?? Number.POSITIVE_INFINITY) <= dueBefore);
        return fits ? [{ ...record }] : [];
      });
      return found.slice(0, limit);
    },
    readThread: (threadId) => threads.get(threadId),
    mayLive: () => true,
    saveStructure(hash, structure) {
      structures.set(hash, structure);
    },
    readStructure: (hash) => structures.get(hash),
    close() {},
  };
}

function addEntry({ record, entries }: StoredRun, entry: JournalEntry): void {
  entries.push(entry);
  record.seq = entry.seq;
  record.updatedAt = entry.at;
}

const leaseOf = ({ id, epoch }: RunRecord, { owner, leaseMs }: LeaseRequest): HeldLease => ({
  runId: id,
  owner,
  epoch,
  heartbeat: 0,
  leaseMs,
});

function acquired(record: RunRecord, { owner }: LeaseRequest, thread: ThreadRecord | undefined): AcquiredRun {
  return { lease: { runId: record.id, epoch: record.epoch }, record: { ...record }, owner, ...(thread ? { thread } : {}) };
}
