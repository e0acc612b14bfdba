import { toErrorInfo, WorkflowError } from '../errors.ts';
import type { JsonObject } from '../ports/json.ts';
import type { AcquiredRun, JournalEntry, Lease, RunRecord } from '../ports/run-store.ts';
import { memoryStore } from '../stores/memory-store.ts';
import { runEnded } from '../stores/store-errors.ts';
import { assertId, newId } from '../util/ids.ts';
import { systemClock } from '../util/system-clock.ts';
import { toJson } from '../util/to-json.ts';
import type { AnyWorkflow, Workflow } from '../workflow/define-workflow.ts';
import { structureDifferences } from '../workflow/graph.ts';
import { ActiveRun, type PrepareDrive } from './active-run.ts';
import { findAnswer, interruptAnswered, isSameAnswer } from './answer.ts';
import { forkEntries } from './fork-entries.ts';
import type { HumanEvent } from './host.ts';
import { type Limits, parseLimits } from './limits.ts';
import type { Run } from './run.ts';
import { RunsInProgress } from './runs-in-progress.ts';
import type { ForkOptions, Resolution, ResumeOptions, Runtime, RuntimeOptions, StartOptions } from './runtime.ts';
import { readStart } from './start-entry.ts';
import { endOf, isInDoubt, readRun, readRunInfo, readThreadInfo, type StoredRun } from './stored-runs.ts';
import { threadStateAt } from './thread-state.ts';

/** Crashes in a row, without a new entry in the journal, after which a run is not taken up again by itself. */
const maxCrashes = 3;

/** How often a queued run looks whether its thread is free, in milliseconds. */
const queuePollMs = 200;

/** How a stored run is taken up. */
interface TakeUp extends ResumeOptions {
  /** Looks at the journal under the lease; throws to put the run back as it was. */
  readonly verify?: (entries: readonly JournalEntry[]) => void;
  /** Writes to the journal before the machine moves. */
  readonly prepare?: PrepareDrive;
  /** Is given the run before it is driven, or while it is. */
  readonly atHand?: (run: ActiveRun<unknown>) => void;
  /** The run as it has just been read, by a caller that had to look. */
  readonly stored?: StoredRun;
}

/**
 * Makes a runtime: starts workflows, and continues them from their journals.
 *
 * @throws {WorkflowError} `OPTION_INVALID`.
 * @example
 * const runtime = createRuntime({ store: sqliteStore({ path: 'agents.db' }), workflows: [planExecute()] });
 */
export function createRuntime(options: RuntimeOptions = {}): Runtime {
  const { store = memoryStore(), clock = systemClock, leaseMs = 30_000 } = options;
  const defaultLimits = parseLimits(options.limits);
  const workflows = new Map<string, AnyWorkflow>((options.workflows ?? []).map((workflow) => [workflow.id, workflow]));
  const savedStructures = new Set<string>();
  const runs = new RunsInProgress({ store, clock, leaseMs, wake: (runId) => takeUp(runId, {}) });
  /** Runs that are being acquired: two callers in one process share one drive. */
  const beingTakenUp = new Map<string, Promise<ActiveRun<unknown>>>();
  let closed = false;

  const limitsOf = (limits: Partial<Limits> | undefined): Limits => (limits ? parseLimits({ ...defaultLimits, ...limits }) : defaultLimits);

  const assertOpen = (): void => {
    if (closed) throw new WorkflowError({ code: 'RUNTIME_CLOSED', message: 'The runtime is closed.', hint: 'Create another one.' });
  };

  const workflowOf = async ({ id, workflow: name, version, structure }: RunRecord): Promise<AnyWorkflow> => {
    const workflow = workflows.get(name);
    if (!workflow) throw workflowUnknown(id, name);
    if (structure === workflow.structureHash && version === workflow.version) return workflow;
    const before = await store.readStructure(structure);
    const differences = before ? structureDifferences(before, workflow.structure) : [`its structure ${structure} is not in the store`];
    throw new WorkflowError({
      code: 'JOURNAL_OF_OTHER_MACHINE',
      message: `The run ${id} was started on another machine "${name}": ${differences.join('; ')}.`,
      hint: 'Resume it with the version that it was started with, or start a new run.',
      data: { runId: id, workflow: name, version, currentVersion: workflow.version, differences },
    });
  };

  const start = <TInput, TState, TOutput>(
    workflow: Workflow<TInput, TState, TOutput>,
    input: TInput,
    { threadId, ifBusy = 'reject', limits, metadata }: StartOptions = {},
  ): Run<TOutput> => {
    assertOpen();
    if (threadId !== undefined) assertId(threadId, 'thread');
    const stored = toJson(workflow.parseInput(input), 'input');
    const outcome = { input: stored, ...(metadata === undefined ? {} : { metadata: toJson(metadata, 'metadata') }) };
    const untyped = workflow as AnyWorkflow;
    workflows.set(workflow.id, untyped);
    const run = new ActiveRun<TOutput>(newId('r'), threadId, { workflow: untyped, store, clock, limits: limitsOf(limits), entries: [] });
    void runs.drive(run as ActiveRun<unknown>, () => create(run as ActiveRun<unknown>, untyped, outcome, ifBusy));
    return run;
  };

  const create = async (
    run: ActiveRun<unknown>,
    workflow: AnyWorkflow,
    outcome: JsonObject,
    ifBusy: NonNullable<StartOptions['ifBusy']>,
  ): Promise<AcquiredRun> => {
    const { id, threadId } = run;
    const { version, structureHash: structure, model } = workflow;
    if (!savedStructures.has(structure)) {
      await store.saveStructure(structure, workflow.structure);
      savedStructures.add(structure);
    }
    const thread = threadId === undefined ? {} : { threadId };
    run.log.emit({ type: 'run-start', workflow: workflow.id, version, runId: id, ...thread, ...(model === undefined ? {} : { model }) });
    const entry: JournalEntry = { seq: 1, key: 'run', kind: 'start', outcome, events: run.log.take(), epoch: 1, at: clock.now() };
    run.learn(entry);
    const record = { id, workflow: workflow.id, version, structure, ...thread };
    for (;;) {
      try {
        const created = await store.create({ ...record, ifBusy: ifBusy === 'queue' ? 'queue' : 'reject' }, entry, runs.leaseRequest());
        return created.record.status === 'queued' ? await waitForThread(run, created.lease) : created;
      } catch (cause) {
        const holder = ifBusy === 'cancel-and-replace' ? holderOf(cause) : undefined;
        if (holder === undefined) throw cause;
        await cancel(holder).catch(ignoreEnded);
      }
    }
  };

  /** Waits until a queued run is the next one of its thread. */
  const waitForThread = async (run: ActiveRun<unknown>, place: Lease): Promise<AcquiredRun> => {
    run.place = place;
    for (;;) {
      await new Promise<void>((resolve) => clock.schedule(queuePollMs, resolve));
      if (run.asked === 'cancelled') await settleCancelled(run.id);
      if (run.asked !== undefined) throw new WorkflowError({ code: 'RUN_PUT_DOWN', message: 'The run was put down while it was queued.' });
      try {
        return await store.acquire(run.id, runs.leaseRequest());
      } catch (cause) {
        if (holderOf(cause) === undefined) throw cause;
      }
    }
  };

  const takeUp = async (runId: string, options: TakeUp): Promise<ActiveRun<unknown>> => {
    assertOpen();
    assertId(runId, 'run');
    const here = runs.get(runId) ?? beingTakenUp.get(runId);
    if (here) {
      const run = await here;
      options.atHand?.(run);
      return run;
    }
    const taking = acquire(runId, options);
    beingTakenUp.set(runId, taking);
    try {
      return await taking;
    } finally {
      beingTakenUp.delete(runId);
    }
  };

  const acquire = async (runId: string, options: TakeUp): Promise<ActiveRun<unknown>> => {
    const { limits, force = false, verify, prepare, atHand, stored } = options;
    let { record, entries } = stored ?? (await readRun(store, runId));
    const workflow = await workflowOf(record);
    const toRun = (): ActiveRun<unknown> =>
      new ActiveRun<unknown>(runId, record.threadId, { workflow, store, clock, limits: limitsOf(limits), entries });
    const end = endOf(record, entries);
    if (end && end.status !== 'failed') {
      const ended = toRun();
      ended.conclude(end);
      return ended;
    }
    if (record.crashes >= maxCrashes && !force) throw runPoisoned(record);
    const acquired = await store.acquire(runId, { ...runs.leaseRequest(), force });
    runs.cancelWake(runId);
    const { status: before } = record;
    try {
      // somebody may have written between the look and the lease
      if (acquired.record.seq !== entries.length) ({ record, entries } = await readRun(store, runId));
      verify?.(entries);
    } catch (cause) {
      const status = before === 'running' || before === 'queued' ? 'paused' : before;
      await store.settle(acquired.lease, { status, activeMs: acquired.record.activeMs });
      throw cause;
    }
    const run = toRun();
    atHand?.(run);
    void runs.drive(run, () => acquired, prepare);
    return run;
  };

  const send = async (runId: string, sent: HumanEvent, { interruptId }: { readonly interruptId: string }): Promise<Run<unknown>> => {
    assertOpen();
    assertId(runId, 'run');
    const event = toJson(sent, 'event') as unknown as HumanEvent;
    if (typeof event?.type !== 'string') {
      throw new WorkflowError({ code: 'EVENT_INVALID', message: 'An event needs a type.', hint: "Send { type: 'APPROVE' }, for example." });
    }
    for (;;) {
      const stored = await readRun(store, runId);
      const { record, entries } = stored;
      const answer = findAnswer(entries, interruptId);
      if (answer && isSameAnswer(answer, event)) return takeUp(runId, {});
      if (answer) throw interruptAnswered(answer, event);
      const end = endOf(record, entries);
      if (end) throw runEnded(runId, end.status);
      let accepted: Promise<void> | undefined;
      let run: ActiveRun<unknown> | undefined;
      const atHand = (found: ActiveRun<unknown>): void => {
        run = found;
        accepted = found.offer(interruptId, event);
        accepted.catch(() => {}); // awaited below
      };
      try {
        run = await takeUp(runId, { atHand, stored });
        await accepted;
        return run;
      } catch (cause) {
        if (!WorkflowError.isInstance(cause)) throw cause;
        // it was being put down when the answer came: take it up again
        if (cause.code === 'RUN_PUT_DOWN') await run?.result;
        // somebody else was faster: that answer is in the journal now
        else if (!raceCodes.has(cause.code) || !findAnswer(await store.journal(runId), interruptId)) throw cause;
      }
    }
  };

  const resolve = async (runId: string, callId: string, resolution: Resolution): Promise<Run<unknown>> => {
    const output = resolution.as === 'done' ? toJson(resolution.output, 'output') : null;
    let prepared = false;
    const verify = (entries: readonly JournalEntry[]): void => {
      if (!isInDoubt(entries, callId)) throw callUnknown(runId, callId);
      prepared = true;
    };
    const run = await takeUp(runId, {
      verify,
      prepare: async (host) => {
        if (resolution.as === 'retry') await host.resolve(callId, 'retry', null);
        else if (resolution.as === 'done') await host.resolve(callId, 'step', { output, byHuman: true });
        else await host.resolve(callId, 'step', { error: aborted(callId) });
      },
    });
    // it has ended, or is driven already: then no call of it is in doubt
    if (!prepared) throw callUnknown(runId, callId);
    return run;
  };

  const pause = async (runId: string): Promise<void> => {
    const run = runs.get(runId);
    run?.stop('paused');
    await run?.result;
  };

  const cancel = async (runId: string): Promise<void> => {
    assertId(runId, 'run');
    const here = runs.get(runId);
    here?.stop('cancelled');
    if ((await here?.result)?.status !== 'cancelled') await settleCancelled(runId);
  };

  /** Ends a run that nobody here drives. */
  const settleCancelled = async (runId: string): Promise<void> => {
    runs.cancelWake(runId);
    const { lease, record } = await store.acquire(runId, { ...runs.leaseRequest(), force: true, toEnd: true });
    const entries = await store.journal(runId);
    const at = clock.now();
    const seq = 1 + entries.reduce((count, { events }) => count + events.length, 0);
    await store.settle(lease, {
      status: 'cancelled',
      activeMs: record.activeMs,
      entry: {
        seq: record.seq + 1,
        key: 'run',
        kind: 'settle',
        outcome: { status: 'cancelled' },
        events: [{ type: 'run-end', status: 'cancelled', seq, at }],
        epoch: lease.epoch,
        at,
      },
    });
  };

  const fork = async (runId: string, forkOptions: ForkOptions): Promise<Run<unknown>> => {
    assertOpen();
    assertId(runId, 'run');
    const { record, entries } = await readRun(store, runId);
    const workflow = await workflowOf(record);
    const kept = forkEntries(runId, entries, forkOptions);
    const { input, metadata, thread } = readStart(runId, entries);
    const threadBefore = thread ?? (await threadStateAt(store, clock, workflow, record));
    const outcome = {
      input,
      ...(metadata ? { metadata } : {}),
      ...(threadBefore === undefined ? {} : { thread: threadBefore }),
      forkOf: { runId, at: forkOptions.at },
    };
    const limits = limitsOf(forkOptions.limits);
    const run = new ActiveRun<unknown>(newId('r'), undefined, { workflow, store, clock, limits, entries: [] });
    void runs.drive(run, async () => {
      const created = await create(run, workflow, outcome, 'reject');
      let seq = run.log.seq;
      for (const entry of kept) {
        const events = entry.events.map((event) => ({ ...event, seq: ++seq }));
        const copy = { ...entry, events, epoch: created.lease.epoch, at: clock.now() };
        await store.append(created.lease, copy, 0);
        run.log.adopt(events);
        run.learn(copy);
      }
      return created;
    });
    return run;
  };

  return {
    start,
    resume: (runId, resumeOptions = {}) => takeUp(runId, resumeOptions),
    send,
    resolve,
    pause,
    cancel,
    fork,
    async get(runId) {
      assertId(runId, 'run');
      return readRunInfo(store, runId);
    },
    async list(query = {}) {
      return store.list(query);
    },
    async history(runId) {
      assertId(runId, 'run');
      return store.journal(runId);
    },
    async *events(runId, { from = 1 } = {}) {
      assertId(runId, 'run');
      const here = runs.get(runId);
      if (here) return yield* here.log.read(from);
      for (const { events } of await store.journal(runId)) for (const event of events) if (event.seq >= from) yield event;
    },
    async thread(threadId) {
      assertId(threadId, 'thread');
      return readThreadInfo(store, threadId);
    },
    async close() {
      closed = true;
      await runs.close();
    },
  };
}

/** What a caller sees when somebody else has the run, or was faster. */
const raceCodes: ReadonlySet<string> = new Set(['RUN_BUSY', 'RUN_FENCED', 'INTERRUPT_UNKNOWN', 'INTERRUPT_ANSWERED']);

/** The run that owns the thread which a new run wants. */
function holderOf(cause: unknown): string | undefined {
  if (!WorkflowError.isInstance(cause) || cause.code !== 'THREAD_BUSY') return undefined;
  const runId = cause.data?.runId;
  return typeof runId === 'string' ? runId : undefined;
}

const ignoreEnded = (cause: unknown): void => {
  if (!WorkflowError.isInstance(cause) || cause.code !== 'RUN_ENDED') throw cause;
};

const workflowUnknown = (runId: string, workflow: string): WorkflowError =>
  new WorkflowError({
    code: 'WORKFLOW_UNKNOWN',
    message: `The run ${runId} belongs to the workflow "${workflow}", which this runtime does not know.`,
    hint: 'Name it in createRuntime({ workflows: [ … ] }).',
    data: { runId, workflow },
  });

const runPoisoned = ({ id, crashes }: RunRecord): WorkflowError =>
  new WorkflowError({
    code: 'RUN_POISONED',
    message: `The run ${id} has brought its process down ${crashes} times at the same place.`,
    hint: 'Look at the last entry of its journal; resume it with force when the cause is removed.',
    data: { runId: id, crashes },
  });

const callUnknown = (runId: string, callId: string): WorkflowError =>
  new WorkflowError({
    code: 'CALL_UNKNOWN',
    message: `The run ${runId} has no call "${callId}" in doubt.`,
    hint: 'runtime.get(runId) lists the calls that are.',
    data: { runId, callId },
  });

const aborted = (callId: string): JsonObject =>
  toErrorInfo(
    new WorkflowError({ code: 'CALL_ABORTED', message: `A human has given up the call ${callId}.`, hint: 'Go on without its result.' }),
  ) as unknown as JsonObject;
