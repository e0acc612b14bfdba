import { keepThrown, thrownOf, toNodeError } from '../../core/errors/errors.ts';
import type { ErrorInfo } from '../../core/ports/error-info.ts';
import type { Attempt, NodeIo, StepOptions } from '../../core/ports/node-io.ts';
import type { StreamEvent } from '../../core/ports/run-event.ts';
import type { TextGuard } from '../../core/ports/text-guard.ts';
import { frozenCopy } from '../../core/util/frozen-copy.ts';
import type { Stop } from '../../core/util/stop.ts';
import type { AttemptSteps } from './attempter.ts';
import { checkStreamEvent } from './check-stream-event.ts';
import type { Host } from './host.ts';
import { type FailedStep, OpenSteps } from './open-steps.ts';

/** Node of a run. `steps` journals its steps when it may have several attempts. */
export interface NodePlace {
  readonly key: string;
  readonly host: Host;
  readonly stop: Stop;
  readonly steps?: AttemptSteps;
  /** Guards of its workflow and of those around it. */
  readonly guards: readonly TextGuard[];
}

/** The `io` of a node's handler: the part of the host that one node may use. */
export class DriverIo implements NodeIo {
  readonly key: string;
  readonly guards: readonly TextGuard[];
  readonly #host: Host;
  readonly #stop: Stop;
  readonly #maxOutputBytes: number;
  readonly #attempt: AttemptSteps | undefined;
  #steps: OpenSteps | undefined;

  constructor({ key, host, stop, steps, guards }: NodePlace, maxOutputBytes: number) {
    this.key = key;
    this.guards = guards;
    this.#host = host;
    this.#stop = stop;
    this.#maxOutputBytes = maxOutputBytes;
    this.#attempt = steps;
  }

  static hostOf(io: NodeIo): NodeHost | undefined {
    return #host in io ? { host: io.#host, stop: io.#stop, guards: io.guards } : undefined;
  }

  get runId(): string {
    return this.#host.runId;
  }

  get threadId(): string | undefined {
    return this.#host.threadId;
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  get reserve(): NodeIo['reserve'] {
    const { reserve } = this.#host;
    return reserve && ((call) => reserve(call, this.#stop));
  }

  get recorded(): readonly string[] {
    return this.#host.recorded(this.key);
  }

  // getters that return closures, because handlers destructure `io`
  get emit(): NodeIo['emit'] {
    return (event) => this.#host.emit(toStreamEvent(event, this.#maxOutputBytes), this.key);
  }

  get step(): NodeIo['step'] {
    return (step, work, options = noOptions) => this.#step(step, work, options);
  }

  /** Waits for the steps that are still open when the handler has ended. See `OpenSteps.end`. */
  end(): Promise<FailedStep | undefined> | undefined {
    if (this.#steps) return this.#steps.end();
    this.#steps = closedSteps;
    return undefined;
  }

  /** Converts an error of the handler, which may come from a step. */
  toError(thrown: unknown): ErrorInfo {
    const node = this.key.slice(this.key.lastIndexOf('/') + 1).split('#')[0] ?? '';
    return toNodeError(thrown, node, this.#steps?.stepOf(thrown));
  }

  #step<T>(step: string, work: (attempt: Attempt) => Promise<T>, options: StepOptions): Promise<T> {
    this.#steps ??= new OpenSteps();
    const memo = (name: string, doing: typeof work): Promise<T> =>
      this.#host.memo(this.key, name, doing, this.#stop, options, this.#maxOutputBytes);
    return this.#steps.begin(step, () => (this.#attempt ? this.#attempt.run(step, options, work, memo) : memo(step, work)));
  }
}

/**
 * Checks an event that a node emits, because it is stored and sent. A value that is not JSON must fail as the node's error, not as the
 * store's.
 */
function toStreamEvent(event: StreamEvent, maxBytes: number): StreamEvent {
  // fast path for the most frequent event
  if (event?.type === 'token' && typeof event.text === 'string' && Object.keys(event).length === 2) return event;
  const copy = checkStreamEvent(frozenCopy(event, 'event', maxBytes));
  if ('error' in event && event.error && 'error' in copy && copy.error) keepThrown(copy.error, thrownOf(event.error));
  return copy;
}

const noOptions: StepOptions = {};

const closedSteps = new OpenSteps();
void closedSteps.end();

/** Host and stop behind a node's `io`, for the drive of a workflow in that node. */
interface NodeHost {
  readonly host: Host;
  readonly stop: Stop;
  readonly guards: readonly TextGuard[];
}

/** Returns the host and stop behind a node's `io`, or `undefined` under a plain `createActor`. */
export const hostOf = (io: NodeIo): NodeHost | undefined => DriverIo.hostOf(io);
