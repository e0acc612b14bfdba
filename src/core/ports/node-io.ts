import type { Json, Storable } from './json.ts';
import type { BudgetedCall, Reservation } from './model-budget.ts';
import type { StreamEvent } from './run-event.ts';
import type { TextGuard } from './text-guard.ts';

/** A node handler's access to steps, events and cancellation. */
export interface NodeIo {
  /** Aborts when the run leaves the state, is paused or cancelled, or reaches a limit. */
  readonly signal: AbortSignal;
  /** Id of the node's run; in a fork, the fork's own id. Absent under a plain `createActor`. */
  readonly runId?: string;
  /** Id of the run's thread. Absent for a run without one. */
  readonly threadId?: string | undefined;
  /** `state#visit`, for example `executor#2`: the same after a restart. */
  readonly key: string;
  /** Keys of this visit's steps that the journal already holds, in the order in which they ended. A restart replays these. */
  readonly recorded?: readonly string[];
  /** Guards of the workflow, and of the workflows around it. `askModel` and the executor apply them. Absent: none. */
  readonly guards?: readonly TextGuard[];
  /**
   * Reserves the cost of a model call from the runtime's budget. `askModel` calls it. A refusal fails the run, as a limit does, so that
   * nothing is lost. Absent: there is no budget.
   * @throws {WorkflowError} see `ModelBudget`.
   */
  readonly reserve?: ((call: BudgetedCall) => Promise<Reservation>) | undefined;
  /**
   * Appends to the run's event log. `token` and `custom` events are live only; the others are stored with the next commit.
   * @throws {WorkflowError} `EVENT_INVALID` for an event type that only the runtime emits, and for a missing, wrong or unknown field;
   * `OUTPUT_TOO_LARGE`; `LIMIT_EXCEEDED` for a `model-start` or `tool-start` beyond the run's limits: do not make the call then.
   */
  emit(event: StreamEvent): void;
  /**
   * Runs `work` once per run and key. After a restart it returns or throws the recorded outcome and does not call `work`. The value of
   * `work` is JSON of any type, interfaces included; a value that JSON would change is an error. `key` is unique within one visit of the
   * node. The node also waits for steps it did not await; if one of them fails, the node fails.
   * @throws {WorkflowError} `STEP_KEY_REUSED` if this visit has already used the key; `ID_INVALID`, `OPTION_INVALID`, `VALUE_NOT_JSON`.
   */
  step<T>(key: string, work: (attempt: Attempt) => Promise<T & Storable<T>>, options?: StepOptions): Promise<T>;
}

/** One execution of a step's work. */
export interface Attempt {
  /** 1, plus 1 for each crash or pause that interrupted the step. */
  readonly number: number;
  /** The same for every attempt of this step in this run. Pass it to the service you call. */
  readonly idempotencyKey: string;
  readonly signal: AbortSignal;
}

/** Behaviour of a step that a crash interrupts. */
export interface StepOptions {
  /**
   * `pure` and `idempotent` work is repeated. `once` work is recorded before it starts and is never repeated automatically: after a crash
   * the run is `in_doubt` until `runtime.resolve`.
   * @default 'idempotent'
   */
  readonly effect?: Effect;
  /** Shown to a human when a `once` step is in doubt, such as tool and arguments. */
  readonly describe?: Json;
  /** Converts a human's result (`runtime.resolve` with `done`) into the step's value. Default: unchanged. */
  readonly fromHuman?: (output: Json) => Json;
}

/** Effect of repeating a call: none (`pure`), none with the same idempotency key (`idempotent`), or harm (`once`). */
export type Effect = 'pure' | 'idempotent' | 'once';
