import type { Clock } from '../../core/ports/clock.ts';
import type { ErrorInfo } from '../../core/ports/error-info.ts';
import type { HumanEvent } from '../../core/ports/human-event.ts';
import type { Json, JsonObject } from '../../core/ports/json.ts';
import type { BudgetedCall, Reservation } from '../../core/ports/model-budget.ts';
import type { Attempt, StepOptions } from '../../core/ports/node-io.ts';
import type { LifecycleEvent, StreamEvent } from '../../core/ports/run-event.ts';
import type { Taint } from '../../core/ports/taint.ts';
import type { Stop } from '../../core/util/stop.ts';
import type { RunInspection } from './run-inspection.ts';

/** Result of a node, event or timer that a machine waits for: a patch, a failure, a human's event, or a fired timer. JSON. */
export type Outcome =
  | { readonly output: JsonObject }
  /** `taint`: taint that the failure of an inner workflow carries. */
  | { readonly error: ErrorInfo; readonly taint?: Taint }
  | { readonly event: HumanEvent }
  | { readonly fired: true };

/** Events that a waiting state accepts, and its question. */
export interface Wait {
  /** Types of accepted events. */
  readonly accepts: readonly string[];
  /** Question for the human. */
  readonly question?: Json;
  /** Time limit for an answer, in milliseconds. Default: no limit. */
  readonly expiresInMs?: number;
  /**
   * Checks an event against the workflow and its current state.
   * @returns the event as the workflow parsed it. @throws {WorkflowError} `EVENT_NOT_ACCEPTED`, `EVENT_INVALID`.
   */
  check(event: HumanEvent): HumanEvent;
}

/**
 * The only port between the pure machine and the outside world. `JournalHost` implements it on a `RunStore`. A durable engine can implement
 * it too.
 *
 * Keys are unique within a run and the same at each resume. A known outcome is returned without any work. An error that a method throws is
 * a failure of the host, never an edge of the machine.
 */
export interface Host {
  readonly runId: string;
  /** Absent for a run without a thread. */
  readonly threadId?: string | undefined;
  /** Start of the run, in milliseconds since 1970. */
  readonly startedAt: number;
  /** Clock for time-outs and pauses between attempts. */
  readonly clock: Clock;
  /** Reserves the cost of a model call of a node with this `stop`. Absent: there is no budget. */
  readonly reserve?: ((call: BudgetedCall, stop: Stop) => Promise<Reservation>) | undefined;
  /** Observer of the run's machines. */
  readonly inspection?: RunInspection | undefined;
  /**
   * Runs a node. The failure of a node is an outcome.
   * @param nested True when the work is another workflow, driven on this host. Such a node does no work by itself.
   */
  step(key: string, work: () => Promise<Outcome>, stop: Stop, nested: boolean): Promise<Outcome>;
  /** Runs the work of an `io.step` inside the node `node`. If its first outcome is known, returns or throws that instead. */
  memo<T>(
    node: string,
    step: string,
    work: (attempt: Attempt) => Promise<T>,
    stop: Stop,
    options: StepOptions,
    maxOutputBytes: number,
  ): Promise<T>;
  /** `memo` keys of this node with a known outcome, in the order in which they ended. */
  recorded(node: string): readonly string[];
  /** Waits for a human's event. */
  waitEvent(key: string, wait: Wait, stop: Stop): Promise<Outcome>;
  /** Waits until `delayMs` after the first request with this key, also across restarts. */
  sleep(key: string, delayMs: number, stop: Stop): Promise<Outcome>;
  /** Returns the pending outcome that came first. The order is the same in every replay. @throws the reason of `stop`. */
  next(pending: ReadonlyMap<string, Promise<Outcome>>, stop?: Stop): Promise<readonly [key: string, outcome: Outcome]>;
  /** Adds an event to the event log. `node` is the key of the node that emits it. */
  emit(event: StreamEvent | LifecycleEvent, node?: string): void;
  /** Returns 1 plus the number of times that this node was interrupted. */
  attempt(key: string): number;
}
