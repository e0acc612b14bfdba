// No request of a turn is larger than the model's context, and no message blocks its thread.
import { type ChatRequest, createRuntime, memoryStore } from 'agent-machines';
import { type ChatAgentRuleInputs, chatAgent } from 'agent-machines/machines/chat-agent';
import { boundMessageTokens, frameTokens, requestTokens } from 'agent-machines/memory';
import { offlineModel } from 'agent-machines/models';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { share } from '../../fixtures/share.ts';
import { textTool, turn } from './helpers.ts';

const sizeOf = (request: ChatRequest): number =>
  frameTokens(request) + request.messages.reduce((sum, message) => sum + boundMessageTokens(message), 0);

/** A server that refuses what its model does not take, as real ones do. */
function strictModel(contextTokens: number, calls = 0) {
  const requests: ChatRequest[] = [];
  const refuseLong = (request: ChatRequest): void => {
    requests.push(request);
    if (sizeOf(request) > requestTokens(contextTokens)) throw new Error('context_length_exceeded');
  };
  const model = offlineModel<ChatAgentRuleInputs>({
    'chat_agent.router': (request) => {
      refuseLong(request);
      return { route: 'rag', reason: '' };
    },
    'chat_agent.memory': (request) => {
      refuseLong(request);
      return '요약';
    },
    'chat_agent.agent': (request) => {
      refuseLong(request);
      const asked = request.messages.filter(({ role }) => role === 'tool').length;
      return asked < calls ? { toolCalls: [{ name: 'dump', arguments: { text: 'x' } }] } : 'fine';
    },
  });
  return { model, requests };
}

const passages = { search: async () => [{ source: 'a.md', heading: '', text: '문서의 한 문장이다. '.repeat(20_000), score: 1 }] };

describe('a message too long for the model', () => {
  it.each([
    ['Korean, 46,500 characters', '이 문장은 길다. '.repeat(4_650)],
    ['one word', 'x'.repeat(100_000)],
    ['Korean without blanks', '가나다라마바사아자차'.repeat(10_000)],
    ['emoji', '😀👍'.repeat(25_000)],
    ['base64', 'aB9/Zk2+'.repeat(12_500)],
  ])('does not block its thread: %s', async (_what, long) => {
    const { model, requests } = strictModel(32_768);
    const runtime = createRuntime();
    const workflow = chatAgent({ model, retriever: passages, contextTokens: 32_768 });
    for (const input of [long, 'and now?', long, 'again', 'q5', 'q6', 'q7']) await turn(runtime, workflow, input, 't');
    const { turns } = await runtime.thread('t');
    expect(turns.length).toBe(7);
    expect(Math.max(...requests.map(sizeOf))).toBeLessThanOrEqual(requestTokens(32_768));
    expect(requests.some(({ messages }) => messages.some(({ content }) => /characters left out|자 생략/.test(content)))).toBe(true);
  });

  it('is rejected above a million characters without blocking the thread', async () => {
    const { model } = strictModel(8_192);
    const runtime = createRuntime();
    const workflow = chatAgent({ model });
    expect(() => runtime.start(workflow, { input: 'x'.repeat(5_000_000) }, { threadId: 't' })).toThrow(
      expect.objectContaining({ code: 'INPUT_INVALID' }),
    );
    expect((await turn(runtime, workflow, 'hi', 't')).output.answer).toBe('fine');
  });
});

it('keeps a thread usable after a tool returns a megabyte', async () => {
  const { model, requests } = strictModel(8_192, 3);
  const store = memoryStore();
  const runtime = createRuntime({ store });
  const dump = textTool('dump', () => '줄 하나. line. '.repeat(70_000));
  const workflow = chatAgent({ model, tools: [dump], contextTokens: 8_192 });
  for (const input of ['dump it', 'and again', 'thanks']) expect((await turn(runtime, workflow, input, 't')).output.answer).toBe('fine');
  expect(Math.max(...requests.map(sizeOf))).toBeLessThanOrEqual(requestTokens(8_192));
});

it('rejects a context without room for instructions and tools before a run exists', () => {
  const tools = Array.from({ length: 40 }, (_, i) => textTool(`tool_number_${i}`, () => ''));
  expect(() => chatAgent({ tools, contextTokens: 2_000 })).toThrow(expect.objectContaining({ code: 'CONTEXT_TOO_SMALL' }));
  expect(() => chatAgent({ contextTokens: 500 })).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
});

it('keeps every request within the context, for any conversation, tools and context', async () => {
  const text = fc
    .tuple(fc.constantFrom('가나다', 'word ', '😀', 'a9Z', '문장이다. ', '\n- item'), fc.integer({ min: 1, max: 8_000 }))
    .map(([one, n]) => one.repeat(n).slice(0, 20_000));
  await fc.assert(
    fc.asyncProperty(
      fc.array(text, { minLength: 1, maxLength: 8 }),
      text,
      fc.nat(2),
      fc.integer({ min: 2_500, max: 12_000 }),
      async (inputs, result, calls, contextTokens) => {
        const { model, requests } = strictModel(contextTokens, calls);
        const runtime = createRuntime();
        const dump = textTool('dump', () => result);
        const workflow = chatAgent({ model, tools: [dump], retriever: passages, contextTokens });
        for (const input of inputs) expect((await turn(runtime, workflow, `${input}?`, 't')).output.answer).toBe('fine');
        expect(Math.max(...requests.map(sizeOf))).toBeLessThanOrEqual(requestTokens(contextTokens));
      },
    ),
    { numRuns: share(15, 5), endOnFailure: true },
  );
});
