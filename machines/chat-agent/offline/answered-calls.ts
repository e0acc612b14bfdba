import type { ModelToolCall } from 'agent-machines';
import type { WindowMessage } from 'agent-machines/memory';

/** A call of this turn, and its answer. */
export interface AnsweredCall {
  readonly call: ModelToolCall;
  /** JSON or text. */
  readonly content: string;
}

/** The calls of this turn in order, each with its answer. */
export function answeredCalls(messages: readonly WindowMessage[]): readonly AnsweredCall[] {
  const answers = messages.flatMap(({ message }) => (message.role === 'tool' ? [message.content] : []));
  const calls = messages.flatMap(({ message }) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []));
  return calls.flatMap((call, index) => (answers[index] === undefined ? [] : [{ call, content: answers[index] }]));
}
