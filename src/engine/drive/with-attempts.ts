import type { MachineContext } from 'xstate';
import type { WorkflowError } from '../../core/errors/errors.ts';
import type { NodeIo } from '../../core/ports/node-io.ts';
import { checkInteger, checkTimeout } from '../../core/util/check-integer.ts';
import { checkOptions, number, object, optionInvalid } from '../../core/util/check-options.ts';
import { type RetryPolicy, retry as retryWork } from '../../core/util/retryer.ts';
import { systemClock } from '../../core/util/system-clock.ts';
import { withTimeout } from '../../core/util/with-timeout.ts';
import { type NodeHandler, subStructureOf } from '../define/node.ts';
import { attemptNode } from './attempt-node.ts';
import { setAttempter } from './attempter.ts';
import { nodeTimeout } from './node-timeout.ts';

export interface AttemptOptions {
  /** Policy for repeating the handler. Default: no retry. */
  readonly retry?: RetryPolicy;
  /** Time limit of one attempt, in milliseconds. Default: only the limits of the run. */
  readonly timeoutMs?: number;
}

/**
 * Makes a node that is retried on failure, or cut off at its time-out, within one visit. An attempt that is followed by another one takes
 * no edge.
 *
 * Successful steps (`io.step`) are not repeated. A node in which a `once` step has failed is not retried. At the time-out, `io.signal` is
 * aborted and the attempt fails with `NODE_TIMEOUT`, which is retryable. `once` steps are awaited even then, and one that throws is in
 * doubt. Failed attempts are in the journal, so that a crash is followed by the next attempt.
 *
 * @throws {WorkflowError} `OPTION_INVALID`, also for a `subWorkflow`: give the options to the nodes inside.
 * @example nodes: { write: withAttempts(write, { retry: { attempts: 3 }, timeoutMs: 30_000 }) }
 */
export function withAttempts<TState extends MachineContext>(run: NodeHandler<TState>, options: AttemptOptions): NodeHandler<TState> {
  checkOptions('withAttempts', options, attemptOptions);
  if (typeof run !== 'function')
    throw optionInvalid('The first argument of withAttempts is not a handler.', 'Pass a node’s handler and { retry, timeoutMs }.');
  const { retry, timeoutMs } = options;
  if (timeoutMs !== undefined) checkTimeout('timeoutMs', timeoutMs);
  if (retry?.attempts !== undefined) checkInteger('retry.attempts', retry.attempts, { min: 1 });
  if (subStructureOf(run) !== undefined) throw ofSubWorkflow();
  const handler: NodeHandler<TState> = (state, io) => attemptLive(options, io, (each) => run(state, each));
  // safe cast: the driver does not know the types of a workflow's state
  setAttempter(handler, attemptNode(run as unknown as NodeHandler<MachineContext>, options));
  return handler;
}

const attemptOptions = { retry: object, timeoutMs: number };

const ofSubWorkflow = (): WorkflowError =>
  optionInvalid('A node that runs a workflow cannot be retried within one visit.', 'Give retry and timeoutMs to the nodes inside it.');

/**
 * Runs a handler under a plain `createActor`. A step that succeeded in one attempt returns the same value to the next attempt without
 * repeating its work.
 */
function attemptLive<T>(options: AttemptOptions, io: NodeIo, run: (io: NodeIo) => Promise<T>): Promise<T> {
  const { retry = { attempts: 1 }, timeoutMs } = options;
  const known = new Map<string, unknown>();
  let onceFailed = false;
  const step: NodeIo['step'] = async (key, work, options) => {
    if (known.has(key)) return structuredClone(known.get(key)) as Awaited<ReturnType<typeof work>>;
    try {
      const value = await io.step(key, work, options);
      known.set(key, structuredClone(value));
      return value;
    } catch (cause) {
      if (options?.effect === 'once') onceFailed = true;
      throw cause;
    }
  };
  const attempt = (): Promise<T> => {
    const halt = new AbortController();
    const late = async (): Promise<never> => {
      const reason = nodeTimeout(io.key, timeoutMs);
      halt.abort(reason);
      throw reason;
    };
    return withTimeout(() => run({ ...io, step, signal: AbortSignal.any([io.signal, halt.signal]) }), timeoutMs, systemClock, late);
  };
  const retryable = retry.retryable ?? ((error) => error.retryable);
  return retryWork(attempt, { ...retry, retryable: (error) => !onceFailed && retryable(error) }, { clock: systemClock, signal: io.signal });
}
