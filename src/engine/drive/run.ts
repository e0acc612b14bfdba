import type { ErrorInfo } from '../../core/ports/error-info.ts';
import type { CallInDoubt, Interrupt, RunEvent, TokenUsage } from '../../core/ports/run-event.ts';

/** State of a run that is no longer driven. `done`, `failed` and `cancelled` are ends. Runs with any other status can be resumed. */
export type RunResult<TOutput> = RunRest<TOutput> & {
  /**
   * Tokens of all model calls of the run, summed over its `model-end` events: those of earlier processes, of agents called as tools, and
   * of replies that could not be used. Absent if no call has reported any.
   */
  readonly usage?: TokenUsage;
};

type RunRest<TOutput> =
  /** The run has reached a final state that is a success. */
  | { readonly status: 'done'; readonly finalState: string; readonly output: TOutput }
  /** Waits for a human: `runtime.send(run.id, event, { interruptId: interrupt.id })`. */
  | {
      readonly status: 'waiting';
      readonly interrupt: Interrupt;
      readonly interrupts: readonly Interrupt[];
      /** Time at which the earliest timer is due, in milliseconds since 1970. */
      readonly wakeAt?: number;
    }
  /** Waits for a timer alone. It resumes by itself, in this process while it lives, otherwise in a worker. `runtime.resume` follows it. */
  | { readonly status: 'waiting'; readonly interrupt?: never; readonly interrupts: readonly []; readonly wakeAt: number }
  /** Waits for a human to resolve calls that may have happened: `runtime.resolve`. */
  | { readonly status: 'in_doubt'; readonly calls: readonly CallInDoubt[] }
  /** Suspended by `runtime.pause` or `runtime.close`. Continue with `runtime.resume`. */
  | { readonly status: 'paused' }
  /** The workflow ended in a final state tagged `failure`, with the output of that state. To try again, fork the run or start a new one. */
  | {
      readonly status: 'failed';
      readonly error: ErrorInfo;
      readonly resumable: false;
      readonly finalState: string;
      readonly output: TOutput;
    }
  /**
   * The host stopped the run: a limit, a rejected journal, a store that cannot be written, or a broken workflow. Nothing is lost: correct
   * the cause and call `runtime.retry`. A run that could not start, for example because its thread is busy, is started again instead.
   */
  | { readonly status: 'failed'; readonly error: ErrorInfo; readonly resumable: true }
  | { readonly status: 'cancelled' };

/** A run that is being driven. */
export interface Run<TOutput, TEvent = unknown> {
  readonly id: string;
  readonly threadId?: string;
  /** Settles when the run has ended or is suspended. Never rejects because of the workflow or its host. */
  readonly result: Promise<RunResult<TOutput>>;
  /**
   * Yields the events from number `from` on, stored events first, then live ones until the run has ended or is suspended. Any number of
   * consumers can read at once.
   * @param options.from Number of the first event. @default 1
   */
  events(options?: { readonly from?: number }): AsyncIterable<RunEvent>;
  /** Phantom: carries the type of the events that `runtime.send` accepts, never set. */
  readonly accepts?: TEvent;
}
