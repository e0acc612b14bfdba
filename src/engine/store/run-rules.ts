import { fleetStateOf } from '../../core/ports/fleet-state.ts';
import type { FoundRun, RunChange, RunHead, RunPlace, RunStorage, StoredLease, StoredRun } from '../../core/ports/run-storage.ts';
import {
  type AcquiredRun,
  type AcquireRequest,
  type Awaitable,
  type CancelledRun,
  type CancelRequest,
  hasEndedForGood,
  type JournalEntry,
  type Lease,
  type LeaseRequest,
  type NewRun,
  type RunGroup,
  type RunRecord,
  type RunStore,
  resultStatus,
  type Settlement,
  type StoreTally,
  type ThreadRecord,
} from '../../core/ports/run-store.ts';
import { assertRemovable } from './assert-removable.ts';
import { type HeldLease, LeaseWatch } from './lease-watch.ts';
import type { ProcessState } from './process-state.ts';
import {
  commitsLost,
  drivenUnsupported,
  leasedRunMissing,
  runBlocked,
  runBusy,
  runChanged,
  runEnded,
  runExists,
  runFenced,
  runUnknown,
  threadUnknown,
} from './store-errors.ts';
import { clearEntries, clearThread, clearTurns } from './store-key.ts';
import { joinThread, leaveThread, takeThread } from './thread-rules.ts';
import { readTurns } from './thread-turns.ts';

/** Names the owners of leases, and reports their states. */
export interface OwnerNames {
  nameOf(owner: string): string;
  stateOf(name: string): ProcessState;
}

interface RunToAcquire extends RunChange {
  readonly given?: ThreadRecord | undefined;
}

/** Applies the rules of runs to any storage. */
export function runRules(storage: RunStorage, owners: OwnerNames): RunStore {
  const watch = new LeaseWatch((owner) => owners.stateOf(owner));
  const write = ({ runId }: Lease, reads: RunPlace['reads'], decide: (found: FoundRun) => RunChange): Awaitable<void> =>
    after(storage.change({ runId, reads }, decide), () => {});

  return {
    create(run, entries, request) {
      const place = { runId: run.id, threadId: run.threadId, reads: 'queue', keyId: request.keyId ?? '' } as const;
      const lease = giveLease(owners.nameOf(request.owner), request, undefined);
      return after(
        storage.change(place, (found) => begin(found, run, entries, lease)),
        toAcquired,
      );
    },
    acquire(runId, request) {
      const owner = owners.nameOf(request.owner);
      return after(
        storage.change(
          { runId, reads: 'queue', driven: request.fits !== undefined, atOnce: request.atOnce, keyId: request.keyId ?? '' },
          (found) => takeOver(found, runId, request, owner, watch),
        ),
        toAcquired,
      );
    },
    lost: (leases) =>
      after(storage.heads(leases.map(({ runId }) => runId)), (heads) =>
        leases.filter((lease) => !heads.some((head) => head.id === lease.runId && isHeld(lease, head))),
      ),
    renew: (lease, request) => write(lease, 'run', (found) => renew(found, lease, request)),
    append(lease, entry, activeMs) {
      return after(storage.advance?.(lease, entry, activeMs), (isDone) =>
        isDone ? undefined : write(lease, 'run', (found) => append(found, lease, entry, activeMs)),
      );
    },
    settle: (lease, settlement) => write(lease, 'thread', (found) => settle(found, lease, settlement)),
    cancel: (runId, request) =>
      after(
        storage.change({ runId, reads: 'thread' }, (found) => cancel(found, runId, request)),
        toCancelled,
      ),
    read: (runId) => after(storage.read(runId), (run) => run?.record),
    journal: (runId) =>
      after(storage.journal(runId), (entries) => {
        if (!entries) throw runUnknown(runId);
        return clearEntries(entries);
      }),
    list: ({ limit = 100, ...query }) => storage.list({ ...query, limit }),
    turns: (threadId, { order = 'newest', limit = 30, beyond }) => {
      const query = { order, limit, ...(beyond === undefined ? {} : { beyond }) };
      return after(storage.turns?.(threadId, query) ?? readTurns(storage, threadId, query), clearTurns);
    },
    readThread: (threadId) =>
      after(storage.readThread(threadId), (found) => {
        if (found.lost) throw found.lost;
        return clearThread(found.record);
      }),
    nameThread: (threadId, title) => nameThread(storage, threadId, title, ''),
    threadTitles: (threadIds) => storage.threadTitles?.(threadIds) ?? titlesOf(storage, threadIds),
    ...ratingsOf(storage),
    tally: () => storage.tally?.() ?? after(storage.list({ limit: Number.MAX_SAFE_INTEGER }), tallyOf),
    remove: (place) => storage.remove([place], assertRemovable),
    mayLive: (owner) => owners.stateOf(owner) !== 'gone',
    saveStructure: (hash, structure) => storage.saveStructure(hash, structure, ''),
    readStructure: (hash) => storage.readStructure(hash),
    storage,
    close: () => storage.close(),
  };
}

function begin({ run, thread: found }: FoundRun, newRun: NewRun, entries: readonly JournalEntry[], lease: StoredLease): RunToAcquire {
  const { ifBusy: _, ...fields } = newRun;
  if (run) throw runExists(fields.id);
  const joined = fields.threadId === undefined ? undefined : joinThread(newRun, fields.threadId, found);
  const isQueued = joined !== undefined && joined.activeRun !== fields.id;
  const thread = isQueued ? undefined : joined;
  const record: RunRecord = {
    ...fields,
    ...(thread ? { threadRevision: thread.revision } : {}),
    status: isQueued ? 'queued' : 'running',
    seq: entries.length,
    epoch: isQueued ? 0 : 1,
    crashes: 0,
    activeMs: 0,
    startedAt: lease.renewedAt,
    updatedAt: lease.renewedAt,
  };
  return { run: { record, lease }, entries, given: joined, thread };
}

function takeOver(
  { run, thread: found, driven }: FoundRun,
  runId: string,
  request: AcquireRequest,
  owner: string,
  watch: LeaseWatch,
): RunToAcquire {
  if (!run) throw runUnknown(runId);
  const { wakeAt: _, failure: __, sleeps: ___, ...before } = run.record;
  if (hasEndedForGood(before.status)) throw runEnded(runId, resultStatus(run.record));
  // Decision 402: a stalled process must not repeat the steps of a run that has moved on.
  // epoch 0: the lease of a place in a queue
  if (request.seq !== undefined && request.seq !== before.seq) throw runChanged(runId, 0, { known: request.seq, found: before.seq });
  if (request.epoch !== undefined && request.epoch !== before.epoch) throw runBlocked(runId);
  const isOwn = run.lease?.owner === owner;
  const verdict = watch.judge(isOwn ? undefined : heldLease(run), owner, request);
  if (!verdict.isFree && !request.force) throw runBusy(runId, run.lease?.owner ?? '', verdict);
  const thread = takeThread(before, found);
  // Decision 404: counted from leases, because a dead worker could not return a slot.
  if (request.fits) {
    if (!driven) throw drivenUnsupported();
    const others = driven.filter((each) => each.record.id !== runId && !watch.judge(heldLease(each), owner, request).isFree);
    if (!request.fits(before, others.map(toRecord))) throw runBlocked(runId);
  }
  const record: RunRecord = {
    ...before,
    ...(thread ? { threadRevision: thread.revision } : {}),
    status: 'running',
    epoch: before.epoch + 1,
    // a takeover by force from a working owner is no crash
    crashes: before.status === 'running' ? before.crashes + Number(!isOwn && verdict.isFree) : 0,
    updatedAt: request.now,
  };
  const lease = giveLease(owner, request, run.lease);
  return { run: { record, lease }, entries: [], given: thread, thread: thread === found?.record ? undefined : thread };
}

function renew({ run }: FoundRun, lease: Lease, request: LeaseRequest): RunChange {
  if (!run?.lease || !isHeld(lease, run.record)) throw runFenced(lease.runId, lease.epoch);
  return { run: { record: run.record, lease: giveLease(run.lease.owner, request, run.lease) }, entries: [] };
}

function append({ run }: FoundRun, lease: Lease, entry: JournalEntry, activeMs: number): RunChange {
  const driven = drivenRun(lease, run, entry);
  return { run: { ...driven, record: advancedRecord(driven.record, entry, activeMs) }, entries: [entry] };
}

/** Adds an entry to the record of a driven run. */
export const advancedRecord = (record: RunRecord, { seq, at }: JournalEntry, activeMs: number): RunRecord => ({
  ...record,
  seq,
  updatedAt: at,
  crashes: 0,
  activeMs,
});

function settle({ run, thread: found }: FoundRun, lease: Lease, settlement: Settlement): RunChange {
  const { entry, status, activeMs, wakeAt, sleeps, failure, machine } = settlement;
  const before = drivenRun(lease, run, entry).record;
  const record: RunRecord = {
    ...before,
    ...machine,
    ...(entry ? { seq: entry.seq, updatedAt: entry.at } : {}),
    ...(wakeAt === undefined ? {} : { wakeAt }),
    ...(sleeps ? { sleeps } : {}),
    ...(failure === undefined ? {} : { failure }),
    status,
    activeMs,
    crashes: 0,
  };
  return { run: { record }, entries: entry ? [entry] : [], thread: leaveThread(before, settlement, found) };
}

/** Takes over and settles a run in one change, so that no other caller can intervene. */
function cancel({ run, thread }: FoundRun, runId: string, { now, seen }: CancelRequest): RunChange {
  if (!run) throw runUnknown(runId);
  const { wakeAt: _, failure: __, sleeps: ___, ...before } = run.record;
  if (hasEndedForGood(before.status)) throw runEnded(runId, resultStatus(run.record));
  if (seen && seen.seq !== before.seq) throw runChanged(runId, before.epoch, { known: seen.seq, found: before.seq });
  const epoch = before.epoch + 1;
  const record: RunRecord = { ...before, status: 'running', epoch };
  const entry: JournalEntry = {
    seq: before.seq + 1,
    key: 'run',
    kind: 'settle',
    outcome: { status: 'cancelled' },
    events: seen ? [{ type: 'run-end', status: 'cancelled', seq: seen.events + 1, at: now }] : [],
    epoch,
    at: now,
  };
  return settle({ run: { record }, thread }, { runId, epoch }, { status: 'cancelled', activeMs: before.activeMs, entry });
}

/** @param keyId as in `RunPlace`. */
export const nameThread = (storage: RunStorage, threadId: string, title: string | undefined, keyId: string): Awaitable<void> =>
  after(storage.list({ threadId, limit: 1 }), ([run]) => {
    if (!run) throw threadUnknown(threadId);
    return after(
      storage.change({ runId: run.id, reads: 'thread', keyId }, (found) => renamed(found, threadId, title)),
      () => {},
    );
  });

/** Renames a thread and leaves the run unchanged. */
function renamed({ run, thread: found }: FoundRun, threadId: string, title: string | undefined): RunChange {
  if (!run || !found?.record) throw found?.lost ?? threadUnknown(threadId);
  const { title: _, ...thread } = found.record;
  return { run, entries: [], thread: { ...thread, ...(title === undefined ? {} : { title }) } };
}

function ratingsOf({ rate, ratings }: RunStorage): Pick<RunStore, 'rate' | 'ratings'> {
  if (!rate || !ratings) return {};
  return {
    rate: (runId, rating) =>
      after(rate(runId, rating), (isThere) => {
        if (!isThere) throw runUnknown(runId);
      }),
    ratings: (runIds) => ratings(runIds),
  };
}

async function titlesOf(storage: RunStorage, threadIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const found = await Promise.all(threadIds.map(async (id) => [id, (await storage.readThread(id)).record?.title] as const));
  return new Map(found.flatMap(([id, title]) => (title === undefined ? [] : [[id, title] as const])));
}

function tallyOf(records: readonly RunRecord[]): StoreTally {
  const groups = new Map<string, RunGroup>();
  for (const record of records) {
    const { workflow, failure, updatedAt } = record;
    const state = fleetStateOf(record);
    const code = state === 'failed' ? failure : undefined;
    const key = JSON.stringify([workflow, state, code]);
    const { count = 0, oldestAt = updatedAt } = groups.get(key) ?? {};
    groups.set(key, {
      workflow,
      state,
      ...(code === undefined ? {} : { code }),
      count: count + 1,
      oldestAt: Math.min(oldestAt, updatedAt),
    });
  }
  const threads = new Set(records.flatMap(({ threadId }) => threadId ?? []));
  return { threads: threads.size, runs: [...groups.values()] };
}

/**
 * Returns the run if the lease may write to it.
 * @throws {WorkflowError} `RUN_FENCED` if the lease is outdated, or `entry` is not the next one.
 */
function drivenRun({ runId, epoch }: Lease, run: StoredRun | undefined, entry: JournalEntry | undefined): StoredRun {
  const isDriven = run?.record.epoch === epoch && run.record.status === 'running';
  if (isDriven && (!entry || entry.seq === run.record.seq + 1)) return run;
  if (!run) throw leasedRunMissing(runId, epoch);
  const { record } = run;
  if (record.epoch < epoch) throw commitsLost(runId, epoch, `its lease is ${record.epoch}, but lease ${epoch} writes to it`);
  if (isDriven && entry && entry.seq > record.seq + 1)
    throw commitsLost(runId, epoch, `it has ${record.seq} entries, but the next entry is ${entry.seq}`);
  throw runFenced(runId, epoch);
}

/** True while a lease holds a run, or its place in the queue. */
const isHeld = ({ epoch }: Lease, head: RunHead): boolean =>
  head.epoch === epoch && (head.status === 'running' || head.status === 'queued');

const giveLease = (owner: string, { leaseMs, now }: LeaseRequest, before: StoredLease | undefined): StoredLease => ({
  owner,
  leaseMs,
  renewedAt: now,
  heartbeat: (before?.heartbeat ?? 0) + 1,
});

const toRecord = ({ record }: StoredRun): RunRecord => record;

const heldLease = ({ record: { id, epoch }, lease }: StoredRun): HeldLease | undefined =>
  lease && { runId: id, epoch, owner: lease.owner, leaseMs: lease.leaseMs, heartbeat: lease.heartbeat };

const toAcquired = ({ run: { record, lease }, given }: RunToAcquire): AcquiredRun => ({
  lease: { runId: record.id, epoch: record.epoch },
  record,
  owner: lease?.owner ?? '',
  ...(given ? { thread: given } : {}),
});

function toCancelled({ run: { record }, entries: [entry] }: RunChange): CancelledRun {
  if (!entry) throw runFenced(record.id, record.epoch); // the storage returns the decided change, which has an entry
  return { lease: { runId: record.id, epoch: record.epoch }, record, entry };
}

function after<T, TNext>(value: Awaitable<T>, next: (value: T) => Awaitable<TNext>): Awaitable<TNext> {
  return value instanceof Promise ? value.then(next) : next(value);
}
