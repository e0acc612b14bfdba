import type { ChatMessage } from './chat-model.ts';

/** Makes one text of the messages that leave a conversation's window: a model, or rules. */
export interface Summarizer {
  /** Rejects, or gives a blank text, when it cannot: then the messages stay. */
  summarize(request: SummaryRequest): Promise<string>;
}

export interface SummaryRequest {
  /** What leaves, oldest first, never without the results of its calls. */
  readonly messages: readonly ChatMessage[];
  /** What the user has said earlier, in the user's words, oldest first. It is carried on without the summary. */
  readonly facts: readonly string[];
  /** Characters (UTF-16 units) of these messages: a longer summary is thrown away. */
  readonly maxChars: number;
  readonly signal?: AbortSignal;
}
