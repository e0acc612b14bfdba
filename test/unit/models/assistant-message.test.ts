import { assistantMessage } from 'agent-machines/models';
import { describe, expect, it } from 'vitest';

const providerData = { from: 'there m', data: { reasoning_content: 'Hm.' } };

describe('assistantMessage', () => {
  it('keeps text, calls and provider data, but no reasoning', () => {
    const reply = { text: 'Look.', toolCalls: [{ id: '1', name: 'look', arguments: '{}' }], providerData, reasoning: 'Hm.' };
    expect(assistantMessage(reply)).toEqual({ role: 'assistant', content: 'Look.', toolCalls: reply.toolCalls, providerData });
  });

  it('omits members without a value', () => {
    expect(Object.keys(assistantMessage({ text: 'Look.', toolCalls: [] }))).toEqual(['role', 'content']);
  });
});
