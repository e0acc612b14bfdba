import { toErrorInfo, WorkflowError } from '../../core/errors/errors.ts';
import type { Actor } from '../../core/ports/actor.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { Json, JsonObject } from '../../core/ports/json.ts';
import type { RunEvent } from '../../core/ports/run-event.ts';
import type { JournalEntry, RunStore } from '../../core/ports/run-store.ts';
import { asJson } from '../../core/util/as-json.ts';
import { checkOptions, optionInvalid } from '../../core/util/check-options.ts';
import { assertId } from '../../core/util/ids.ts';
import { lateSource, type PushedIterable } from '../../core/util/source.ts';
import { systemClock } from '../../core/util/system-clock.ts';
import type { AnyWorkflow } from '../define/define-workflow.ts';
import type { Run } from '../drive/run.ts';
import { toPublicEvent } from '../drive/to-public-event.ts';
import type { JournalHost } from '../journal/journal-host.ts';
import { parseLimits } from '../journal/limits.ts';
import { memoryStore } from '../store/memory-store.ts';
import { audited, type LoggedAction, parseActor } from './audit-log.ts';
import { cancel } from './cancel.ts';
import { fork } from './fork.ts';
import { recover } from './recover.ts';
import { release } from './release.ts';
import { retry } from './retry.ts';
import { toStoredLimits } from './run-limits.ts';
import type { Resolution, ResumeOptions, RetryOptions, Runtime, RuntimeOptions, SendOptions, StartOptions } from './runtime.ts';
import { RuntimeCore } from './runtime-core.ts';
import {
  closeOptions,
  type EventsOptions,
  firstEvent,
  parseResolution,
  pauseOptions,
  recoverOptions,
  resumeOptions,
  runQuery,
  runtimeOptions,
  turnQuery,
} from './runtime-options.ts';
import { send } from './send.ts';
import { start } from './start.ts';
import { StoreClock } from './store-clock.ts';
import { intentInDoubt, readRunInfo, readThreadInfo, readThreadTurns, toHistoryEntry } from './stored-runs.ts';
import { workflowRuns } from './workflow-runs.ts';

interface Made {
  readonly core: RuntimeCore;
  readonly actor: () => Actor | undefined;
}

const made = new WeakMap<object, Made>();

/** Returns the core of a runtime; `undefined` for a runtime that `createRuntime` has not made. */
export const coreOf = (runtime: Runtime): RuntimeCore | undefined => made.get(runtime)?.core;

/** Returns the actor of a runtime of `as`; `undefined` for any other one. */
export const actorOf = (runtime: object): Actor | undefined => made.get(runtime)?.actor();

/** Like `Runtime.as`, but asks for the actor at each action. A runtime of another maker asks once, or records nothing. */
export function runtimeFor(runtime: Runtime, actor: () => Actor): Runtime {
  const core = coreOf(runtime);
  if (core) return runtimeOn(core, () => parseActor(actor()));
  return typeof runtime.as === 'function' ? runtime.as(actor()) : runtime;
}

export const clockOf = (runtime: Runtime): Clock => coreOf(runtime)?.clock ?? systemClock;

/** Uses the clock of the database when several machines share it. */
function clockOn({ storage }: RunStore): Clock {
  return storage?.now ? new StoreClock(systemClock, () => storage.now?.() ?? systemClock.now()) : systemClock;
}

/**
 * Makes a runtime, which starts workflows and resumes their runs from the journal.
 *
 * @throws {WorkflowError} `OPTION_INVALID`, `WORKFLOW_DUPLICATE` for two workflows of one id and version.
 * @example
 * const runtime = createRuntime({ store: sqliteStore({ path: 'agents.db' }), workflows: [planExecute()] });
 */
export function createRuntime(options: RuntimeOptions = {}): Runtime {
  checkOptions('createRuntime', options, runtimeOptions);
  const {
    store = memoryStore(),
    clock = clockOn(store),
    leaseMs = 30_000,
    workflows = [],
    workflowFor,
    acceptChanges = false,
    budget,
    inspect,
  } = options;
  const limits = parseLimits(options.limits);
  const core = new RuntimeCore({ store, clock, leaseMs, workflows, workflowFor, acceptChanges, limits, budget, inspection: inspect });
  return runtimeOn(core, () => undefined);
}

/** @param actor Recorded with each action. If it returns `undefined`, nothing is recorded. */
function runtimeOn(core: RuntimeCore, actor: () => Actor | undefined): Runtime {
  const { store } = core;
  const logged = <T>(action: LoggedAction, runId: string, act: () => Promise<T>): Promise<T> =>
    audited(core, actor(), { action, runId }, act);
  const runtime: Runtime = {
    start: (workflow: AnyWorkflow | string, input: unknown, given?: StartOptions) =>
      start(core, workflow, input, given, actor()) as Run<never, never>,
    async resume(run: string | Run<unknown>, given: ResumeOptions = {}) {
      checkOptions('resume', given, resumeOptions);
      const { limits } = given;
      parseLimits(limits);
      const options = limits ? { ...given, prepare: (host: JournalHost) => host.limit(toStoredLimits(limits)) } : given;
      const resumed = await logged('resume', idOf(run), () => core.resume(idOf(run), options));
      return resumed as Run<never, never>;
    },
    retry: (run: string | Run<unknown>, given: RetryOptions = {}) =>
      logged('retry', idOf(run), () => retry(core, idOf(run), given)) as Promise<Run<never, never>>,
    send: (run: string | Run<unknown>, event: unknown, given: SendOptions) =>
      send(core, idOf(run), event, given, actor()) as Promise<Run<never, never>>,
    of: (workflow) => workflowRuns(core, runtime, workflow),
    resolve: (runId, callId, resolution) => resolve(core, runId, callId, resolution, actor()),
    async recover(given = {}) {
      checkOptions('recover', given, recoverOptions);
      return recover(core, given);
    },
    async pause(runId, given = {}) {
      checkOptions('pause', given, pauseOptions);
      const run = await core.driven(runId);
      if (!run) return;
      await logged('pause', runId, async () => {
        run.stop('paused', given.handOver);
        await run.result;
      });
    },
    cancel: (runId) => logged('cancel', runId, () => cancel(core, runId)),
    release: (runId) => logged('release', runId, () => release(core, runId)),
    fork: (runId, given) => fork(core, runId, given, actor()),
    as(given) {
      const by = parseActor(given);
      return runtimeOn(core, () => by);
    },
    async get(runId) {
      assertId(runId, 'run');
      const { parked, ...info } = await readRunInfo(store, runId);
      return parked && !core.runs.get(runId) ? { ...info, parked } : info;
    },
    async list(query = {}) {
      checkOptions('list', query, runQuery);
      const { status, ...stored } = query;
      const records = await store.list({ ...stored, ...(status === undefined ? {} : { resultStatus: status }) });
      return Promise.all(records.map((record) => core.listed(record)));
    },
    async history(runId) {
      assertId(runId, 'run');
      return (await store.journal(runId)).map(toHistoryEntry);
    },
    events(runId, given = {}) {
      return eventsOf(core, runId, given);
    },
    async thread(threadId) {
      assertId(threadId, 'thread');
      return readThreadInfo(store, threadId);
    },
    async turns(threadId, query = {}) {
      checkOptions('turns', query, turnQuery);
      assertId(threadId, 'thread');
      return readThreadTurns(store, threadId, query);
    },
    async close(given = {}) {
      checkOptions('close', given, closeOptions);
      await core.close(given.drainMs);
    },
  };
  made.set(runtime, { core, actor });
  return runtime;
}

/** Events of a run that is driven here, else the stored ones. */
function eventsOf(core: RuntimeCore, runId: string, given: EventsOptions): PushedIterable<RunEvent> {
  const found = async (): Promise<AsyncIterable<RunEvent>> => {
    const from = firstEvent(given);
    assertId(runId, 'run');
    const here = await core.driven(runId);
    return here ? here.log.read(from) : storedEvents(core, runId, from);
  };
  return lateSource(found);
}

async function* storedEvents({ store }: RuntimeCore, runId: string, from: number): AsyncGenerator<RunEvent, void, undefined> {
  for (const { events } of await store.journal(runId)) for (const event of events) if (event.seq >= from) yield toPublicEvent(event);
}

const idOf = (run: string | Run<unknown>): string => (typeof run === 'object' ? run?.id : run);

/** Settles a call in doubt and resumes the run. */
async function resolve(core: RuntimeCore, runId: string, callId: string, given: Resolution, by?: Actor): Promise<Run<unknown>> {
  const resolution = parseResolution(given);
  assertId(runId, 'run');
  if (typeof callId !== 'string') throw optionInvalid('The callId of resolve must be a string.', inDoubtHint);
  const intent = intentInDoubt(await core.store.journal(runId), callId);
  if (!intent) throw callUnknown(runId, callId);
  let isSettled = false;
  /** A resolution of one attempt of a call does not apply to another attempt. */
  const assertOpen = (entries: readonly JournalEntry[]): void => {
    if (intentInDoubt(entries, callId)?.seq !== intent.seq) throw callUnknown(runId, callId);
  };
  const verify = (entries: readonly JournalEntry[]): void => {
    assertOpen(entries);
    isSettled = true;
  };
  const prepare = async (host: JournalHost): Promise<void> => {
    const actor: JsonObject = by ? { by: { ...by } } : {};
    if (resolution.as === 'retry') await host.resolve(callId, 'retry', by ? actor : null);
    else if (resolution.as === 'done') await host.resolve(callId, 'step', { output: resolution.output, byHuman: true, ...actor });
    else await host.resolve(callId, 'step', { error: callAborted(callId), ...actor });
  };
  for (;;) {
    const run = await core.resume(runId, { verify, prepare });
    if (isSettled) return run;
    // The run is driven here, for example because another call of it was settled. Once it rests, its calls in doubt are known.
    assertOpen(await core.store.journal(runId));
    if ((await run.result).status !== 'in_doubt') throw callUnknown(runId, callId);
  }
}

const inDoubtHint = 'Read the calls in doubt with runtime.get(runId).';

const callUnknown = (runId: string, callId: string): WorkflowError =>
  new WorkflowError({
    code: 'CALL_UNKNOWN',
    message: `The run ${runId} has no call "${callId}" in doubt.`,
    hint: inDoubtHint,
    data: { runId, callId },
  });

const callAborted = (callId: string): Json =>
  asJson(
    toErrorInfo(
      new WorkflowError({ code: 'CALL_ABORTED', message: `A human aborted the call ${callId}.`, hint: 'Continue without its result.' }),
    ),
  );
