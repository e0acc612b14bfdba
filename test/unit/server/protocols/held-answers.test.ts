// No client of a protocol reads an answer that a guard holds, or decides about it.
import { createRuntime, type HumanEvent, type TextGuard } from 'agent-machines';
import { toolAgent } from 'agent-machines/machines/tool-agent';
import { scriptedModel } from 'agent-machines/models';
import { a2aRoutes, agUiRoutes, aiSdkRoutes, langGraphRoutes, openaiRoutes } from 'agent-machines/server';
import { asTool } from 'agent-machines/tools';
import { describe, expect, it, onTestFinished } from 'vitest';

const holds: TextGuard = {
  name: 'holds',
  at: ['answer'],
  check: (text) => (text.includes('SECRET') ? { as: 'hold', reason: 'x' } : { as: 'pass' }),
};

/** An agent whose answer is held, or that of an agent that it calls. */
function holding(inside: boolean) {
  const held = { reply: 'SECRET' };
  const inner = toolAgent({ id: 'inner', model: scriptedModel([held]), tools: [], guards: [holds] });
  const sub = asTool(inner, { name: 'sub', description: 'Answers.' });
  const script = inside ? [{ reply: { toolCalls: [{ name: 'sub', arguments: { input: 'q' } }] } }, { reply: 'outer' }] : [held];
  const workflow = toolAgent({ model: scriptedModel(script), tools: inside ? [sub] : [], guards: [holds] });
  const runtime = createRuntime({ workflows: [workflow as never] });
  onTestFinished(() => runtime.close());
  const space = { runtime, workflows: [{ id: 'agent', workflow: workflow as never }] };
  const apps = {
    openai: openaiRoutes(space),
    agUi: agUiRoutes(space),
    aiSdk: aiSdkRoutes(space),
    langGraph: langGraphRoutes(space),
    a2a: a2aRoutes(space),
  };
  const request = async (app: keyof typeof apps, path: string, body?: object): Promise<string> => {
    const headers = { 'content-type': 'application/json' };
    const init = body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) };
    return (await apps[app].request(path, init)).text();
  };
  const question = async () => {
    const [{ id } = { id: '' }] = await runtime.list({});
    const { result } = await runtime.get(id);
    return { runId: id, interruptId: result?.status === 'waiting' ? (result.interrupt?.id ?? '') : '' };
  };
  const review = async (event: HumanEvent) => {
    const { runId, interruptId } = await question();
    return (await runtime.send(runId, event, { interruptId })).result;
  };
  return { request, question, review };
}

type Held = ReturnType<typeof holding>;
const chat = (text: string, before: readonly object[] = []) => ({
  model: 'agent',
  metadata: { thread_id: 't' },
  messages: [...before, { role: 'user', content: text }],
});
const send = (message: object) => ({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message: { messageId: 'm', ...message } } });
const agUi = { threadId: 't', runId: 'r', state: {} };
const aiSdk = { id: 't', messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'q' }] }] };

/** A question to the agent, and each way to answer what it waits for. */
const protocols: Readonly<
  Record<string, readonly [ask: (held: Held) => Promise<string>, decide: (held: Held, id: string) => Promise<readonly string[]>]>
> = {
  'chat completions': [
    ({ request }) => request('openai', '/v1/chat/completions', chat('q')),
    async ({ request }, id) => [
      await request('openai', '/v1/chat/completions', chat('APPROVE', [{ role: 'user', content: 'q' }])),
      await request('openai', '/v1/chat/completions', chat(`APPROVE ${id}`, [{ role: 'user', content: 'q' }])),
    ],
  ],
  responses: [
    ({ request }) => request('openai', '/v1/responses', { model: 'agent', input: 'q', conversation: 't', stream: true }),
    async ({ request }, id) => [
      await request('openai', '/v1/responses', { model: 'agent', input: 'APPROVE', conversation: 't', metadata: { interrupt_id: id } }),
    ],
  ],
  'the AI SDK': [
    ({ request }) => request('aiSdk', '/api/ai-sdk/agent', aiSdk),
    async ({ request }, id) => [
      await request('aiSdk', '/api/ai-sdk/agent', { ...aiSdk, answer: { interruptId: id, event: { type: 'APPROVE' } } }),
      await request('aiSdk', '/api/ai-sdk/agent/t/stream'),
      await request('aiSdk', '/api/ai-sdk/agent/t/messages'),
    ],
  ],
  'AG-UI': [
    ({ request }) => request('agUi', '/api/ag-ui/agent', { ...agUi, messages: [{ id: 'm1', role: 'user', content: 'q' }] }),
    async ({ request }, id) => [
      await request('agUi', '/api/ag-ui/agent', {
        ...agUi,
        runId: 'r2',
        messages: [],
        resume: [{ interruptId: id, status: 'resolved', payload: true }],
      }),
    ],
  ],
  LangGraph: [
    ({ request }) => request('langGraph', '/api/langgraph/threads/t/runs/wait', { assistant_id: 'agent', input: 'q' }),
    ({ request }, id) =>
      Promise.all([
        request('langGraph', '/api/langgraph/threads/t/runs/wait', { assistant_id: 'agent', command: { resume: true } }),
        request('langGraph', '/api/langgraph/threads/t/runs/wait', { assistant_id: 'agent', command: { resume: { [id]: true } } }),
        request('langGraph', '/api/langgraph/threads/t/runs/wait', { assistant_id: 'agent', command: { goto: '__end__' } }),
        request('langGraph', '/api/langgraph/threads/t/runs/wait', { assistant_id: 'agent', input: `APPROVE ${id}` }),
        request('langGraph', '/api/langgraph/threads/t/state'),
        request('langGraph', '/api/langgraph/threads/t/history', {}),
        request('langGraph', '/api/langgraph/threads/search', {}),
      ]),
  ],
  A2A: [
    ({ request }) => request('a2a', '/api/a2a/agent', send({ contextId: 't', parts: [{ text: 'q' }] })),
    async ({ request, question }, id) => {
      const { runId: taskId } = await question();
      const get = { jsonrpc: '2.0', id: 1, params: { id: taskId } };
      return Promise.all([
        request('a2a', '/api/a2a/agent', send({ taskId, parts: [{ text: 'APPROVE' }] })),
        request('a2a', '/api/a2a/agent', send({ taskId, parts: [{ data: { type: 'APPROVE', interruptId: id } }] })),
        request('a2a', '/api/a2a/agent', { ...get, method: 'GetTask' }),
        request('a2a', '/api/a2a/agent', { ...get, method: 'SubscribeToTask' }),
      ]);
    },
  ],
};

describe.each(Object.entries(protocols))('%s', (_, [ask, decide]) => {
  it.each([
    ['an answer', false],
    ['the answer of an inner agent', true],
  ])('hides %s that a guard holds, and takes no decision about it', async (_, inside) => {
    const held = holding(inside);
    const shown = await ask(held);
    const { interruptId } = await held.question();
    const decided = await decide(held, interruptId);
    expect(interruptId).toMatch(/^i_/);
    expect(shown).toContain('The answer waits for a review.');
    expect([shown, ...decided].join('\n')).not.toContain('SECRET');
    expect(await held.question()).toMatchObject({ interruptId });
    expect(await held.review({ type: 'REPLACE', answer: 'nice' })).toMatchObject({
      status: 'done',
      output: { answer: inside ? 'outer' : 'nice' },
    });
  });
});

it('gives a client of the AI SDK the decided answer when it comes back', async () => {
  const held = holding(false);
  await held.request('aiSdk', '/api/ai-sdk/agent', aiSdk);
  await held.review({ type: 'REPLACE', answer: 'nice' });
  const messages = await held.request('aiSdk', '/api/ai-sdk/agent/t/messages');
  expect([messages.includes('nice'), messages.includes('SECRET')]).toEqual([true, false]);
});
