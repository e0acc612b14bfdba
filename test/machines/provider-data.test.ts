// What a provider wants back with its own message is journaled with it, and reaches the next request unchanged, after a restart too.
import { createRuntime, memoryStore } from 'agent-machines';
import { chatAgent } from 'agent-machines/machines/chat-agent';
import { scriptedModel } from 'agent-machines/models';
import { describe, expect, it } from 'vitest';

const dataOf = (turn: string) => ({ from: 'there m', data: { reasoning_content: `${turn}: hm.`, calls: { call_1: { signature: turn } } } });

describe('chat-agent', () => {
  it("returns the provider's data within a turn, in the next one, and from a store", async () => {
    const model = scriptedModel([
      { task: 'chat_agent.router', reply: { route: 'agent', reason: 'a sum' } },
      {
        task: 'chat_agent.agent',
        reply: { toolCalls: [{ name: 'calculator', arguments: { expression: '6 * 7' } }] },
        providerData: dataOf('first'),
        reasoning: 'I shall multiply.',
      },
      { task: 'chat_agent.agent', reply: '42', providerData: dataOf('second') },
      { task: 'chat_agent.router', reply: { route: 'agent', reason: 'talk' } },
      { task: 'chat_agent.agent', reply: 'Gladly.' },
    ]);
    const store = memoryStore();
    const ask = async (input: string): Promise<unknown> => {
      const run = createRuntime({ store }).start(chatAgent({ model }), { input }, { threadId: 't' });
      return run.result;
    };
    expect(await ask('6 * 7?')).toMatchObject({ status: 'done', output: { answer: '42' } });
    expect(await ask('Thanks!')).toMatchObject({ status: 'done', output: { answer: 'Gladly.' } });
    const sent = (request = -1): unknown[] =>
      (model.requests.at(request)?.messages ?? []).flatMap((message) => (message.role === 'assistant' ? [message.providerData] : []));
    expect(sent(2)).toEqual([dataOf('first')]);
    expect(sent(-1)).toEqual([dataOf('first'), dataOf('second')]);
    expect(JSON.stringify(model.requests.map(({ messages }) => messages))).not.toContain('I shall multiply');
  });
});
