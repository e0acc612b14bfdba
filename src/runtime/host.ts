import type { Clock } from '../ports/clock.ts';
import type { ErrorInfo } from '../ports/error-info.ts';
import type { Json, JsonObject } from '../ports/json.ts';
import type { Attempt, StepOptions } from '../ports/node-io.ts';
import type { LifecycleEvent, StreamEvent } from '../ports/run-event.ts';
import type { Taint } from '../ports/taint.ts';
import type { Stop } from '../util/stop.ts';
import type { RunInspection } from './run-inspection.ts';

/** What ended something that a machine waits for: a node's patch, its failure, a human's event, a timer. JSON. */
export type Outcome =
  | { readonly output: JsonObject }
  /** `taint`: what the failure of another workflow has brought. */
  | { readonly error: ErrorInfo; readonly taint?: Taint }
  | { readonly event: HumanEvent }
  | { readonly fired: true };

/** A human's event: its type, and what the workflow declares for it. */
export interface HumanEvent {
  readonly type: string;
  readonly [key: string]: Json;
}

/** What a waiting state can be given. */
export interface Wait {
  /** Event types. */
  readonly accepts: readonly string[];
  /** What is asked. */
  readonly question?: Json;
  /** How long it may be answered, in milliseconds. Default: forever. */
  readonly expiresInMs?: number;
  /**
   * Checks an event against the workflow and the state as it is.
   * @returns the event as the workflow reads it. @throws {WorkflowError} `EVENT_NOT_ACCEPTED`, `EVENT_INVALID`.
   */
  check(event: HumanEvent): HumanEvent;
}

/**
 * The only port between the pure machine and the world. `JournalHost` implements it on a `RunStore`; a durable engine can too.
 *
 * Keys are unique within a run and the same at each resume. An outcome that is known already is returned without any work. What a
 * method throws is the host failing, never an edge of the machine.
 */
export interface Host {
  readonly runId: string;
  /** When the run started, in milliseconds since 1970. */
  readonly startedAt: number;
  /** What time-outs and pauses between attempts go by. */
  readonly clock: Clock;
  /** Who watches the machines of the run. */
  readonly inspection?: RunInspection | undefined;
  /**
   * Runs a node. Its failure is an outcome.
   * @param nested The work is another workflow, driven on this host: it does nothing by itself.
   */
  step(key: string, work: () => Promise<Outcome>, stop: Stop, nested: boolean): Promise<Outcome>;
  /** Runs `io.step` work inside the node `node`, and returns or throws what it returned or threw first. */
  memo<T>(
    node: string,
    step: string,
    work: (attempt: Attempt) => Promise<T>,
    stop: Stop,
    options: StepOptions,
    maxOutputBytes: number,
  ): Promise<T>;
  /** The `memo` keys of this node that are known already, in the order in which they ended. */
  recorded(node: string): readonly string[];
  /** Waits for a human. */
  waitEvent(key: string, wait: Wait, stop: Stop): Promise<Outcome>;
  /** Waits until `delayMs` after the first time that this key was asked for, a restart in between or not. */
  sleep(key: string, delayMs: number, stop: Stop): Promise<Outcome>;
  /** Which of these came first, in this run and in every replay of it. @throws the reason of `stop`. */
  next(pending: ReadonlyMap<string, Promise<Outcome>>, stop?: Stop): Promise<readonly [key: string, outcome: Outcome]>;
  /** Adds to the event log; `node` is the key of the node that says it. */
  emit(event: StreamEvent | LifecycleEvent, node?: string): void;
  /** 1, and one more for each time that the node in question was interrupted. */
  attempt(key: string): number;
}
