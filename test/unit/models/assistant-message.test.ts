import { assistantMessage } from 'agent-machines/models';
import { describe, expect, it } from 'vitest';

const providerData = { from: 'there m', data: { reasoning_content: 'Hm.' } };

describe('assistantMessage', () => {
  it('keeps text, calls and what the provider wants back, and nothing of what was thought', () => {
    const reply = { text: 'Look.', toolCalls: [{ id: '1', name: 'look', arguments: '{}' }], providerData, reasoning: 'Hm.' };
    expect(assistantMessage(reply)).toEqual({ role: 'assistant', content: 'Look.', toolCalls: reply.toolCalls, providerData });
  });

  it('has no member for what is not there', () => {
    expect(Object.keys(assistantMessage({ text: 'Look.', toolCalls: [] }))).toEqual(['role', 'content']);
  });
});
