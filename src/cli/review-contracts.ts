import { type ContractReviewOutput, contractReview } from '../../machines/contract-review/index.ts';
import { type ReviewLanguage, toCalendar } from '../contracts/index.ts';
import { reviewWords } from '../contracts/review/review-words.ts';
import { errorCodes, WorkflowError } from '../core/errors/errors.ts';
import { type ChatModel, createRuntime, type ErrorInfo } from '../index.ts';
import { requireCalendarPath, writeCalendar } from './calendar-file.ts';
import { exitCodes } from './exit-codes.ts';
import { toSettings } from './flags.ts';
import { loadWithNotices } from './load-with-notices.ts';
import type { ModelFlags } from './model-flags.ts';
import { modelOf } from './model-of.ts';
import { printReview } from './print-review.ts';
import { escapeControls, paint, print, printableJson } from './terminal.ts';
import { UsageError } from './usage-error.ts';

export interface ReviewFlags extends ModelFlags {
  readonly as?: string;
  readonly standard?: string;
  readonly language?: ReviewLanguage;
  readonly today?: string;
  readonly holidays?: readonly string[];
  readonly ics?: string;
  readonly model?: string;
  readonly baseUrl?: string;
  readonly contextTokens?: number;
  readonly json?: boolean;
}

/**
 * Reviews contracts and prints a report of each, or one line of JSON. Every file is read and checked before anything is printed or written.
 * Returns the exit code: 1 if the model has failed, and the reports are those of the rules.
 */
export async function reviewContracts(paths: readonly string[], flags: ReviewFlags): Promise<number> {
  const { ics, json = false } = flags;
  if (ics !== undefined && paths.length > 1) throw new UsageError('--ics writes the dates of one contract. Review one file at a time.');
  if (ics !== undefined) requireCalendarPath(ics, [...paths, ...(flags.standard === undefined ? [] : [flags.standard])]);
  const model = await modelOf(toSettings(flags));
  const outputs: ContractReviewOutput[] = [];
  for (const path of paths) outputs.push(await reviewOf(path, flags, model));
  const [first] = outputs;
  const calendar = ics === undefined || !first?.review ? undefined : toCalendar(first.review, { now: new Date() });
  if (ics !== undefined && calendar !== undefined) writeCalendar(ics, calendar);
  for (const [index, { review, byModel, error }] of outputs.entries()) {
    if (review === null) continue;
    const { rulesOnly, withModel, modelFailed } = reviewWords[review.language];
    if (json) print(printableJson({ ...review, byModel, error }));
    else {
      if (index > 0) print('');
      printReview(review, byModel ? withModel : error === null ? rulesOnly : modelFailed);
    }
    if (error !== null) process.stderr.write(`${paint('red', '✗')} ${error.code}: ${escapeControls(error.message)}\n`);
    if (ics !== undefined && calendar === undefined)
      process.stderr.write(`${paint('yellow', '!')} ${escapeControls(`${ics} is not written: the contract states no date.`)}\n`);
  }
  return outputs.some(({ error }) => error !== null) ? exitCodes.failed : exitCodes.done;
}

async function reviewOf(path: string, flags: ReviewFlags, model: ChatModel | undefined): Promise<ContractReviewOutput> {
  const { as, standard, language, today = localDate(new Date()), holidays, contextTokens, maxRepairs } = flags;
  const workflow = contractReview({
    ...(model === undefined ? {} : { model }),
    ...(contextTokens === undefined ? {} : { contextTokens }),
    ...(maxRepairs === undefined ? {} : { maxRepairs }),
  });
  const input = {
    contract: await textOf(path),
    today,
    ...(standard === undefined ? {} : { standard: await textOf(standard) }),
    ...(as === undefined ? {} : { as }),
    ...(language === undefined ? {} : { language }),
    ...(holidays === undefined ? {} : { holidays }),
  };
  const runtime = createRuntime();
  try {
    const result = await runtime.start(workflow, input).result;
    if (result.status === 'done') return result.output;
    if (result.status !== 'failed') throw new Error(`The review has ended as ${result.status}.`);
    if (result.resumable || result.output.review === null) throw toWorkflowError(result.error);
    return result.output;
  } finally {
    await runtime.close();
  }
}

async function textOf(path: string): Promise<{ readonly name: string; readonly text: string }> {
  const { name, text } = await loadWithNotices(path);
  return { name, text };
}

function toWorkflowError({ code, message, hint }: ErrorInfo): WorkflowError {
  return new WorkflowError({
    code: errorCodes.find((known) => known === code) ?? 'UNKNOWN',
    message,
    ...(hint === undefined ? {} : { hint }),
  });
}

const localDate = (now: Date): string =>
  [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((part) => String(part).padStart(2, '0')).join('-');
