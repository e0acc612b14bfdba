/** A question or an answer. A type and not an interface, so that it is assignable to `Json`. */
export type ConversationMessage = {
  readonly role: 'user' | 'assistant';
  readonly content: string;
};

export interface TurnWindow {
  /** How many messages are kept: two for each turn. */
  readonly maxMessages: number;
  /** How many characters of each message are kept. */
  readonly maxChars: number;
}

/**
 * A conversation with one turn more, as a thread keeps it for the next run: the last messages, each cut to a length. For `thread.next` of
 * `defineWorkflow`, where a conversation needs no summaries.
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
