// Every protocol that `serve` offers, without a key, over a real socket.
import { createRuntime, memoryStore } from 'agent-machines';
import { toolAgent } from 'agent-machines/machines/tool-agent';
import { mcpRoutes } from 'agent-machines/mcp';
import { scriptedModel } from 'agent-machines/models';
import { a2aRoutes, agUiRoutes, aiSdkRoutes, createServer, langGraphRoutes, openaiRoutes } from 'agent-machines/server';
import { expect, it, onTestFinished, vi } from 'vitest';
import { folder, ownProcess } from '../../cli/command.ts';
import { asking, host, request, serve, token } from '../../fixtures/served.ts';
import { held } from '../../fixtures/text-tools.ts';
import { says, calls as toolCalls } from '../../machines/tool-agent/helpers.ts';

const question = '123 * 456';
const answer = /56,?088/;
const user = { id: 'm1', role: 'user' };
const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

const calls: readonly [method: string, path: string, body?: object][] = [
  ['GET', '/v1/models'],
  ['POST', '/v1/chat/completions', { model: 'plan-execute', messages: [{ role: 'user', content: question }] }],
  ['POST', '/v1/responses', { model: 'plan-execute', input: question }],
  ['POST', '/api/ai-sdk/plan-execute', { id: 't1', messages: [{ ...user, parts: [{ type: 'text', text: question }] }] }],
  ['POST', '/api/ag-ui/plan-execute', { threadId: 't2', runId: 'x1', messages: [{ ...user, content: question }] }],
  ['POST', '/api/langgraph/runs/wait', { assistant_id: 'plan-execute', input: { messages: [{ type: 'human', content: question }] } }],
  ['POST', '/mcp', initialize],
];

it('answers the clients of every protocol, but none without the token', async () => {
  const serving = ownProcess(folder(), ['serve', '--json', '--token', token]);
  try {
    await serving.sees('"url":"http://127.0.0.1:');
    const { url } = JSON.parse(await serving.firstLine()) as { url: string };
    const send = (method: string, path: string, body?: object, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
      fetch(`${url}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body ? { 'content-type': 'application/json' } : {}),
          ...(path === '/mcp' ? { accept: 'application/json, text/event-stream' } : {}),
          ...headers,
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
    const said: Record<string, { status: number; text: string }> = {};
    let session = '';
    for (const [method, path, body] of calls) {
      expect((await send(method, path, body, { authorization: '' })).status, path).toBe(401);
      const response = await send(method, path, body);
      session = response.headers.get('mcp-session-id') ?? session;
      said[path] = { status: response.status, text: await response.text() };
    }
    expect(Object.values(said).map(({ status }) => status)).toEqual(calls.map(() => 200));
    expect(said['/v1/models']?.text).toContain('"id":"plan_execute"');
    for (const path of calls.slice(1, -1).map(([, one]) => one)) {
      expect(said[path]?.text, path).toMatch(answer);
    }
    expect(said['/mcp']?.text).toContain('"serverInfo"');
    expect(session).not.toBe('');
    const mcp = async (message: object): Promise<string> =>
      (await send('POST', '/mcp', { jsonrpc: '2.0', ...message }, { 'mcp-session-id': session })).text();
    await mcp({ method: 'notifications/initialized' });
    expect(await mcp({ id: 2, method: 'tools/list' })).toContain('"name":"plan_execute"');
    const called = { name: 'plan_execute', arguments: { input: question } };
    expect(await mcp({ id: 3, method: 'tools/call', params: called })).toMatch(answer);
  } finally {
    serving.kill('SIGTERM');
    expect(await serving).toMatchObject({ code: 0 });
  }
});

it('answers 401 on every route of a protocol without a token', async () => {
  const runtime = createRuntime({ workflows: [asking] });
  const space = { runtime, workflows: [{ id: 'asking', workflow: asking }] };
  const routes = [aiSdkRoutes, agUiRoutes, openaiRoutes, langGraphRoutes, a2aRoutes].flatMap((made) => made(space).routes);
  const mounts = [aiSdkRoutes, agUiRoutes, openaiRoutes, langGraphRoutes, a2aRoutes, mcpRoutes].map(
    (made) => (own: Parameters<typeof made>[0]) => made(own),
  );
  const server = createServer({ tokens: token, hosts: [host], runtime, workflows: [asking], mounts });
  expect(routes.length).toBeGreaterThan(7);
  for (const { method, path } of [...routes, { method: 'POST', path: '/mcp' }, { method: 'DELETE', path: '/mcp' }]) {
    const response = await server.fetch(new Request(`http://${host}${path.replace(/:\w+/g, 'asking')}`, { method }));
    expect(response.status, `${method} ${path}`).toBe(401);
  }
  await server.close();
  await runtime.close();
});

it('takes the token in x-api-key on the routes of LangGraph alone', async () => {
  const server = createServer({ tokens: token, hosts: [host], workflows: [asking], mounts: [(space) => langGraphRoutes(space)] });
  const statusOf = async (path: string, headers: Readonly<Record<string, string>>): Promise<number> =>
    (await server.fetch(new Request(`http://${host}${path}`, { headers }))).status;
  expect(await statusOf('/api/langgraph/info', { 'x-api-key': token })).toBe(200);
  expect(await statusOf('/api/langgraph/info', { 'x-api-key': 'wrong' })).toBe(401);
  expect(await statusOf('/api/langgraph/info', { 'x-api-key': token, authorization: 'Bearer wrong' })).toBe(401);
  for (const path of ['/api/workflows', '/api/langgraphs/info', '/v1/models'])
    expect(await statusOf(path, { 'x-api-key': token }), path).toBe(401);
  await server.close();
});

it('takes an empty body with the content type of JSON as none, of a client with the token alone', async () => {
  const runtime = createRuntime({ store: memoryStore(), workflows: [asking] });
  onTestFinished(() => runtime.close());
  const mounts = [openaiRoutes, langGraphRoutes].map((routes) => (space: Parameters<typeof openaiRoutes>[0]) => routes(space));
  const { server } = serve({ runtime, mounts });
  const send = async (method: string, path: string, body = '', given: Readonly<Record<string, string>> = {}) => {
    const response = await server.fetch(request(method, path, body, given));
    return [response.status, await response.text()];
  };
  for (const [method, path] of [
    ['DELETE', '/v1/responses/resp_r1_0'],
    ['POST', '/v1/responses/resp_r1_0/cancel'],
    ['DELETE', '/v1/conversations/t1'],
    ['DELETE', '/api/langgraph/threads/t1'],
    ['POST', '/api/langgraph/threads/t1/runs/r1/cancel'],
  ] as const) {
    expect(await send(method, path), path).toEqual([404, expect.stringMatching(/RUN_UNKNOWN|THREAD_UNKNOWN/)]);
    expect((await send(method, path, '{'))[0], path).toBe(400);
    expect((await send(method, path, '', { 'content-type': 'text/plain' }))[0], path).toBe(415);
  }
  expect((await send('POST', '/v1/chat/completions'))[0]).toBe(400);
});

it('answers HEAD as GET without a body, and a stream asked so does not end its run', async () => {
  const slow = held('slow');
  const workflow = toolAgent({ model: scriptedModel([toolCalls(['slow', { text: 'x' }]), says('One.')]), tools: [slow] });
  const store = memoryStore();
  const runtime = createRuntime({ store, workflows: [workflow as never] });
  onTestFinished(() => runtime.close());
  const mounts = [openaiRoutes, a2aRoutes, langGraphRoutes].map(
    (routes) => (space: Parameters<typeof openaiRoutes>[0]) => routes(space, { goneMs: 0 }),
  );
  const { ask, server } = serve({ store, runtime, workflows: [workflow as never], mounts });
  const say = { assistant_id: 'tool_agent', input: { messages: [{ type: 'human', content: 'a' }] } };
  const { run_id: id } = (await ask('POST', '/api/langgraph/threads/t1/runs', say)).body;
  await vi.waitFor(() => expect(slow.calls).toHaveLength(1));
  const stream = `/api/langgraph/threads/t1/runs/${id}/stream?cancel_on_disconnect=1`;
  for (const path of ['/v1/models', '/api/a2a/tool_agent/.well-known/agent-card.json', stream]) {
    const head = await server.fetch(request('HEAD', path));
    expect([head.status, await head.text()], path).toEqual([200, '']);
  }
  expect((await server.fetch(request('HEAD', '/v1/none'))).status).toBe(404);
  expect((await server.fetch(request('HEAD', '/v1/models', undefined, { authorization: '' }))).status).toBe(401);
  slow.calls[0]?.resolve('ok');
  await vi.waitFor(async () => expect((await runtime.get(id)).status).toBe('done'));
});
