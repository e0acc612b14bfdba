import { fromErrorInfo, WorkflowError } from '../../core/errors/errors.ts';
import { asJson } from '../../core/util/as-json.ts';
import { optionInvalid } from '../../core/util/check-options.ts';
import { isObject } from '../../core/util/is-object.ts';
import type { Run } from '../drive/run.ts';

/**
 * Returns the output of a run that has succeeded, for a program that expects an answer.
 *
 * @throws {WorkflowError} the error of a failed run; `RUN_UNFINISHED` if the run waits, is paused, in doubt or cancelled. `data.result`
 * then holds its result, with the question in `interrupt`.
 * @example const text = await outputOf(runtime.start(publish, { topic: 'otters' }));
 */
export async function outputOf<TOutput>(run: Pick<Run<TOutput>, 'id' | 'result'>): Promise<TOutput> {
  if (!isObject(run?.result) || typeof run.result.then !== 'function') throw notARun();
  const result = await run.result;
  if (result.status === 'done') return result.output;
  if (result.status === 'failed') throw fromErrorInfo(result.error);
  const { status } = result;
  const question = result.status === 'waiting' && result.interrupt ? ` for an answer to "${result.interrupt.key}"` : '';
  throw new WorkflowError({
    code: 'RUN_UNFINISHED',
    message: `The run ${run.id} has no output: its status is "${status}"${question}.`,
    hint: hints[status],
    data: { runId: run.id, result: asJson(result) },
  });
}

const notARun = (): WorkflowError =>
  optionInvalid('The argument of outputOf is not a run.', 'Write outputOf(runtime.start(…)), or outputOf(await runtime.send(…)).');

const hints = {
  waiting: 'Answer the question with runtime.send, or wait for its timer.',
  in_doubt: 'Settle the calls with runtime.resolve.',
  paused: 'Continue with runtime.resume.',
  cancelled: 'Start a new run.',
} as const;
