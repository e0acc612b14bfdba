import { MockLanguageModelV4 } from 'ai/test';

const usage = { inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 1, text: 1, reasoning: 0 } };

/** Calls `publish`, then says that it has. */
export const model = new MockLanguageModelV4({
  async doGenerate({ prompt }) {
    const isPublished = prompt.at(-1).role === 'tool';
    const input = JSON.stringify({ text: 'Otters hold hands.' });
    const call = { type: 'tool-call', toolCallId: 'call_1', toolName: 'publish', input };
    return {
      content: [isPublished ? { type: 'text', text: 'It is published.' } : call],
      finishReason: { unified: isPublished ? 'stop' : 'tool-calls', raw: undefined },
      usage,
      warnings: [],
    };
  },
});
