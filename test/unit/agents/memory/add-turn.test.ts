import { addTurn, type ConversationMessage } from 'agent-machines/memory';
import { describe, expect, it } from 'vitest';

const window = { maxMessages: 4, maxChars: 3 };
const contents = (messages: readonly ConversationMessage[]): string => messages.map(({ role, content }) => `${role} ${content}`).join(', ');

describe('addTurn', () => {
  it('adds the question and the answer, each cut to its maximum length', () => {
    expect(contents(addTurn([], { question: 'what?', answer: 'that' }, window))).toBe('user wha, assistant tha');
  });

  it('keeps the last messages without changing the given list', () => {
    const one = addTurn([], { question: '1', answer: 'a' }, window);
    const two = addTurn(one, { question: '2', answer: 'b' }, window);
    expect(contents(addTurn(two, { question: '3', answer: 'c' }, window))).toBe('user 2, assistant b, user 3, assistant c');
    expect([one.length, two.length]).toEqual([2, 4]);
  });
});
