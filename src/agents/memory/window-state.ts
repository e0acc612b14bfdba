import { checkInteger } from '../../core/util/check-integer.ts';
import type { StatedFact } from './stated-facts.ts';
import type { WindowMessage } from './window-message.ts';

/** Memory of a thread's conversation, as bounded plain JSON. The question in progress is not included. */
export interface WindowState {
  /** Verbatim messages, oldest first. */
  readonly messages: readonly WindowMessage[];
  /** Summaries of earlier messages, oldest first. */
  readonly summaries: readonly WindowSummary[];
  /** Facts that the user stated in summarised messages, oldest first; at most 1,024 bytes. */
  readonly facts: readonly StatedFact[];
  /** Estimated tokens of all summarised messages, which a full history would still send. */
  readonly summarizedTokens: number;
}

export interface WindowSummary {
  /** Text of the summary; may be empty if the messages were. */
  readonly text: string;
  /** Ids of the summarised messages, oldest first. Empty for an imported summary. */
  readonly messageIds: readonly string[];
  /** Origin of the summary. `extract`: the summariser's text was longer than the messages, so an extract of them replaced it. */
  readonly by: 'summarizer' | 'extract' | 'import';
}

export interface WindowSettings {
  /** Number of stored messages, including tool messages, that triggers a summary. @default 10 */
  readonly maxMessages?: number;
  /** Number of messages that stay, or a few more to keep a call with its results. Must be below `maxMessages`. @default 5 */
  readonly keepRecent?: number;
  /** Maximum number of summaries. @default 3 */
  readonly maxSummaries?: number;
}

/** Window of a thread before its first turn. */
export const emptyWindow: WindowState = { messages: [], summaries: [], facts: [], summarizedTokens: 0 };

/** @throws {WorkflowError} `OPTION_INVALID` for settings that are not whole numbers, or if `keepRecent` is not below `maxMessages`. */
export function checkedSettings({ maxMessages = 10, keepRecent = 5, maxSummaries = 3 }: WindowSettings = {}): Required<WindowSettings> {
  checkInteger('maxMessages', maxMessages, { min: 2 });
  checkInteger('keepRecent', keepRecent, { min: 1, max: maxMessages - 1 });
  checkInteger('maxSummaries', maxSummaries, { min: 1 });
  return { maxMessages, keepRecent, maxSummaries };
}
