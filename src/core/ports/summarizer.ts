import type { ChatMessage } from './chat-model.ts';

/** Condenses the messages that leave a conversation's window into one text, with a model or with rules. */
export interface Summarizer {
  /** Rejects or returns a blank text if it cannot summarize; the messages stay then. */
  summarize(request: SummaryRequest): Promise<string>;
}

export interface SummaryRequest {
  /** The messages that leave, oldest first, always together with the results of their calls. */
  readonly messages: readonly ChatMessage[];
  /** Earlier facts in the user's own words, oldest first. They survive without the summary. */
  readonly facts: readonly string[];
  /** Characters (UTF-16 units) of these messages; a longer summary is discarded. */
  readonly maxChars: number;
  readonly signal?: AbortSignal;
}
