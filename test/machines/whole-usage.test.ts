// Every token that a server has charged for is in the usage of the run, and counts towards its limits.
import { createRuntime, type Limits, type Run, type RunEvent, type Runtime } from 'agent-machines';
import { planExecute } from 'agent-machines/machines/plan-execute';
import { toolAgent } from 'agent-machines/machines/tool-agent';
import { fallbackModel } from 'agent-machines/models';
import { openaiModel } from 'agent-machines/models/openai';
import { asTool } from 'agent-machines/tools';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Completion, type OpenaiServer, startOpenaiServer } from '../fixtures/openai-server.ts';

/** What each reply of the server costs: 10 tokens in and 3 out. */
const perReply = 13;

let server: OpenaiServer;
beforeEach(async () => {
  server = await startOpenaiServer();
});
afterEach(() => server.close());

const modelOf = (name: string) => openaiModel({ model: name, apiKey: 'sk-test-0123456789', baseURL: server.url, maxRetries: 0 });
const replies = (...completions: readonly Completion[]): void =>
  server.answer(...completions.map((completion) => ({ type: 'completion', ...completion }) as const));

const research = { id: 'c1', name: 'research', arguments: '{"input":"x"}' };
const agent = () => {
  const model = fallbackModel([modelOf('first'), modelOf('second')]);
  const inner = toolAgent({ id: 'researcher', model, tools: [] });
  return toolAgent({ model, tools: [asTool(inner, { name: 'research', description: 'Finds out.', effect: 'pure' })] });
};
const planner = () => planExecute({ model: modelOf('planner'), tools: [], maxRepairs: 1 });

const ofAgent = (runtime: Runtime): Run<unknown> => runtime.start(agent(), { input: 'hi' });
const ofPlanner = (runtime: Runtime): Run<unknown> => runtime.start(planner(), { input: 'hi' });

async function tokensOf(start: (runtime: Runtime) => Run<unknown>, limits: Partial<Limits> = {}) {
  const run = start(createRuntime({ limits }));
  const events: RunEvent[] = [];
  for await (const event of run.events()) events.push(event);
  const result = await run.result;
  const spent = events.reduce(
    (sum, event) => (event.type === 'model-end' ? sum + event.usage.inputTokens + event.usage.outputTokens : sum),
    0,
  );
  return { spent, result };
}

describe('usage of a run', () => {
  it('includes unusable replies, and those of a called workflow', async () => {
    replies({ text: '' }, { toolCalls: [research] }, { text: '' }, { text: 'found' }, { text: 'done' });
    const { spent, result } = await tokensOf(ofAgent);
    expect(result).toMatchObject({ status: 'done', output: { answer: 'done' } });
    expect(spent).toBe(server.requests.length * perReply);
    expect(server.requests.length).toBe(5);
  });

  it.each<[string, Completion]>([
    ['truncated', { text: 'It is', finishReason: 'length' }],
    ['filtered', { text: 'It', finishReason: 'content_filter' }],
    ['refused', { refusal: 'No.' }],
    ['unusable', { toolCalls: [{ ...research, name: '' }] }],
  ])('has a reply that ends the run: %s', async (_, completion) => {
    replies(completion, completion);
    const { spent } = await tokensOf(ofAgent);
    expect(spent).toBe(server.requests.length * perReply);
    expect(spent).toBeGreaterThan(0);
  });

  it('includes repeated requests after unreadable replies', async () => {
    replies({ text: 'no JSON' }, { text: '{"intent":"chitchat","rewritten_query":"hi","needs_tool":false}' }, { text: 'Hello.' });
    const { spent, result } = await tokensOf(ofPlanner);
    expect([result.status, spent]).toEqual(['done', 3 * perReply]);
  });

  it('stops the run at its limit, and counts unusable replies', async () => {
    replies({ text: '' }, { toolCalls: [research] }, { text: 'found' });
    const { result } = await tokensOf(ofAgent, { tokens: 2 * perReply - 1 });
    expect(result).toMatchObject({ status: 'failed', error: { code: 'LIMIT_EXCEEDED', data: { limit: 'tokens' } } });
    expect(server.requests.length).toBe(2);
  });
});
