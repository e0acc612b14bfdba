import type { Actor } from '../../core/ports/actor.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { ErrorInfo } from '../../core/ports/error-info.ts';
import type { FleetState } from '../../core/ports/fleet-state.ts';
import type { HumanEvent } from '../../core/ports/human-event.ts';
import type { Json, JsonObject } from '../../core/ports/json.ts';
import type { ModelBudget } from '../../core/ports/model-budget.ts';
import type { RunEvent } from '../../core/ports/run-event.ts';
import type {
  Awaitable,
  JournalEntry,
  RunQuery,
  RunRecord,
  RunStore,
  StoredTurns,
  ThreadRecord,
  TurnQuery,
} from '../../core/ports/run-store.ts';
import type { AnyWorkflow, EventOf, InputOf, OutputOf } from '../define/define-workflow.ts';
import type { Run, RunResult } from '../drive/run.ts';
import type { RunInspection } from '../drive/run-inspection.ts';
import type { Limits } from '../journal/limits.ts';
import type { RecoverOptions, Recovery } from './recover.ts';

export interface RuntimeOptions {
  /** Store of the runs. The caller opens and closes it. @default memoryStore() */
  readonly store?: RunStore;
  /**
   * Workflows whose runs may be resumed, in every version that has runs. A workflow that was started here may be omitted.
   * @default []
   */
  readonly workflows?: readonly AnyWorkflow[];
  /**
   * Makes the workflow of a stored run that resumes. Use it when the workflow depends on more than id and version, for example on settings
   * in the run's metadata. It is called before `workflows` are searched, and `undefined` falls back to them.
   */
  readonly workflowFor?: (run: RunRecord & { readonly metadata?: JsonObject }) => Awaitable<AnyWorkflow | undefined>;
  /**
   * Allows runs to resume although their workflow now offers other models, tools or limits. Each run's journal records the changes.
   * @default false: such a run fails with `OFFER_CHANGED`
   */
  readonly acceptChanges?: boolean;
  /** Limits of runs that set none themselves. */
  readonly limits?: Partial<Limits>;
  /** Budget of the model calls of all runs. `modelBudget` of `agent-machines/stores` makes one. Default: none. */
  readonly budget?: ModelBudget;
  /**
   * Length of a lease, in milliseconds. No other process can acquire the run of a dead process for this long. Live runs renew their lease.
   * @default 30_000
   */
  readonly leaseMs?: number;
  /** @default the machine's clock */
  readonly clock?: Clock;
  /** Observer of the machines of all runs driven here. `inspectRuns` of `agent-machines/inspect` makes one. Default: none. */
  readonly inspect?: RunInspection;
}

export interface StartOptions {
  /**
   * Id of the run, `[A-Za-z0-9_-]{1,64}`. Starting it again, in any process, with the same workflow, version, input and thread returns the
   * same run. @default a new id
   */
  readonly runId?: string;
  /** Id of the run's conversation, `[A-Za-z0-9_-]{1,64}`. A new id makes a new conversation. */
  readonly threadId?: string;
  /**
   * Id of an ended run of the thread. The run begins with the thread's state as that run left it, and once it is done, the thread continues
   * from it: the runs between are not in its state. `null`: the state of a new thread. Default: the thread's latest state.
   */
  readonly after?: string | null;
  /** Behaviour when another run owns the thread. @default 'reject' */
  readonly ifBusy?: 'reject' | 'queue' | 'cancel-and-replace';
  /**
   * Priority for workers that resume the run once it has no owner, a whole number from -100 to 100. Higher numbers come first. Stored with
   * the run. @default 0
   */
  readonly priority?: number;
  /**
   * False stores the run and leaves it to the workers of the store, in any process. They take it by its priority, also while it is queued
   * for its thread. Its `result` is `paused`. @default true
   */
  readonly drive?: boolean;
  /** Limits of the run, stored with it. @default those of the runtime that drives it */
  readonly limits?: Partial<Limits>;
  /**
   * Allows tools to send data out in the run's thread from now on, although it contains private data. Stored with the run. A workflow reads
   * it in `toMachineInput`. Set it from the caller's authorisation, never from the caller's input. @default false
   */
  readonly grantEgress?: boolean;
  /** Data to store with the run, such as its settings. `get` returns it. It must not contain secrets. */
  readonly metadata?: JsonObject;
}

export interface ResumeOptions {
  /** Limits of the run, stored with it and counted from its start. @default those given before */
  readonly limits?: Partial<Limits>;
  /**
   * Allows the run to resume although its workflow now offers other models, tools or limits. Its journal records the changes. @default that
   * of the runtime
   */
  readonly acceptChanges?: boolean;
  /** Acquires the run even from a live owner, and even after it has crashed its process 3 times. @default false */
  readonly force?: boolean;
}

/** See `ResumeOptions`. */
export interface RetryOptions extends Pick<ResumeOptions, 'limits' | 'acceptChanges'> {
  /**
   * Replaces these keys in the result of the node that ended last, and continues after it. Refused (`PATCH_REFUSED`) once the machine has
   * received an answer or a timer after it, or a later node has recorded a step.
   */
  readonly patch?: JsonObject;
  /**
   * False leaves the run to the workers of the store, in any process. Its `result` is `paused`. Not together with `limits` or `patch`.
   * @default true
   */
  readonly drive?: boolean;
}

export interface PauseOptions {
  /** Leaves the run to the next `recover`, in any process. Otherwise it stays suspended until a caller resumes it. @default false */
  readonly handOver?: boolean;
}

export interface SendOptions {
  /** Id of the question to answer: `interrupt.id` of a waiting run. */
  readonly interruptId: string;
  /** See `ResumeOptions`. @default that of the runtime */
  readonly acceptChanges?: boolean;
}

/** A human's resolution of a `once` call that may or may not have happened. */
export type Resolution =
  /** The call happened and returned `output`. */
  | { readonly as: 'done'; readonly output: Json }
  /** The call did not happen. Repeat it. */
  | { readonly as: 'retry' }
  /** Continue as if the call had failed. */
  | { readonly as: 'abort' };

export interface ForkOptions {
  /** Key of a node in the journal, `state#visit`. The fork keeps everything before it. */
  readonly at: string;
  /**
   * Id of the fork, `[A-Za-z0-9_-]{1,64}`. The same fork again, in any process, returns the same run.
   * @default a new id
   */
  readonly runId?: string;
  /** Replaces these keys in the result of the node, and continues after it. Without a patch, the node runs again. */
  readonly patch?: JsonObject;
  /** Allows the fork to repeat `once` calls that the run has made after the fork point. @default false */
  readonly repeatOnce?: boolean;
  readonly limits?: Partial<Limits>;
}

/** A run as users see it. Its status is that of its result. */
export interface RunSummary extends RunRecord {
  /** Present on a `failed` run. False if it ended in a final state tagged `failure`. */
  readonly resumable?: boolean;
}

/** A run in a list. */
export interface ListedRun extends RunSummary {
  readonly state: FleetState;
  /**
   * Part that is missing for the run to resume in this runtime. `workflow`: the run's workflow is not registered. `version`: this version
   * of it is not registered. `structure`: the version now has another machine. Absent when the run can resume, or has ended for good.
   */
  readonly missing?: 'workflow' | 'version' | 'structure';
  /** Reason why workers skip the run after 3 crashes of its process, with its last error. See `release`. */
  readonly parked?: ErrorInfo;
}

/** An entry of a run's journal, with the events as users see them. */
export interface HistoryEntry extends JournalEntry {
  readonly events: readonly RunEvent[];
}

/** Details of a run. */
export interface RunInfo<TOutput = Json> extends RunSummary {
  readonly input: Json;
  readonly metadata?: JsonObject;
  /** See `StartOptions`. Absent for a run that began with the latest state of its thread. */
  readonly after?: string | null;
  /** Absent while the run is queued or driven. */
  readonly result?: RunResult<TOutput>;
  /** See `ListedRun`. */
  readonly parked?: ErrorInfo;
}

/** Some turns of a conversation, in the order of the query. */
export interface ThreadTurns extends Omit<StoredTurns, 'turns'> {
  readonly turns: readonly ThreadTurn[];
}

/** A run of a conversation with its journal; for a damaged journal, what its record says and the error. */
export type ThreadTurn =
  | { readonly run: RunInfo; readonly entries: readonly HistoryEntry[] }
  | { readonly run: RunSummary; readonly damage: ErrorInfo };

/** A conversation: its state, and one turn per run, oldest first. */
export interface ThreadInfo extends ThreadRecord {
  readonly turns: readonly RunInfo[];
}

/** Event that `send` accepts. A run of an unknown workflow accepts every event here; the machine checks it. */
type SentEvent<TEvent> = unknown extends TEvent ? HumanEvent : TEvent;

/** Runs of one workflow. Each method is that of `Runtime`. */
export interface WorkflowRuns<TInput, TOutput, TEvent> {
  start(input: TInput, options?: StartOptions): Run<TOutput, TEvent>;
  send(runId: string, event: SentEvent<TEvent>, options: SendOptions): Promise<Run<TOutput, TEvent>>;
  resume(runId: string, options?: ResumeOptions): Promise<Run<TOutput, TEvent>>;
  retry(runId: string, options?: RetryOptions): Promise<Run<TOutput, TEvent>>;
  get(runId: string): Promise<RunInfo<TOutput>>;
  list(query?: Omit<RunQuery, 'workflow'>): Promise<readonly ListedRun[]>;
}

/** Starts and resumes runs. */
export interface Runtime {
  /**
   * Starts a run of a workflow. An id starts the newest registered version, in semver order, in either spelling (`plan_execute`,
   * `plan-execute`).
   * @throws {WorkflowError} `WORKFLOW_UNKNOWN` for an id; any error of the workflow's `parseInput`, `VALUE_NOT_JSON`, `ID_INVALID`, `OPTION_INVALID` (also for another
   * machine under the id and version of a known one), `RUNTIME_CLOSED`. No run exists then. A busy thread does not throw: the run's result
   * is `failed` with `THREAD_BUSY`; with `after`, also `RUN_UNKNOWN`, or `JOURNAL_OF_OTHER_MACHINE` for a run of another version. Another start under the same `runId` gives `failed` with `RUN_EXISTS`.
   * @example
   * const run = runtime.start(workflow, { input: 'hello' }, { threadId: 't1' });
   * const result = await run.result;
   */
  start<W extends AnyWorkflow | string>(workflow: W, input: InputOf<W>, options?: StartOptions): Run<OutputOf<W>, EventOf<W>>;
  /**
   * Resumes a run from its journal. Committed work is not repeated. A run that is driven here, or has ended, is returned as it is.
   * @throws {WorkflowError} `RUN_UNKNOWN`, `RUN_BUSY`, `RUN_POISONED`, `WORKFLOW_UNKNOWN`, `JOURNAL_OF_OTHER_MACHINE`, `OFFER_CHANGED`,
   * `JOURNAL_MISSING`, `JOURNAL_CORRUPT`, `THREAD_BUSY`, `THREAD_MOVED_ON`.
   */
  resume<TOutput = unknown, TEvent = unknown>(run: string | Run<TOutput, TEvent>, options?: ResumeOptions): Promise<Run<TOutput, TEvent>>;
  /**
   * Continues a run that the host stopped (`failed` with `resumable: true`) under the same id, from its last committed step. Callers at the
   * same time share one attempt.
   * @throws {WorkflowError} `RUN_ENDED` for a run that has ended, also in a final state tagged `failure`: fork it instead; `RUN_NOT_FAILED`
   * with the `status` of any other run; `PATCH_REFUSED` with the reason; the errors of `resume`. Nothing is written then.
   * @example await (await runtime.retry(runId, { limits: { nodeVisits: 400 } })).result;
   */
  retry<TOutput = unknown, TEvent = unknown>(run: string | Run<TOutput, TEvent>, options?: RetryOptions): Promise<Run<TOutput, TEvent>>;
  /**
   * Answers a question of a run: one that `start` returned, which knows the workflow's events, or one by its id. A rejected answer leaves the run untouched. If another process has the run, the call waits for it, for the length
   * of a lease at most. Repeating the same answer, from any process and even after the end, changes nothing and returns the run.
   * @throws {WorkflowError} `INTERRUPT_UNKNOWN`, `INTERRUPT_MOVED`, `INTERRUPT_EXPIRED`, `INTERRUPT_ANSWERED` with the answer that won,
   * `EVENT_NOT_ACCEPTED`, `EVENT_INVALID`, `PATCH_INVALID` for an event whose change does not fit the state's schema, `CALL_IN_DOUBT`,
   * `RUN_ENDED`, and the errors of `resume`.
   */
  send<TOutput = unknown, TEvent = unknown>(
    run: string | Run<TOutput, TEvent>,
    event: SentEvent<NoInfer<TEvent>>,
    options: SendOptions,
  ): Promise<Run<TOutput, TEvent>>;
  /**
   * Runs of one workflow, typed by it, also for a run that is found by its id.
   * @throws {WorkflowError} `RUN_UNKNOWN` from `send`, `resume`, `retry` and `get` for a run of another workflow.
   * @example await runtime.of(publish).send(runId, { type: 'APPROVE' }, { interruptId });
   */
  of<W extends AnyWorkflow>(workflow: W): WorkflowRuns<InputOf<W>, OutputOf<W>, EventOf<W>>;
  /**
   * Settles a call in doubt and resumes the run. If the run is driven here, because another call of it was settled, waits until it rests.
   * @throws {WorkflowError} `CALL_UNKNOWN`, also when another resolution of the same attempt was faster, and the errors of `resume`.
   */
  resolve(runId: string, callId: string, resolution: Resolution): Promise<Run<unknown>>;
  /**
   * Scans the store once and resumes every run that is due and has no live owner. These are runs whose process has died or could not write,
   * runs with a due timer, and runs that were handed over. Queued runs are resumed in the order of their threads. While the store is
   * unavailable, retries for 30 seconds. A run that has crashed its process 3 times, or whose workflow or version is unknown, is skipped
   * and reported. `createWorker` repeats this for as long as the process lives.
   * @throws {WorkflowError} `STORE_UNAVAILABLE`, `RUNTIME_CLOSED`.
   * @example for (const { run } of (await runtime.recover()).taken) console.log(run.id, await run.result);
   */
  recover(options?: RecoverOptions): Promise<Recovery>;
  /** Suspends a run that is driven here. Its work in progress is aborted, and starts again at `resume`. */
  pause(runId: string, options?: PauseOptions): Promise<void>;
  /**
   * Ends a run for good, wherever it is driven. Its driver notices within 500 ms and makes no further call. The call does not wait for a
   * driver that hangs or is dead. Exactly one caller succeeds.
   * @throws {WorkflowError} `RUN_UNKNOWN`; `RUN_ENDED` with the run's `status`, which is `cancelled` when another caller was first.
   */
  cancel(runId: string): Promise<void>;
  /**
   * Returns a run that is parked after 3 crashes (`RUN_POISONED`) to the workers. It may crash 3 more times. A run that is not parked stays
   * as it is. To drive it here instead, call `resume` with `force`.
   * @throws {WorkflowError} `RUN_UNKNOWN`; `RUN_BUSY` when another caller is faster.
   */
  release(runId: string): Promise<void>;
  /**
   * Starts a new run with the journal of another one up to a node, and with its priority.
   * @throws {WorkflowError} `RUN_UNKNOWN`, `FORK_POINT_UNKNOWN`, `FORK_REPEATS_EFFECT`; with a `runId`, `RUN_EXISTS` if another run has
   * this id.
   */
  fork(runId: string, options: ForkOptions): Promise<Run<unknown>>;
  /** @throws {WorkflowError} `RUN_UNKNOWN`, `JOURNAL_MISSING`, `JOURNAL_CORRUPT`. */
  get(runId: string): Promise<RunInfo>;
  /** Lists runs, newest first. */
  list(query?: RunQuery): Promise<readonly ListedRun[]>;
  /**
   * Returns the journal of a run. Its events are those of `events`; the outcome of a `settle` entry is as stored, where the end in a final
   * state tagged `failure` is `done` with a `failure`. @throws {WorkflowError} `RUN_UNKNOWN`, `JOURNAL_MISSING`, `JOURNAL_CORRUPT`.
   */
  history(runId: string): Promise<readonly HistoryEntry[]>;
  /**
   * Yields the events of a run. If it is driven here, continues until it has ended or is suspended. Otherwise, yields the stored events.
   */
  events(runId: string, options?: { readonly from?: number }): AsyncIterable<RunEvent>;
  /** @throws {WorkflowError} `THREAD_UNKNOWN`. */
  thread(threadId: string): Promise<ThreadInfo>;
  /**
   * Returns some turns of a conversation with their journals, 30 by default, the newest first. The work does not depend on the number of
   * the others. A damaged journal hides only its own turn.
   * @throws {WorkflowError} `THREAD_UNKNOWN`.
   * @example const { total, turns } = await runtime.turns(threadId, { limit: 10 });
   */
  turns(threadId: string, query?: TurnQuery): Promise<ThreadTurns>;
  /**
   * Returns this runtime for the requests of one actor. Its starts, forks, answers and resolutions name the actor in the journal of the run.
   * Its other actions (cancel, resume, retry, pause, release) are recorded in a log of the store, at two small writes each. `readAudit` of
   * `agent-machines/stores` reads both.
   * @throws {WorkflowError} `OPTION_INVALID`.
   * @example await runtime.as({ via: 'backoffice', name: 'ada' }).cancel(runId);
   */
  as(actor: Actor): Runtime;
  /**
   * Suspends every run, for the next `recover` in any process. Starts in progress are rejected. The store stays open. `drainMs` is the time
   * that the runs in progress have to end or wait first, in milliseconds, 0 by default.
   *
   * @example process.once('SIGTERM', () => void runtime.close({ drainMs: 10_000 }));
   */
  close(options?: { readonly drainMs?: number }): Promise<void>;
}
