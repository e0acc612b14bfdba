import { toErrorInfo, WorkflowError } from '../errors.ts';
import type { Json, JsonObject } from '../ports/json.ts';
import type { RunEvent } from '../ports/run-event.ts';
import type { AcquiredRun, JournalEntry, LeaseRequest, RunQuery, RunRecord } from '../ports/run-store.ts';
import { memoryStore } from '../stores/memory-store.ts';
import { runEnded, runUnknown } from '../stores/store-errors.ts';
import { assertId, newId } from '../util/ids.ts';
import { toJson } from '../util/to-json.ts';
import type { AnyWorkflow, Workflow } from '../workflow/define-workflow.ts';
import { structureDifferences } from '../workflow/graph.ts';
import { ActiveRun, resultOf } from './active-run.ts';
import { findAnswer, interruptAnswered, isSameAnswer } from './answer.ts';
import { forkEntries } from './fork-entries.ts';
import type { HumanEvent } from './host.ts';
import { type Limits, parseLimits } from './limits.ts';
import type { Run, RunResult } from './run.ts';
import type { ForkOptions, Resolution, ResumeOptions, RunInfo, Runtime, RuntimeOptions, StartOptions, ThreadInfo } from './runtime.ts';
import { readStart } from './start-entry.ts';
import { systemClock } from './system-clock.ts';
import { threadStateAt } from './thread-state.ts';

/** Crashes in a row, without a new entry in the journal, after which a run is not taken up again by itself. */
const maxCrashes = 3;

/** How often a queued run looks whether its thread is free, in milliseconds. */
const queuePollMs = 200;

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
  const owner = newId('o');
  const workflows = new Map<string, AnyWorkflow>((options.workflows ?? []).map((workflow) => [workflow.id, workflow]));
  const savedStructures = new Set<string>();
  const active = new Map<string, ActiveRun<unknown>>();
  const wakeTimers = new Map<string, () => void>();
  let cancelRenewal: (() => void) | undefined;
  let closed = false;

  const leaseRequest = (): LeaseRequest => {
    const now = clock.now();
    return { owner, now, expiresAt: now + leaseMs };
  };
  const limitsOf = (limits: Partial<Limits> | undefined): Limits => (limits ? parseLimits({ ...defaultLimits, ...limits }) : defaultLimits);

  const assertOpen = (): void => {
    if (closed) throw new WorkflowError({ code: 'RUNTIME_CLOSED', message: 'The runtime is closed.', hint: 'Create another one.' });
  };

  /** Renews the leases of all runs that are driven here, while there are any. */
  const keepLeases = (): void => {
    cancelRenewal ??= clock.schedule(
      leaseMs / 3,
      () => {
        cancelRenewal = undefined;
        for (const run of active.values()) void renew(run);
        if (active.size > 0) keepLeases();
      },
      { background: true },
    );
  };
  const renew = async (run: ActiveRun<unknown>): Promise<void> => {
    const { lease } = run;
    if (!lease) return;
    try {
      await store.renew(lease, clock.now() + leaseMs);
    } catch (cause) {
      // a store that cannot be reached for a moment is not a lost lease: the next write will tell
      if (WorkflowError.isInstance(cause) && cause.code === 'RUN_FENCED') run.fail(cause);
    }
  };

  /** Drives a run to its rest, and wakes it when a timer of it is due. */
  const driveRun = async (
    run: ActiveRun<unknown>,
    acquire: () => Promise<AcquiredRun> | AcquiredRun,
    prepare?: PrepareDrive,
  ): Promise<void> => {
    active.set(run.id, run);
    keepLeases();
    let result: RunResult<unknown>;
    try {
      result = await run.drive(await acquire(), prepare);
    } catch (cause) {
      result = { status: 'failed', error: toErrorInfo(cause) };
    }
    active.delete(run.id); // first: who has the result may take the run up again
    run.conclude(result);
    if (run.wakeAt !== undefined && !closed) {
      const wake = (): void => {
        wakeTimers.delete(run.id);
        // somebody else may have it by now, or have answered: then there is nothing to wake
        resume(run.id).catch(() => {});
      };
      wakeTimers.set(run.id, clock.schedule(Math.max(0, run.wakeAt - clock.now()), wake, { background: true }));
    }
  };

  const saveStructure = async (workflow: AnyWorkflow): Promise<void> => {
    if (savedStructures.has(workflow.structureHash)) return;
    await store.saveStructure(workflow.structureHash, workflow.structure);
    savedStructures.add(workflow.structureHash);
  };

  const workflowOf = async ({ id, workflow: name, version, structure }: RunRecord): Promise<AnyWorkflow> => {
    const workflow = workflows.get(name);
    if (!workflow) {
      throw new WorkflowError({
        code: 'WORKFLOW_UNKNOWN',
        message: `The run ${id} belongs to the workflow "${name}", which this runtime does not know.`,
        hint: 'Name it in createRuntime({ workflows: [ … ] }).',
        data: { runId: id, workflow: name },
      });
    }
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
    void driveRun(run as ActiveRun<unknown>, () => create(run as ActiveRun<unknown>, untyped, outcome, ifBusy));
    return run;
  };

  const create = async (
    run: ActiveRun<unknown>,
    workflow: AnyWorkflow,
    outcome: JsonObject,
    ifBusy: NonNullable<StartOptions['ifBusy']>,
  ): Promise<AcquiredRun> => {
    const { id, threadId } = run;
    await saveStructure(workflow);
    const { version, structureHash: structure, model } = workflow;
    const thread = threadId === undefined ? {} : { threadId };
    run.log.emit({ type: 'run-start', workflow: workflow.id, version, runId: id, ...thread, ...(model === undefined ? {} : { model }) });
    const entry: JournalEntry = { seq: 1, key: 'run', kind: 'start', outcome, events: run.log.take(), epoch: 1, at: clock.now() };
    run.learn(entry);
    const record = { id, workflow: workflow.id, version, structure, ...thread };
    for (;;) {
      try {
        const created = await store.create({ ...record, ifBusy: ifBusy === 'queue' ? 'queue' : 'reject' }, entry, leaseRequest());
        return created.record.status === 'queued' ? await waitForThread(id) : created;
      } catch (cause) {
        const holder = ifBusy === 'cancel-and-replace' ? holderOf(cause) : undefined;
        if (holder === undefined) throw cause;
        await cancel(holder).catch(ignoreEnded);
      }
    }
  };

  /** Waits until a queued run is the next one of its thread. */
  const waitForThread = async (runId: string): Promise<AcquiredRun> => {
    for (;;) {
      await new Promise<void>((resolve) => clock.schedule(queuePollMs, resolve));
      assertOpen();
      try {
        return await store.acquire(runId, leaseRequest());
      } catch (cause) {
        if (holderOf(cause) === undefined) throw cause;
      }
    }
  };

  const resume = (runId: string, resumeOptions: ResumeOptions = {}): Promise<Run<unknown>> => takeUp(runId, resumeOptions);

  /** Goes on with a run; `prepare` writes to its journal before the machine moves. */
  const takeUp = async (
    runId: string,
    { limits, force = false }: ResumeOptions,
    prepare?: PrepareDrive,
    atHand: (run: ActiveRun<unknown>) => void = () => {},
  ): Promise<ActiveRun<unknown>> => {
    assertOpen();
    assertId(runId, 'run');
    const join = (): ActiveRun<unknown> | undefined => {
      const here = active.get(runId);
      if (here) atHand(here);
      return here;
    };
    const here = join();
    if (here) return here;
    const record = await readRecord(runId);
    const entries = await store.journal(runId);
    const workflow = await workflowOf(record);
    const run = new ActiveRun<unknown>(runId, record.threadId, { workflow, store, clock, limits: limitsOf(limits), entries });
    const end = endOf(record, entries);
    if (end && end.status !== 'failed') {
      run.conclude(end);
      return run;
    }
    if (record.crashes >= maxCrashes && !force) {
      throw new WorkflowError({
        code: 'RUN_POISONED',
        message: `The run ${runId} has brought its process down ${record.crashes} times at the same place.`,
        hint: 'Look at the last entry of its journal; resume it with force when the cause is removed.',
        data: { runId, crashes: record.crashes },
      });
    }
    const raced = join(); // two callers in one process share one drive
    if (raced) return raced;
    cancelWake(runId);
    let acquired: AcquiredRun;
    active.set(runId, run);
    try {
      acquired = await store.acquire(runId, { ...leaseRequest(), force });
    } catch (cause) {
      active.delete(runId);
      run.conclude({ status: 'failed', error: toErrorInfo(cause) }); // for a caller who has found it in between
      throw cause;
    }
    atHand(run);
    void driveRun(run, () => acquired, prepare);
    return run;
  };

  const cancelWake = (runId: string): void => {
    wakeTimers.get(runId)?.();
    wakeTimers.delete(runId);
  };

  const readRecord = async (runId: string): Promise<RunRecord> => {
    const record = await store.read(runId);
    if (record) return record;
    throw runUnknown(runId);
  };

  const send = async (runId: string, sent: HumanEvent, { interruptId }: { readonly interruptId: string }): Promise<Run<unknown>> => {
    assertOpen();
    assertId(runId, 'run');
    const event = toJson(sent, 'event') as unknown as HumanEvent;
    if (typeof event?.type !== 'string') {
      throw new WorkflowError({ code: 'EVENT_INVALID', message: 'An event needs a type.', hint: "Send { type: 'APPROVE' }, for example." });
    }
    for (;;) {
      const entries = await store.journal(runId);
      const answer = findAnswer(entries, interruptId);
      if (answer && isSameAnswer(answer, event)) return takeUp(runId, {});
      if (answer) throw interruptAnswered(answer, event);
      const end = endOf(await readRecord(runId), entries);
      if (end) throw runEnded(runId, end.status);
      let accepted: Promise<void> | undefined;
      let run: ActiveRun<unknown> | undefined;
      try {
        run = await takeUp(runId, {}, undefined, (found) => {
          accepted = found.offer(interruptId, event);
          accepted.catch(() => {}); // awaited below, when the run is at hand
        });
        await accepted;
        return run;
      } catch (cause) {
        if (!WorkflowError.isInstance(cause)) throw cause;
        // it was being put down when the answer came: take it up again
        if (cause.code === 'RUN_PUT_DOWN') await run?.result;
        // another process was faster: its answer is in the journal now
        else if (!raceCodes.has(cause.code) || !findAnswer(await store.journal(runId), interruptId)) throw cause;
      }
    }
  };

  const resolve = async (runId: string, callId: string, resolution: Resolution): Promise<Run<unknown>> => {
    assertOpen();
    assertId(runId, 'run');
    const entries = await store.journal(runId);
    if (active.has(runId) || !isInDoubt(entries, callId)) {
      throw new WorkflowError({
        code: 'CALL_UNKNOWN',
        message: `The run ${runId} has no call "${callId}" in doubt.`,
        hint: 'runtime.get(runId) lists the calls that are.',
        data: { runId, callId },
      });
    }
    const output = resolution.as === 'done' ? toJson(resolution.output, 'output') : null;
    return takeUp(runId, {}, async (host) => {
      if (resolution.as === 'retry') await host.resolve(callId, 'retry', null);
      else if (resolution.as === 'done') await host.resolve(callId, 'step', { output, byHuman: true });
      else await host.resolve(callId, 'step', { error: aborted(callId) });
    });
  };

  const pause = async (runId: string): Promise<void> => {
    const run = active.get(runId);
    if (!run) return;
    run.stop('paused');
    await run.result;
  };

  const cancel = async (runId: string): Promise<void> => {
    assertId(runId, 'run');
    const here = active.get(runId);
    if (here) {
      here.stop('cancelled');
      const { status } = await here.result;
      if (status === 'cancelled') return;
    }
    cancelWake(runId);
    const { lease, record } = await store.acquire(runId, { ...leaseRequest(), force: true });
    const log: RunEvent[] = [];
    const entries = await store.journal(runId);
    const seq = entries.reduce((count, { events }) => count + events.length, 0) + 1;
    log.push({ type: 'run-end', status: 'cancelled', seq, at: clock.now() });
    await store.settle(lease, {
      status: 'cancelled',
      activeMs: record.activeMs,
      entry: {
        seq: record.seq + 1,
        key: 'run',
        kind: 'settle',
        outcome: { status: 'cancelled' },
        events: log,
        epoch: lease.epoch,
        at: clock.now(),
      },
    });
  };

  const fork = async (runId: string, forkOptions: ForkOptions): Promise<Run<unknown>> => {
    assertOpen();
    assertId(runId, 'run');
    const record = await readRecord(runId);
    const workflow = await workflowOf(record);
    const entries = await store.journal(runId);
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
    void driveRun(run, async () => {
      const created = await create(run, workflow, outcome, 'reject');
      let seq = run.log.seq;
      for (const entry of kept) {
        const renumbered = entry.events.map((event) => ({ ...event, seq: ++seq }));
        const copy = { ...entry, events: renumbered, epoch: created.lease.epoch, at: clock.now() };
        await store.append(created.lease, copy, 0);
        run.log.adopt(renumbered);
        run.learn(copy);
      }
      return created;
    });
    return run;
  };

  const get = async (runId: string): Promise<RunInfo> => {
    assertId(runId, 'run');
    const record = await readRecord(runId);
    const entries = await store.journal(runId);
    const { input, metadata } = readStart(runId, entries);
    const last = entries.at(-1);
    const result = last?.kind === 'settle' && record.status !== 'running' && record.status !== 'queued' ? resultOf(last) : undefined;
    return { ...record, input, ...(metadata ? { metadata } : {}), ...(result ? { result } : {}) };
  };

  const thread = async (threadId: string): Promise<ThreadInfo> => {
    assertId(threadId, 'thread');
    const found = await store.readThread(threadId);
    if (!found) {
      throw new WorkflowError({
        code: 'THREAD_UNKNOWN',
        message: `There is no thread "${threadId}" in this store.`,
        hint: 'A thread is made by the first run that names it.',
        data: { threadId },
      });
    }
    const runs = await store.list({ threadId, limit: Number.MAX_SAFE_INTEGER });
    const turns: RunInfo[] = [];
    for (const { id } of [...runs].reverse()) turns.push(await get(id));
    return { ...found, turns };
  };

  return {
    start,
    resume,
    send,
    resolve,
    pause,
    cancel,
    fork,
    get,
    thread,
    list: async (query: RunQuery = {}) => store.list(query),
    history: async (runId) => {
      assertId(runId, 'run');
      return store.journal(runId);
    },
    async *events(runId, { from = 1 } = {}) {
      assertId(runId, 'run');
      const here = active.get(runId);
      if (here) return yield* here.log.read(from);
      for (const { events } of await store.journal(runId)) for (const event of events) if (event.seq >= from) yield event;
    },
    async close() {
      closed = true;
      cancelRenewal?.();
      for (const cancelTimer of wakeTimers.values()) cancelTimer();
      wakeTimers.clear();
      await Promise.all([...active.keys()].map(pause));
    },
  };
}

type PrepareDrive = Parameters<ActiveRun<unknown>['drive']>[1];

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

/** The result of a run that has ended. @throws {WorkflowError} `JOURNAL_CORRUPT` when its record and its journal disagree. */
function endOf({ id, status }: RunRecord, entries: readonly JournalEntry[]): RunResult<Json> | undefined {
  if (status !== 'done' && status !== 'failed' && status !== 'cancelled') return undefined;
  const last = entries.at(-1);
  const result = last?.kind === 'settle' ? resultOf(last) : undefined;
  if (result?.status === status) return result;
  throw new WorkflowError({
    code: 'JOURNAL_CORRUPT',
    message: `The run ${id} is said to be ${status}, but its journal does not end so.`,
    hint: 'The store was changed by something else; restore it from a backup.',
    data: { runId: id, status },
  });
}

function isInDoubt(entries: readonly JournalEntry[], callId: string): boolean {
  const last = entries.findLast(({ key, kind }) => key === callId && (kind === 'intent' || kind === 'step' || kind === 'retry'));
  return last?.kind === 'intent';
}

const aborted = (callId: string): JsonObject =>
  toErrorInfo(
    new WorkflowError({ code: 'CALL_ABORTED', message: `A human has given up the call ${callId}.`, hint: 'Go on without its result.' }),
  ) as unknown as JsonObject;
