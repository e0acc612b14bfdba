import type { MachineContext } from 'xstate';
import { WorkflowError } from '../errors.ts';
import { checkInteger, checkTimeout } from '../util/check-integer.ts';
import type { RetryPolicy } from '../util/retryer.ts';
import { type NodeHandler, subStructureOf } from '../workflow/node.ts';
import { attemptLive } from './attempt-live.ts';
import { attemptNode } from './attempt-node.ts';
import { setAttempter } from './attempter.ts';
import { checkOptions, number, object, optionInvalid } from './check-options.ts';

export interface AttemptOptions {
  /** When the handler is run again. Default: never. */
  readonly retry?: RetryPolicy;
  /** How long one attempt may take, in milliseconds. Default: no limit but those of the run. */
  readonly timeoutMs?: number;
}

/**
 * Makes a node that is run again when it fails, or cut off when it takes too long, within one visit: an attempt that is followed by another
 * one takes no edge.
 *
 * Steps (`io.step`) that have succeeded are not repeated, and a node in which a `once` step has failed is not run again. At the time-out
 * `io.signal` is aborted and the attempt has failed with `NODE_TIMEOUT`, which is retryable; `once` steps are waited for, and one that throws
 * then is in doubt. Failed attempts are in the journal: after a crash the next one begins.
 *
 * @throws {WorkflowError} `OPTION_INVALID`, also for a `subWorkflow`: give it to the nodes inside.
 * @example nodes: { write: withAttempts(write, { retry: { attempts: 3 }, timeoutMs: 30_000 }) }
 */
export function withAttempts<TState extends MachineContext>(run: NodeHandler<TState>, options: AttemptOptions): NodeHandler<TState> {
  checkOptions('withAttempts', options, attemptOptions);
  if (typeof run !== 'function')
    throw optionInvalid('withAttempts was given no handler.', 'It takes a node’s handler and { retry, timeoutMs }.');
  const { retry, timeoutMs } = options;
  if (timeoutMs !== undefined) checkTimeout('timeoutMs', timeoutMs);
  if (retry?.attempts !== undefined) checkInteger('retry.attempts', retry.attempts, { min: 1 });
  if (subStructureOf(run) !== undefined) throw ofSubWorkflow();
  const handler: NodeHandler<TState> = (state, io) => attemptLive(options, io, (each) => run(state, each));
  setAttempter(handler, attemptNode(run as unknown as NodeHandler<MachineContext>, options)); // the driver knows no workflow's state
  return handler;
}

const attemptOptions = { retry: object, timeoutMs: number };

const ofSubWorkflow = (): WorkflowError =>
  new WorkflowError({
    code: 'OPTION_INVALID',
    message: 'A node that runs a workflow cannot be begun twice in one visit.',
    hint: 'Give retry and timeoutMs to the nodes inside it.',
  });
