import type { Clock } from '../ports/clock.ts';
import type { ErrorInfo } from '../ports/error-info.ts';
import type { Json, JsonObject } from '../ports/json.ts';
import type { RunEvent } from '../ports/run-event.ts';
import type { Awaitable, JournalEntry, RunQuery, RunRecord, RunStore, ThreadRecord } from '../ports/run-store.ts';
import type { AnyWorkflow, Workflow } from '../workflow/define-workflow.ts';
import type { HumanEvent } from './host.ts';
import type { Limits } from './limits.ts';
import type { RecoverOptions, Recovery } from './recover.ts';
import type { Run, RunResult } from './run.ts';
import type { RunInspection } from './run-inspection.ts';

export interface RuntimeOptions {
  /** Where runs live. The caller opens and closes it. @default memoryStore() */
  readonly store?: RunStore;
  /**
   * The workflows whose runs may be resumed, in every version of which there are runs; one that was started here need not be named.
   * @default []
   */
  readonly workflows?: readonly AnyWorkflow[];
  /**
   * Makes the workflow of a stored run that is to go on, where that depends on more than its id and version: on the settings in its
   * metadata, for example. Asked before `workflows`; `undefined` leaves it to them.
   */
  readonly workflowFor?: (run: RunRecord & { readonly metadata?: JsonObject }) => Awaitable<AnyWorkflow | undefined>;
  /**
   * Resume runs although their workflow offers other models, tools or limits than when they began; each run's journal records the changes.
   * @default false: such a run is refused with `OFFER_CHANGED`
   */
  readonly acceptChanges?: boolean;
  /** For every run that sets none itself. */
  readonly limits?: Partial<Limits>;
  /** How long a run of a process that died is kept from others, in milliseconds; live runs renew their lease. @default 30_000 */
  readonly leaseMs?: number;
  /** @default the machine's clock */
  readonly clock?: Clock;
  /** Who watches the machines of all runs that are driven here: what `inspectRuns` of `agent-machines/inspect` makes. Default: nobody. */
  readonly inspect?: RunInspection;
}

export interface StartOptions {
  /**
   * The run's id, `[A-Za-z0-9_-]{1,64}`: starting it again, here or elsewhere, with the same workflow, version, input and thread gives the
   * same run. @default a new one
   */
  readonly runId?: string;
  /** The conversation that the run belongs to; made when it is new. `[A-Za-z0-9_-]{1,64}`. */
  readonly threadId?: string;
  /** What happens while another run owns the thread. @default 'reject' */
  readonly ifBusy?: 'reject' | 'queue' | 'cancel-and-replace';
  /**
   * How urgent it is for workers to go on with the run once nobody drives it, a whole number from -100 to 100: more is earlier.
   * Kept with the run. @default 0
   */
  readonly priority?: number;
  /**
   * False: the run is kept, and left to the workers of the store, here or elsewhere, which take it by its priority, also while it is queued
   * for its thread. Its `result` is `paused`. @default true
   */
  readonly drive?: boolean;
  /** Kept with the run. @default those of the runtime that drives it */
  readonly limits?: Partial<Limits>;
  /**
   * Allow tools to send data out in the run's thread from now on, although private data is in it. Stored with the run; a workflow reads it
   * in `toMachineInput`. Set it from the caller's authorisation, never from the caller's input. @default false
   */
  readonly grantEgress?: boolean;
  /** Anything to remember with the run, such as the settings that it was started with; `get` returns it. No secrets: it is stored. */
  readonly metadata?: JsonObject;
}

export interface ResumeOptions {
  /** Counted from the start of the run, and kept with it. @default those that it was given before */
  readonly limits?: Partial<Limits>;
  /** Resume the run although its workflow offers other models, tools or limits than before; its journal records the changes. @default that of the runtime */
  readonly acceptChanges?: boolean;
  /** Take the run even from a live owner, and even after it has crashed its process three times. @default false */
  readonly force?: boolean;
}

export interface PauseOptions {
  /** Leave the run to the next `recover`, here or elsewhere; otherwise it stays suspended until somebody resumes it. @default false */
  readonly handOver?: boolean;
}

export interface SendOptions {
  /** The question that is answered: `interrupt.id` of a waiting run. */
  readonly interruptId: string;
  /** As of `ResumeOptions`. @default that of the runtime */
  readonly acceptChanges?: boolean;
}

/** A human's word on a `once` call that may or may not have happened. */
export type Resolution =
  /** It happened, and this is what it returned. */
  | { readonly as: 'done'; readonly output: Json }
  /** It did not happen: call it again. */
  | { readonly as: 'retry' }
  /** Go on as if it had failed. */
  | { readonly as: 'abort' };

export interface ForkOptions {
  /** Key of a node of the journal, `state#visit`: everything before it is kept. */
  readonly at: string;
  /**
   * The fork's id, `[A-Za-z0-9_-]{1,64}`: the same fork again, here or elsewhere, gives the same run.
   * @default a new one
   */
  readonly runId?: string;
  /** Replaces these keys of what the node returned, and goes on behind it. Absent: the node runs again. */
  readonly patch?: JsonObject;
  /** Allow the fork to make `once` calls again that the run has made after the fork point. @default false */
  readonly repeatOnce?: boolean;
  readonly limits?: Partial<Limits>;
}

/** A run in a list. */
export interface ListedRun extends RunRecord {
  /**
   * Why the run cannot go on in this runtime: it was not given the run's `workflow`, or this `version` of it, or the version has another
   * machine (`structure`) by now. Absent when it can, and for runs that are over.
   */
  readonly missing?: 'workflow' | 'version' | 'structure';
  /** Why workers leave the run alone, with its last error: it has crashed its process three times. See `release`. */
  readonly parked?: ErrorInfo;
}

/** What is known of a run. */
export interface RunInfo extends RunRecord {
  readonly input: Json;
  readonly metadata?: JsonObject;
  /** Absent while it is queued or driven. */
  readonly result?: RunResult<Json>;
  /** As of `ListedRun`. */
  readonly parked?: ErrorInfo;
}

/** A conversation: its state, and one turn per run, oldest first. */
export interface ThreadInfo extends ThreadRecord {
  readonly turns: readonly RunInfo[];
}

/** Starts and continues runs. */
export interface Runtime {
  /**
   * Starts a run.
   * @throws {WorkflowError} what the workflow's `parseInput` throws, `VALUE_NOT_JSON`, `ID_INVALID`, `OPTION_INVALID` (also for another
   *   machine under the id and version of a known one), `RUNTIME_CLOSED`; then there is no run.
   *   A busy thread is not thrown: the run's result is `failed` with `THREAD_BUSY`. So is another start under the same `runId`, with
   *   `RUN_EXISTS`.
   * @example
   * const run = runtime.start(workflow, { input: 'hello' }, { threadId: 't1' });
   * const result = await run.result;
   */
  start<TInput, TState, TOutput>(workflow: Workflow<TInput, TState, TOutput>, input: TInput, options?: StartOptions): Run<TOutput>;
  /**
   * Starts a run of the newest version that the runtime knows under a workflow's id, however its words are joined (`plan_execute`,
   * `plan-execute`): the one that comes last as semver orders them.
   * @throws {WorkflowError} `WORKFLOW_UNKNOWN`, and the same.
   */
  start(workflow: string, input: Json, options?: StartOptions): Run<unknown>;
  /**
   * Goes on with a run from its journal; committed work is not repeated. A run that is driven here, or has ended, is returned as it is.
   * @throws {WorkflowError} `RUN_UNKNOWN`, `RUN_BUSY`, `RUN_POISONED`, `WORKFLOW_UNKNOWN`, `JOURNAL_OF_OTHER_MACHINE`, `OFFER_CHANGED`,
   *   `JOURNAL_MISSING`, `JOURNAL_CORRUPT`, `THREAD_BUSY`, `THREAD_MOVED_ON`.
   */
  resume(runId: string, options?: ResumeOptions): Promise<Run<unknown>>;
  /**
   * Answers a question. A refused answer leaves the run untouched. One that finds the run taken waits for it, for as long as a lease at most.
   * The same answer again, from anywhere and after the end too, changes nothing and returns the run.
   * @throws {WorkflowError} `INTERRUPT_UNKNOWN`, `INTERRUPT_MOVED`, `INTERRUPT_EXPIRED`, `INTERRUPT_ANSWERED` with who won, `EVENT_NOT_ACCEPTED`, `EVENT_INVALID`, `PATCH_INVALID` of
   *   an event whose change does not fit the state's schema, `CALL_IN_DOUBT`, `RUN_ENDED`, and what `resume` throws.
   */
  send(runId: string, event: HumanEvent, options: SendOptions): Promise<Run<unknown>>;
  /**
   * Settles a call in doubt and goes on. While the run is driven here, because another call of it was settled, it is waited for.
   * @throws {WorkflowError} `CALL_UNKNOWN`, also when another word on the same attempt was faster, and what `resume` throws.
   */
  resolve(runId: string, callId: string, resolution: Resolution): Promise<Run<unknown>>;
  /**
   * Goes through the store once and resumes every run that somebody should be at work on and nobody is: those whose process has died or
   * could not write, those whose timer is due, those that were handed over, and queued ones in the order of their threads. While the store
   * cannot be used it is asked again, for half a minute. A run that has crashed its process three times, or whose workflow or version is
   * not known, is left alone and reported. `createWorker` does it for as long as the process lives.
   * @throws {WorkflowError} `STORE_UNAVAILABLE`, `RUNTIME_CLOSED`.
   * @example for (const { run } of (await runtime.recover()).taken) console.log(run.id, await run.result);
   */
  recover(options?: RecoverOptions): Promise<Recovery>;
  /** Suspends a run that is driven here: its work in progress is aborted, and starts again at `resume`. */
  pause(runId: string, options?: PauseOptions): Promise<void>;
  /**
   * Ends a run for good, wherever it is driven: its driver notices within half a second and makes no further call. A driver that hangs or is
   * dead is not waited for. Of all callers, one succeeds.
   * @throws {WorkflowError} `RUN_UNKNOWN`; `RUN_ENDED` with the `status` that it has: `cancelled` when another caller was first.
   */
  cancel(runId: string): Promise<void>;
  /**
   * Leaves a run that is parked after three crashes (`RUN_POISONED`) to workers again, which may crash three more times. A run that is not
   * parked stays as it is. `resume` with `force` drives it here instead.
   * @throws {WorkflowError} `RUN_UNKNOWN`.
   */
  release(runId: string): Promise<void>;
  /**
   * Starts a new run with the journal of another one up to a node, and with its priority.
   * @throws {WorkflowError} `RUN_UNKNOWN`, `FORK_POINT_UNKNOWN`, `FORK_REPEATS_EFFECT`; with a `runId`, `RUN_EXISTS` of something else.
   */
  fork(runId: string, options: ForkOptions): Promise<Run<unknown>>;
  /** @throws {WorkflowError} `RUN_UNKNOWN`, `JOURNAL_MISSING`, `JOURNAL_CORRUPT`. */
  get(runId: string): Promise<RunInfo>;
  /** Newest first. */
  list(query?: RunQuery): Promise<readonly ListedRun[]>;
  /** The journal of a run. @throws {WorkflowError} `RUN_UNKNOWN`, `JOURNAL_MISSING`, `JOURNAL_CORRUPT`. */
  history(runId: string): Promise<readonly JournalEntry[]>;
  /** The events of a run: of one that is driven here until it has ended or is suspended, else the stored ones. */
  events(runId: string, options?: { readonly from?: number }): AsyncIterable<RunEvent>;
  /** @throws {WorkflowError} `THREAD_UNKNOWN`. */
  thread(threadId: string): Promise<ThreadInfo>;
  /** Suspends every run, for the next `recover` here or elsewhere; what is just beginning is refused. The store stays open. */
  close(): Promise<void>;
}
