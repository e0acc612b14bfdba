import type { ChatMessage } from 'agent-machines';
import { emptyWindow, type Summarizer, type WindowMessage, type WindowState } from 'agent-machines/memory';

export const user = (id: string, content: string): WindowMessage => ({ id, message: { role: 'user', content } });

export const assistant = (id: string, content: string, ...calls: readonly string[]): WindowMessage => ({
  id,
  message: {
    role: 'assistant',
    content,
    ...(calls.length > 0 ? { toolCalls: calls.map((call) => ({ id: call, name: 'calculator', arguments: '{"expression":"1+1"}' })) } : {}),
  },
});

export const tool = (id: string, callId: string, content = '2'): WindowMessage => ({ id, message: { role: 'tool', callId, content } });

export const windowOf = (...messages: readonly WindowMessage[]): WindowState => ({ ...emptyWindow, messages });

/** As many messages, questions and answers in turn: `u1 a1 u2 a2 …`. */
export const conversation = (count: number): readonly WindowMessage[] =>
  Array.from({ length: count }, (_, i) => {
    const n = Math.floor(i / 2) + 1;
    return i % 2 === 0 ? user(`u${n}`, `질문 ${n}번이 여기 있다`) : assistant(`a${n}`, `대답 ${n}번이 여기 있다`);
  });

/** Gives these texts one after the other; an error is thrown. Keeps what it was asked. */
export function scriptedSummarizer(...answers: readonly (string | Error)[]): Summarizer & { readonly asked: (readonly ChatMessage[])[] } {
  const asked: (readonly ChatMessage[])[] = [];
  return {
    asked,
    async summarize({ messages }) {
      const answer = answers[asked.length] ?? new Error('The script is over.');
      asked.push(messages);
      if (typeof answer !== 'string') throw answer;
      return answer;
    },
  };
}

export const idsOf = (messages: readonly WindowMessage[]): string => messages.map(({ id }) => id).join(' ');
