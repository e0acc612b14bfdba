/** A question or an answer. A type rather than an interface, so that it is assignable to `Json`. */
export type ConversationMessage = {
  readonly role: 'user' | 'assistant';
  readonly content: string;
};

export interface TurnWindow {
  /** Maximum number of stored messages; a turn has two. */
  readonly maxMessages: number;
  /** Maximum number of stored characters of each message. */
  readonly maxChars: number;
}

/**
 * Appends a turn to the conversation that a thread stores for its next run: the last messages, each cut to a maximum length. For
 * `thread.next` of `defineWorkflow`, in conversations without summaries.
 *
 * @example
 * next: (thread, { state }) => ({ messages: addTurn(thread.messages, { question, answer }, { maxMessages: 20, maxChars: 4_000 }) })
 */
export function addTurn(
  messages: readonly ConversationMessage[],
  { question, answer }: { readonly question: string; readonly answer: string },
  { maxMessages, maxChars }: TurnWindow,
): readonly ConversationMessage[] {
  const turn: readonly ConversationMessage[] = [
    { role: 'user', content: question.slice(0, maxChars) },
    { role: 'assistant', content: answer.slice(0, maxChars) },
  ];
  return [...messages, ...turn].slice(-maxMessages);
}
