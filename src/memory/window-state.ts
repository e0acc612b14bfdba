import { checkInteger } from '../util/check-integer.ts';
import type { StatedFact } from './stated-facts.ts';
import type { WindowMessage } from './window-message.ts';

/** What a thread remembers of its conversation: plain JSON, bounded. The question that is being answered is not in it. */
export interface WindowState {
  /** Word for word, oldest first. */
  readonly messages: readonly WindowMessage[];
  /** Of what came before them, oldest first. */
  readonly summaries: readonly WindowSummary[];
  /** What the user has stated in messages that were summarised, oldest first; at most 1,024 bytes. */
  readonly facts: readonly StatedFact[];
  /** Estimated tokens of all messages that were summarised: what a full history would still send. */
  readonly summarizedTokens: number;
}

export interface WindowSummary {
  /** May be empty when the messages were. */
  readonly text: string;
  /** What it stands for, oldest first. Empty for one that was imported. */
  readonly messageIds: readonly string[];
  /** `extract`: the summariser's text was longer than the messages, and theirs was cut instead. */
  readonly by: 'summarizer' | 'extract' | 'import';
}

export interface WindowSettings {
  /** As many stored messages as this, tool messages included, are too many. @default 10 */
  readonly maxMessages?: number;
  /** How many stay, or a few more when a call would lose its results. Below `maxMessages`. @default 5 */
  readonly keepRecent?: number;
  /** @default 3 */
  readonly maxSummaries?: number;
}

/** A thread's window before its first turn. */
export const emptyWindow: WindowState = { messages: [], summaries: [], facts: [], summarizedTokens: 0 };

/** @throws {WorkflowError} `OPTION_INVALID` for settings that are no whole numbers, or where `keepRecent` is not below `maxMessages`. */
export function checkedSettings({ maxMessages = 10, keepRecent = 5, maxSummaries = 3 }: WindowSettings = {}): Required<WindowSettings> {
  checkInteger('maxMessages', maxMessages, { min: 2 });
  checkInteger('keepRecent', keepRecent, { min: 1, max: maxMessages - 1 });
  checkInteger('maxSummaries', maxSummaries, { min: 1 });
  return { maxMessages, keepRecent, maxSummaries };
}
