// A message that is longer than any context is cut by the budget of the model, not refused.
import { type ChatModel, type ChatRequest, createRuntime, type Json } from 'agent-machines';
import { chatAgent } from 'agent-machines/machines/chat-agent';
import { guideAgent } from 'agent-machines/machines/guide-agent';
import { planExecute } from 'agent-machines/machines/plan-execute';
import { toolAgent } from 'agent-machines/machines/tool-agent';
import { boundMessageTokens, frameTokens, requestTokens } from 'agent-machines/memory';
import { describe, expect, it } from 'vitest';
import { knowledge } from './guide-agent/helpers.ts';

const replies: Readonly<Record<string, Json>> = {
  'chat_agent.router': { route: 'agent', reason: '' },
  'plan_execute.intent_classifier': { intent: 'new_question', rewritten_query: 'q', needs_tool: false },
  'guide_agent.llm_router': { is_complex_task: false, reason: '' },
  'guide_agent.reflection_node': { memories: [] },
};

/** A model of a context of 32,768 tokens that notes what it is sent. */
function notingModel() {
  const requests: ChatRequest[] = [];
  const model: ChatModel = {
    name: 'm',
    async generate(request) {
      requests.push(request);
      const reply = replies[request.task];
      const text = reply === undefined ? 'fine' : JSON.stringify(reply);
      return { text, toolCalls: [], usage: { inputTokens: 1, outputTokens: 1 }, model: 'm', cached: false };
    },
  };
  return { model, requests };
}

const of = (model?: ChatModel): { readonly model?: ChatModel } => (model ? { model } : {});

/** Runs each agent on a message. */
const agents = {
  'chat-agent': (input: string, model?: ChatModel) => createRuntime().start(chatAgent(of(model)), { input }).result,
  'tool-agent': (input: string, model?: ChatModel) => createRuntime().start(toolAgent(of(model)), { input }).result,
  'plan-execute': (input: string, model?: ChatModel) => createRuntime().start(planExecute(of(model)), { input }).result,
  'guide-agent': (input: string, model?: ChatModel) =>
    createRuntime().start(guideAgent({ knowledge, ...of(model) }), { input, userId: 'kim' }).result,
} as const;
const names = Object.keys(agents) as (keyof typeof agents)[];

const sizeOf = (request: ChatRequest): number =>
  frameTokens(request) + request.messages.reduce((sum, message) => sum + boundMessageTokens(message), 0);

describe('a message of more than 100,000 characters', () => {
  it.each(names)("is cut to the model's context: %s", async (name) => {
    const { model, requests } = notingModel();
    const input = `First words. ${'What I mean is this. '.repeat(12_000)} Last words?`;
    const result = await agents[name](input, model);
    expect(result.status).toBe('done');
    expect(requests.length).toBeGreaterThan(0);
    for (const request of requests) expect(sizeOf(request)).toBeLessThanOrEqual(requestTokens(32_768));
    const asked = requests.find(({ messages }) => messages.some(({ content }) => content.includes('First words.')));
    const content = asked?.messages.findLast((message) => message.content.includes('First words.'))?.content ?? '';
    expect(content).toMatch(/characters left out/);
    expect(content).toContain('Last words?');
  });

  it.each(names)('is answered by rules from a part of it: %s', async (name) => {
    const result = await agents[name]('my name is Bob.\n'.repeat(40_000));
    expect(result.status).toBe('done');
  });
});
