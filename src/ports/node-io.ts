import type { Json, Storable } from './json.ts';
import type { StreamEvent } from './run-event.ts';

/** What a node's handler is given to reach the world. */
export interface NodeIo {
  /** Aborted when the state is left, the run is paused or cancelled, or a limit is reached. */
  readonly signal: AbortSignal;
  /** Of the run that the node works in, a fork's own id in a fork; absent under a plain `createActor`. */
  readonly runId?: string;
  /** `state#visit`, for example `executor#2`: the same after a restart. */
  readonly key: string;
  /** Keys of the steps of this visit that the journal has already, in the order in which they ended: what a restart has to go through again. */
  readonly recorded?: readonly string[];
  /**
   * Adds to the run's event log. `token` and `custom` events are live only; the rest is stored with the next commit.
   * @throws {WorkflowError} `EVENT_INVALID` for what only the runtime says, and for a field that is missing, wrong or too many; `OUTPUT_TOO_LARGE`; `LIMIT_EXCEEDED` for a `model-start` or `tool-start` past the run's limits: the call must not be made.
   */
  emit(event: StreamEvent): void;
  /**
   * Runs `work` once per run and key: after a restart its recorded outcome is returned (or thrown) and `work` is not called.
   * What `work` returns is JSON of any type, interfaces included; what JSON would change is refused.
   * `key` is unique within one visit of the node. A node ends when its handler and all its steps have: a step that was begun and never
   * awaited is waited for, and fails its node when it fails.
   * @throws {WorkflowError} `STEP_KEY_REUSED` for a key that this visit has already used; `ID_INVALID`, `OPTION_INVALID`, `VALUE_NOT_JSON`.
   */
  step<T>(key: string, work: (attempt: Attempt) => Promise<T & Storable<T>>, options?: StepOptions): Promise<T>;
}

/** One execution of a step's work. */
export interface Attempt {
  /** 1, and one more for each time that a crash or a pause interrupted the step. */
  readonly number: number;
  /** The same for every attempt of this step of this run: hand it to the service that is called. */
  readonly idempotencyKey: string;
  readonly signal: AbortSignal;
}

/** How a step behaves when a crash finds it in flight. */
export interface StepOptions {
  /**
   * `pure` and `idempotent` work is run again. `once` work is recorded before it starts; found in flight it is never run again by
   * itself: the run becomes `in_doubt` until `runtime.resolve`.
   * @default 'idempotent'
   */
  readonly effect?: Effect;
  /** What a human is shown when a `once` step is in doubt, such as tool and arguments. */
  readonly describe?: Json;
  /**
   * Turns what a human says the step has returned (`runtime.resolve`, as `done`) into the step's value. Default: as it is.
   */
  readonly fromHuman?: (output: Json) => Json;
}

/** What repeating a call would do: nothing, nothing more (with the same idempotency key), or harm. */
export type Effect = 'pure' | 'idempotent' | 'once';
