import { cutAtSentence } from '../../core/text/sentences.ts';
import { optionInvalid } from '../../core/util/check-options.ts';
import { estimateMessageTokens } from '../../models/tokens/estimate-tokens.ts';
import { messageChars } from '../../models/tokens/message-text.ts';
import { carryFacts } from './carry-facts.ts';
import { cleanText } from './clean-text.ts';
import type { SummarizePlan } from './plan-window.ts';
import { extractFacts } from './stated-facts.ts';
import { summarizeExtractively } from './summarize-extractively.ts';
import { checkedSettings, type WindowSettings, type WindowState, type WindowSummary } from './window-state.ts';

export interface SummaryToApply {
  readonly state: WindowState;
  /** Result of `planWindow` for this state. */
  readonly plan: SummarizePlan;
  /** Summary of `plan.old`, written by the summariser. Control characters are removed. */
  readonly text: string;
  readonly settings?: WindowSettings;
}

export interface AppliedSummary {
  readonly state: WindowState;
  /** The new summary. */
  readonly summary: WindowSummary;
  /** Evicted summaries, oldest first. Their messages are no longer represented in the window, except by the facts. */
  readonly dropped: readonly WindowSummary[];
}

/**
 * Replaces the messages of a plan with a summary, and keeps the facts that the user stated in them. A summary with more characters (UTF-16
 * units) than the messages is replaced by an extract of them. A summary with more than a third of them, and more than 200, is cut at the
 * end of a sentence.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for a plan of another state.
 */
export function applySummary({ state, plan, text, settings }: SummaryToApply): AppliedSummary {
  const { maxSummaries } = checkedSettings(settings);
  const { old } = plan;
  if (old.length > state.messages.length || old.some(({ id }, i) => id !== state.messages[i]?.id)) {
    throw optionInvalid(
      'The plan belongs to another state of the window.',
      'Plan again. The messages of the plan are already summarised, or belong to another thread.',
      'plan',
    );
  }
  const maxChars = charsOf(plan);
  const cleaned = cleanText(text);
  const isTaken = cleaned.length <= maxChars;
  const summary: WindowSummary = {
    text: isTaken
      ? cutAtSentence(cleaned, Math.max(leastChars, Math.floor(maxChars / 3)))
      : summarizeExtractively(contentsOf(plan), { maxChars: Math.min(maxChars, maxExtractChars) }),
    messageIds: old.map(({ id }) => id),
    by: isTaken ? 'summarizer' : 'extract',
  };
  const summaries = [...state.summaries, summary];
  return {
    state: {
      messages: state.messages.slice(old.length),
      summaries: summaries.slice(-maxSummaries),
      facts: carryFacts(state.facts, extractFacts(old)),
      summarizedTokens: old.reduce((sum, { message }) => sum + estimateMessageTokens(message), state.summarizedTokens),
    },
    summary,
    dropped: summaries.slice(0, -maxSummaries),
  };
}

/**
 * Minimum length of a cut summary. A summary longer than a third of the messages saves too little, so it is cut at the end of a sentence.
 */
const leastChars = 200;

/** Maximum length of an extract; a longer one would save nothing. */
const maxExtractChars = 600;

/** Returns the maximum length of a plan's summary. */
export const charsOf = ({ old }: SummarizePlan): number => old.reduce((sum, { message }) => sum + messageChars(message), 0);

export const contentsOf = ({ old }: SummarizePlan): SummarizePlan['old'][number]['message'][] => old.map(({ message }) => message);
