import { WorkflowError } from '../../core/errors/errors.ts';
import type { Json, JsonObject } from '../../core/ports/json.ts';
import type { AcquiredRun, JournalEntry, Lease } from '../../core/ports/run-store.ts';
import type { GuardEvent } from '../../core/util/apply-guards.ts';
import { hasCode } from '../../core/util/has-code.ts';
import type { AnyWorkflow } from '../define/define-workflow.ts';
import { retryStore } from '../drive/retry-store.ts';
import type { ActiveRun } from './active-run.ts';
import { cancel, settleCancelled } from './cancel.ts';
import { copyEntries } from './fork-entries.ts';
import type { LeasedRun } from './runs-in-progress.ts';
import type { StartOptions } from './runtime.ts';
import type { RuntimeCore } from './runtime-core.ts';
import { threadAfter } from './thread-state.ts';

/** Interval at which a queued run checks whether its thread is free, in milliseconds. */
const queuePollMs = 200;

export interface NewRunOptions {
  readonly workflow: AnyWorkflow;
  /** Content of the run's `start` entry. */
  readonly outcome: JsonObject;
  readonly ifBusy: NonNullable<StartOptions['ifBusy']>;
  /** @default 0 */
  readonly priority?: number | undefined;
  /** False leaves the run to a worker as soon as it may be driven. @default true */
  readonly drive?: boolean | undefined;
  /** Verdicts of the guards about the input. @default none */
  readonly verdicts?: readonly GuardEvent[];
  /** Entries that a fork keeps of another run's journal. */
  readonly copied?: readonly JournalEntry[];
  /** Called when the run is in the store, driven or queued. */
  readonly onCreated?: () => void;
}

/** Adds a new run to the store. If `ifBusy` is `queue`, waits until its thread is free. */
export async function createRun(
  core: RuntimeCore,
  run: ActiveRun<unknown>,
  { workflow, outcome, ifBusy, priority, drive = true, verdicts = [], copied = [], onCreated }: NewRunOptions,
): Promise<LeasedRun> {
  const { store, clock, runs } = core;
  const { id, threadId } = run;
  const { version, structureHash: structure, model } = workflow;
  if (!core.workflows.isSaved(workflow)) await core.workflows.save(workflow);
  const thread = threadId === undefined ? {} : { threadId };
  const begun = threadId === undefined ? outcome : { ...outcome, ...(await threadGiven(core, workflow, threadId, outcome.after)) };
  run.log.emit({ type: 'run-start', workflow: workflow.id, version, runId: id, ...thread, ...(model === undefined ? {} : { model }) });
  for (const verdict of verdicts) run.log.emit(verdict);
  const entry: JournalEntry = { seq: 1, key: 'run', kind: 'start', outcome: begun, events: run.log.take(), epoch: 1, at: clock.now() };
  run.learn(entry);
  const copies = copyEntries(copied, run.log.seq, entry.at);
  const record = { id, workflow: workflow.id, version, structure, ...thread, ...(priority ? { priority } : {}) };
  for (;;) {
    try {
      const created = await runs.take((request) =>
        store.create({ ...record, ifBusy: ifBusy === 'queue' ? 'queue' : 'reject' }, [entry, ...copies], request),
      );
      onCreated?.();
      for (const copy of copies) run.adopt(copy);
      if (!drive) run.stop('paused', true);
      return created.record.status === 'queued' ? await waitForThread(core, run, created) : created;
    } catch (cause) {
      const holder = ifBusy === 'cancel-and-replace' ? holderOf(cause) : undefined;
      if (holder === undefined) throw cause;
      await cancel(core, holder).catch(ignoreEnded);
    }
  }
}

/** State of the thread that a run with `after` begins with. */
async function threadGiven(
  { store, clock }: RuntimeCore,
  workflow: AnyWorkflow,
  threadId: string,
  after: Json | undefined,
): Promise<JsonObject> {
  if (after !== null && typeof after !== 'string') return {};
  const thread = await threadAfter(store, clock, workflow, { threadId, after });
  return workflow.thread ? { thread } : {};
}

/** Waits until a queued run is the next one of its thread. If this process was stalled, another driver may have taken the run meanwhile. */
async function waitForThread(core: RuntimeCore, run: ActiveRun<unknown>, { lease, record: { seq } }: AcquiredRun): Promise<LeasedRun> {
  const { store, clock, runs } = core;
  run.place = lease;
  let helpAt = 0;
  for (;;) {
    if (run.stopRequest === undefined) await new Promise<void>((resolve) => clock.schedule(queuePollMs, resolve));
    if (run.stopRequest === 'cancelled') await settleCancelled(core, run.id);
    if (run.stopRequest !== undefined) {
      run.place = undefined; // stops the renewal of the place
      await giveUpPlace(core, lease);
      throw new WorkflowError({ code: 'RUN_SUSPENDED', message: 'The run was suspended while it was queued.' });
    }
    try {
      return await retryStore(() => runs.take((request) => store.acquire(run.id, { ...request, seq })), clock, core.closing);
    } catch (cause) {
      const holder = holderOf(cause);
      if (holder === undefined) throw cause;
      if (clock.monotonic() < helpAt) continue;
      helpAt = clock.monotonic() + core.leaseMs / 3;
      void help(core, holder);
    }
  }
}

/**
 * Ends the lease on the place of a suspended run, so that no process waits for its owner. The run keeps its place in the queue. Never
 * rejects.
 */
async function giveUpPlace({ store, runs }: RuntimeCore, place: Lease): Promise<void> {
  try {
    await store.renew(place, { ...runs.leaseRequest(), leaseMs: 0 });
  } catch {
    // another process has taken the place, or the store is unavailable and the place expires
  }
}

/** Resumes a run that blocks its thread, if the run's process has died. Never rejects. */
async function help(core: RuntimeCore, runId: string): Promise<void> {
  if (core.runs.get(runId)) return;
  try {
    const record = await core.store.read(runId);
    if (record?.status === 'running' || record?.status === 'queued') await core.resume(runId, { asWork: true });
  } catch {
    // its process is alive, or the run cannot be resumed here: the queue keeps waiting
  }
}

/** Id of the run that owns the requested thread. */
function holderOf(cause: unknown): string | undefined {
  if (!hasCode(cause, 'THREAD_BUSY')) return undefined;
  const runId = cause.data?.runId;
  return typeof runId === 'string' ? runId : undefined;
}

const ignoreEnded = (cause: unknown): void => {
  if (!hasCode(cause, 'RUN_ENDED')) throw cause;
};
