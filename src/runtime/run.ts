import type { ErrorInfo } from '../ports/error-info.ts';
import type { CallInDoubt, Interrupt, RunEvent } from '../ports/run-event.ts';

/** Why a run is not being driven any more. `done`, `failed` and `cancelled` are ends; the others can go on. */
export type RunResult<TOutput> =
  | {
      readonly status: 'done';
      readonly finalState: string;
      readonly output: TOutput;
      /** What led there, when the final state is tagged `failure`: the run has ended, but not as its user had hoped. */
      readonly failure?: ErrorInfo;
    }
  /** For a human: `runtime.send(run.id, event, { interruptId: interrupt.id })`. */
  | {
      readonly status: 'waiting';
      readonly interrupt: Interrupt;
      readonly interrupts: readonly Interrupt[];
      /** Time at which the earliest timer is due, in milliseconds since 1970. */
      readonly wakeAt?: number;
    }
  /** For a timer alone. It goes on by itself, in this process while it lives, else in a worker; `runtime.resume` follows it. */
  | { readonly status: 'waiting'; readonly interrupt?: never; readonly interrupts: readonly []; readonly wakeAt: number }
  /** For a human's word on calls that may have happened: `runtime.resolve`. */
  | { readonly status: 'in_doubt'; readonly calls: readonly CallInDoubt[] }
  /** Suspended by `runtime.pause` or `runtime.close`: `runtime.resume`. */
  | { readonly status: 'paused' }
  /** A limit, a refused journal, a store that cannot be written, a broken workflow. Nothing is lost: correct it and `runtime.resume`. */
  | { readonly status: 'failed'; readonly error: ErrorInfo }
  | { readonly status: 'cancelled' };

/** A run that is being driven. */
export interface Run<TOutput> {
  readonly id: string;
  readonly threadId?: string;
  /** Settles when the run has ended or is suspended. Never rejects for anything that the workflow or its host does. */
  readonly result: Promise<RunResult<TOutput>>;
  /**
   * The events from number `from` on, stored ones first, then live ones until the run has ended or is suspended. Any number of consumers.
   * @param options.from Number of the first event. @default 1
   */
  events(options?: { readonly from?: number }): AsyncIterable<RunEvent>;
}
