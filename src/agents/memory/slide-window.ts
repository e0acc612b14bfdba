import { toErrorInfo, WorkflowError } from '../../core/errors/errors.ts';
import type { ErrorInfo } from '../../core/ports/error-info.ts';
import type { Summarizer } from '../../core/ports/summarizer.ts';
import { type AppliedSummary, applySummary, charsOf, contentsOf } from './apply-summary.ts';
import { cleanText } from './clean-text.ts';
import { planWindow, type SummarizePlan } from './plan-window.ts';
import type { WindowSettings, WindowState } from './window-state.ts';

export interface SlideOptions {
  readonly state: WindowState;
  readonly summarizer: Summarizer;
  readonly settings?: WindowSettings;
  readonly signal?: AbortSignal;
}

export type WindowStep =
  /** No message had to leave. */
  | { readonly kind: 'kept'; readonly state: WindowState }
  | ({ readonly kind: 'summarized'; readonly plan: SummarizePlan } & AppliedSummary)
  /** The summary failed; the state is unchanged. */
  | { readonly kind: 'failed'; readonly state: WindowState; readonly error: ErrorInfo };

/**
 * Runs the memory step of a turn: summarises the excess messages, at most once, before the question is answered. If the summariser fails or
 * returns a blank text, the messages stay. The next turn retries, with the messages added since.
 *
 * @throws the reason of an abort; {WorkflowError} `OPTION_INVALID` for invalid settings.
 * @example const { state } = await slideWindow({ state: thread.window, summarizer: extractiveSummarizer() });
 */
export async function slideWindow({ state, summarizer, settings, signal }: SlideOptions): Promise<WindowStep> {
  signal?.throwIfAborted();
  const plan = planWindow(state, settings);
  if (plan.kind === 'keep') return { kind: 'kept', state };
  const maxChars = charsOf(plan);
  let text = '';
  try {
    const facts = state.facts.map((fact) => fact.text);
    // empty messages need no summary
    if (maxChars > 0) text = await summarizer.summarize({ messages: contentsOf(plan), facts, maxChars, ...(signal ? { signal } : {}) });
    if (maxChars > 0 && cleanText(text) === '') throw blankSummary();
  } catch (cause) {
    signal?.throwIfAborted();
    return { kind: 'failed', state, error: toErrorInfo(cause) };
  }
  return { kind: 'summarized', plan, ...applySummary({ state, plan, text, ...(settings ? { settings } : {}) }) };
}

const blankSummary = (): WorkflowError =>
  new WorkflowError({ code: 'MODEL_EMPTY', message: 'The summary is blank.', hint: 'Retry.', retryable: true });
