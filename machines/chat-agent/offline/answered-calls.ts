import type { ModelToolCall, Passage } from 'agent-machines';
import type { WindowMessage, WindowState } from 'agent-machines/memory';

/** What the rules are told. Each task has a part of it. */
export interface OfflineFacts {
  readonly input: string;
  readonly window: WindowState;
  readonly route: 'rag' | 'agent' | null;
  readonly context: readonly Passage[];
  readonly turnMessages: readonly WindowMessage[];
  /** Names of the tools that may be called now. */
  readonly tools: readonly string[];
  readonly unavailable: readonly { readonly name: string; readonly reason: string }[];
  readonly hasDocuments: boolean;
}

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
