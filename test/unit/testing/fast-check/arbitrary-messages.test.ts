import type { ChatMessage, ToolSpec } from 'agent-machines';
import { arbitraryMessages } from 'agent-machines/testing/fast-check';
import { parseToolCall } from 'agent-machines/tools';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

/** What may follow what, written down apart from what makes it. */
const isLegal = (messages: readonly ChatMessage[]): boolean => {
  let awaited: readonly string[] = [];
  let last = 'start';
  for (const message of messages) {
    const { role } = message;
    if (role === 'tool') {
      if (message.callId !== awaited[0]) return false;
      awaited = awaited.slice(1);
    } else if (awaited.length > 0) return false;
    if (role === 'system' && last !== 'start') return false;
    if (role === 'user' && !['start', 'system', 'assistant'].includes(last)) return false;
    if (role === 'assistant' && !['user', 'tool'].includes(last)) return false;
    if (role === 'assistant') awaited = (message.toolCalls ?? []).map(({ id }) => id);
    last = role;
  }
  return awaited.length === 0 && messages.some(({ role }) => role === 'user');
};

describe('arbitraryMessages', () => {
  it('generates legal conversations in both languages, with and without calls', () => {
    const seen = { korean: 0, english: 0, calls: 0, unanswered: 0 };
    fc.assert(
      fc.property(arbitraryMessages(), (messages) => {
        expect(isLegal(messages)).toBe(true);
        const text = messages.map(({ content }) => content).join();
        seen.korean += /[가-힣]/.test(text) ? 1 : 0;
        seen.english += /[a-z]{3}/.test(text) ? 1 : 0;
        seen.calls += messages.some(({ role }) => role === 'tool') ? 1 : 0;
        seen.unanswered += messages.at(-1)?.role === 'user' ? 1 : 0;
      }),
      { numRuns: 300 },
    );
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(50);
  });

  it('calls only the given tools, with valid arguments', () => {
    const tools: readonly ToolSpec[] = [
      { name: 'pay', inputSchema: { type: 'object', properties: { amount: { type: 'integer', minimum: 1 } }, required: ['amount'] } },
    ];
    fc.assert(
      fc.property(arbitraryMessages({ tools, answered: true }), (messages) => {
        expect(messages.at(-1)?.role).toBe('assistant');
        for (const message of messages) {
          for (const call of message.role === 'assistant' ? (message.toolCalls ?? []) : []) parseToolCall(call, { tools });
        }
      }),
      { numRuns: 200 },
    );
    const silent = fc.sample(arbitraryMessages({ tools: [] }), 100).flat();
    expect(silent.filter(({ role }) => role === 'tool')).toEqual([]);
  });
});
