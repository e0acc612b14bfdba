import type { ErrorCode } from '../../core/errors/errors.ts';
import type { Json } from '../../core/ports/json.ts';
import type { AcquiredRun, JournalEntry, LeaseRequest, NewRun, RunStore, Settlement, StoreQuery } from '../../core/ports/run-store.ts';
import { checkRefused } from '../check.ts';

/** Start of every example, in milliseconds since 1970. */
export const startMs: number = Date.UTC(2025, 0, 1);

/** Statuses of a run without a driver. */
export const atRest: readonly Settlement['status'][] = ['paused', 'waiting', 'in_doubt', 'done', 'failed', 'cancelled'];

/** Duration of an example's lease, in milliseconds. */
export const leaseMs = 30_000;

/** Returns a lease request at that time. The owner's monotonic clock starts with the examples. */
export const requestBy = (owner: string, nowMs: number = startMs): LeaseRequest => ({
  owner,
  leaseMs,
  now: nowMs,
  monotonic: nowMs - startMs,
});

/** Waits for a full lease period without a renewal, up to `untilMs`, then takes over the run. */
export async function takeOver(store: RunStore, runId: string, owner: string, untilMs: number): Promise<AcquiredRun> {
  await checkRefused(() => store.acquire(runId, requestBy(owner, untilMs - leaseMs)), 'RUN_BUSY');
  return store.acquire(runId, requestBy(owner, untilMs));
}

export const newRun = (id: string, more: Partial<NewRun> = {}): NewRun => ({
  id,
  workflow: 'example',
  version: '1',
  structure: 'structure of example 1',
  ifBusy: 'reject',
  ...more,
});

export const startEntry = (outcome: Json = { input: null }): JournalEntry => ({
  seq: 1,
  key: 'run',
  kind: 'start',
  outcome,
  events: [{ type: 'run-start', workflow: 'example', version: '1', runId: 'example', seq: 1, at: startMs }],
  epoch: 1,
  at: startMs,
});

export const nodeEntry = (seq: number, more: Partial<JournalEntry> = {}): JournalEntry => ({
  seq,
  key: `node#${seq}`,
  kind: 'node',
  outcome: { output: { number: seq } },
  events: [{ type: 'custom', name: 'note', data: seq, seq, at: startMs + seq, node: `node#${seq}` }],
  epoch: 1,
  at: startMs + seq,
  ...more,
});

export const settleEntry = (seq: number, outcome: Json = { status: 'done' }): JournalEntry =>
  nodeEntry(seq, { key: 'run', kind: 'settle', outcome, events: [] });

/** Creates a run of the owner `o_1`. */
export const begin = async (store: RunStore, id: string, more: Partial<NewRun> = {}): Promise<AcquiredRun> =>
  store.create(newRun(id, more), [startEntry()], requestBy('o_1'));

/** Creates a run and settles it, with only the start entry in its journal. */
export async function beginAndSettle(
  store: RunStore,
  id: string,
  { status, ...settlement }: Partial<Settlement> & Pick<Settlement, 'status'>,
  more: Partial<NewRun> = {},
): Promise<void> {
  const { lease } = await begin(store, id, more);
  await store.settle(lease, { activeMs: 0, ...settlement, status });
}

/** Returns everything that a store holds about a run and its thread. */
export async function contentsOf(store: RunStore, runId: string): Promise<unknown> {
  const record = await store.read(runId);
  const thread = record?.threadId === undefined ? undefined : await store.readThread(record.threadId);
  return { record, thread, journal: await store.journal(runId) };
}

export const idsOf = async (store: RunStore, query: StoreQuery = {}): Promise<readonly string[]> =>
  (await store.list(query)).map(({ id }) => id);

/** Starts all `works` at once and returns the number that succeed. The others must fail with `code`. */
export async function countWinners(works: readonly (() => unknown)[], code: ErrorCode): Promise<number> {
  const outcomes = await Promise.allSettled(works.map(async (work) => work()));
  for (const outcome of outcomes) if (outcome.status === 'rejected') await checkRefused(() => Promise.reject(outcome.reason), code);
  return outcomes.filter(({ status }) => status === 'fulfilled').length;
}
