import { generateText, stepCountIs, tool } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { z } from 'zod';

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** The program on the AI SDK: a tool that needs approval. The messages are all of its state, and nothing stores them. See `../approval/peer.ts`. */
export async function open({ publish }) {
  const model = new MockLanguageModelV4({
    async doGenerate({ prompt }) {
      const topic = prompt[0].content[0].text;
      const text = `${topic} hold hands while they sleep.`;
      const isPublished = prompt.at(-1).role === 'tool';
      const call = { type: 'tool-call', toolCallId: 'call_1', toolName: 'publish', input: JSON.stringify({ text }) };
      const content = [isPublished ? { type: 'text', text } : call];
      return { content, finishReason: { unified: isPublished ? 'stop' : 'tool-calls', raw: undefined }, usage, warnings: [] };
    },
  });
  const tools = {
    publish: tool({
      description: 'Publishes a text.',
      inputSchema: z.object({ text: z.string() }),
      needsApproval: true,
      execute: async ({ text }) => {
        await publish(text);
        return 'published';
      },
    }),
  };
  const runs = new Map();
  const ask = (messages) => generateText({ model, tools, messages, stopWhen: stepCountIs(5) });
  const start = async (id, topic) => {
    const messages = [{ role: 'user', content: topic }];
    const { content, response } = await ask(messages);
    const request = content.find(({ type }) => type === 'tool-approval-request');
    if (!request) throw new Error('It has not asked.');
    runs.set(id, { messages: [...messages, ...response.messages], approvalId: request.approvalId });
  };
  const answer = async (id) => {
    const { messages, approvalId } = runs.get(id);
    const approval = { type: 'tool-approval-response', approvalId, approved: true };
    return (await ask([...messages, { role: 'tool', content: [approval] }])).text;
  };
  return {
    start,
    answer,
    async recover(id, topic) {
      await start(id, topic);
      return answer(id);
    },
    async close() {},
  };
}
