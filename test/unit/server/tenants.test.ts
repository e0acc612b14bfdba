// What is another tenant's is not there: each has a store of its own.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRuntime, memoryStore, type Runtime } from 'agent-machines';
import { createLongTermMemory } from 'agent-machines/memory';
import { hashedEmbedder, memoryIndex } from 'agent-machines/search';
import { a2aRoutes, agUiRoutes, aiSdkRoutes, createServer, langGraphRoutes, openaiRoutes, type ServerSpace } from 'agent-machines/server';
import { documentFolder } from 'agent-machines/server/node';
import { expect, it, onTestFinished } from 'vitest';
import { asking, host } from '../../fixtures/served.ts';

it('answers for a foreign run and thread exactly as for unknown ones', async () => {
  const spaces = new Map<string, ServerSpace>();
  const spaceOf = (tenant: string): ServerSpace => {
    const store = memoryStore();
    const workflows = [{ id: 'asking', title: '', description: '', examples: [], workflow: asking }];
    const space = { store, runtime: createRuntime({ store, workflows: [asking] }), workflows };
    spaces.set(tenant, space);
    return space;
  };
  const server = createServer({ tokens: { 'token-of-a': 'a', 'token-of-b': 'b' }, hosts: [host], spaceOf });
  const ask = async (token: string, method: string, path: string, body?: unknown): Promise<{ status: number; text: string }> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const more = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await server.fetch(new Request(`http://${host}${path}`, { method, headers, ...more }));
    return { status: response.status, text: (await response.text()).replace(/q_\w+/, 'q') };
  };
  const { text } = await ask('token-of-a', 'POST', '/api/runs', { workflow: 'asking', input: {}, threadId: 'secret' });
  const { id } = JSON.parse(text) as { id: string };
  const answer = { interruptId: 'i', event: { type: 'SAY', text: 'x' } };
  const calls: readonly [method: string, path: (id: string, thread: string) => string, body?: unknown][] = [
    ['GET', (run) => `/api/runs/${run}`],
    ['GET', (run) => `/api/runs/${run}/events`],
    ['GET', (run) => `/api/runs/${run}/journal`],
    ['GET', (run) => `/api/runs/${run}/state`],
    ['POST', (run) => `/api/runs/${run}/answer`, answer],
    ['POST', (run) => `/api/runs/${run}/resolve`, { callId: 'c', resolution: { as: 'retry' } }],
    ['POST', (run) => `/api/runs/${run}/cancel`],
    ['POST', (run) => `/api/runs/${run}/resume`],
    ['POST', (run) => `/api/runs/${run}/pause`],
    ['POST', (run) => `/api/runs/${run}/release`],
    ['POST', (run) => `/api/runs/${run}/fork`, { at: 'work#1' }],
    ['GET', (_, thread) => `/api/threads/${thread}`],
    ['DELETE', (run) => `/api/runs/${run}`],
    ['DELETE', (_, thread) => `/api/threads/${thread}`],
  ];
  for (const [method, path, body] of calls) {
    const foreign = await ask('token-of-b', method, path(id, 'secret'), body);
    const unknown = await ask('token-of-b', method, path(`r_${'0'.repeat(12)}`, 'nobody'), body);
    expect(foreign.status, path(id, 'secret')).toBe(404);
    expect(foreign.text.replaceAll(id, 'ID').replaceAll('secret', 'ID')).toBe(
      unknown.text.replaceAll(`r_${'0'.repeat(12)}`, 'ID').replaceAll('nobody', 'ID'),
    );
  }
  for (const path of ['/api/runs', '/api/runs/waiting', '/api/threads', '/metrics']) {
    expect((await ask('token-of-b', 'GET', path)).text).not.toContain(path === '/metrics' ? 'status="waiting"} 1' : id);
  }
  expect((await ask('token-of-b', 'POST', '/api/runs', { workflow: 'asking', input: {}, threadId: 'secret' })).status).toBe(201);
  await Promise.all([...spaces.values()].map(({ runtime }) => runtime.close()));
});

it('shows evals to their tenant only, and says that a server has none', async () => {
  const details = { id: 'mine', name: 'mine', workflow: 'w', cases: 0, versions: 1, ok: true, updatedAt: 1 };
  const evals = {
    list: () => ({ evals: [details], refused: [] }),
    get: (id: string) => (id === 'mine' ? { ...details, reports: [] } : undefined),
  };
  const store = memoryStore();
  const runtime = createRuntime({ store });
  const spaceOf = (tenant: string) => ({ store, runtime, workflows: [], ...(tenant === 'a' ? { evals } : {}) });
  const server = createServer({ tokens: { 'token-of-a': 'a', 'token-of-b': 'b' }, hosts: [host], spaceOf });
  const ask = async (token: string, path: string): Promise<unknown> => {
    const response = await server.fetch(new Request(`http://${host}${path}`, { headers: { authorization: `Bearer ${token}` } }));
    return response.ok ? response.json() : response.status;
  };
  expect(await ask('token-of-a', '/api/evals')).toMatchObject({ available: true, evals: [{ id: 'mine' }] });
  expect(await ask('token-of-a', '/api/evals/mine')).toMatchObject({ name: 'mine' });
  expect(await ask('token-of-b', '/api/evals')).toEqual({ available: false, evals: [], refused: [] });
  expect(await ask('token-of-b', '/api/evals/mine')).toBe(404);
  await runtime.close();
});

it('rejects several tenants in one store', () => {
  expect(() => createServer({ tokens: { a: 'a', b: 'b' }, hosts: [host] })).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
});

it('reveals no foreign thread, document or memory over any protocol', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agent-machines-tenants-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const runtimes: Runtime[] = [];
  const spaceOf = (tenant: string): ServerSpace => {
    const store = memoryStore();
    const runtime = createRuntime({ store, workflows: [asking] });
    runtimes.push(runtime);
    const embedder = hashedEmbedder();
    const memories = createLongTermMemory({ index: memoryIndex({ embedder }), embedder });
    return {
      store,
      runtime,
      workflows: [{ id: 'asking', title: '', description: '', examples: [], workflow: asking }],
      documents: documentFolder({ folder: join(folder, tenant) }),
      memories: () => memories,
    };
  };
  const any = { perMinute: 1e6, burst: 1e6 };
  const server = createServer({
    tokens: { 'token-of-a': 'a', 'token-of-b': 'b' },
    hosts: [host],
    spaceOf,
    limits: { reads: any, writes: any, starts: any },
    mounts: [aiSdkRoutes, agUiRoutes, openaiRoutes, langGraphRoutes, a2aRoutes].map(
      (made) => (space: Parameters<typeof made>[0]) => made(space),
    ),
  });
  const ask = async (who: string, method: string, path: string, body?: object): Promise<{ status: number; text: string }> => {
    const headers = {
      authorization: `Bearer token-of-${who}`,
      ...(body instanceof FormData ? {} : { 'content-type': 'application/json' }),
    };
    const sent = body === undefined ? {} : { body: body instanceof FormData ? body : JSON.stringify(body) };
    const response = await server.fetch(new Request(`http://${host}${path}`, { method, headers, ...sent }));
    return { status: response.status, text: (await response.text()).replace(/q_\w+/, 'q') };
  };
  const form = new FormData();
  form.append('file', new File(['# Confidential\n\nArticle 1 (Price)\nSECRET 4711.\n'], 'secret.md'));
  const made = await ask('a', 'POST', '/api/documents', form);
  const { id: document } = JSON.parse(made.text) as { id: string };
  const secret = { workflow: 'asking', input: { log: ['SECRET 4711'] }, threadId: 'secret' };
  const { id: run } = JSON.parse((await ask('a', 'POST', '/api/runs', secret)).text) as { id: string };
  const question = { id: 'm', role: 'user', content: 'SAY x' };
  const say = { interruptId: 'i_1', event: { type: 'SAY', text: 'x' } };
  const calls: readonly [method: string, path: string, body?: object][] = [
    ['GET', `/api/documents/${document}`],
    ['GET', `/api/documents/${document}/compare`],
    ['DELETE', `/api/documents/${document}`],
    ['GET', '/api/documents'],
    ['GET', '/api/memory?user=local&q=SECRET'],
    ['GET', '/api/memory/export?user=local'],
    ['DELETE', '/api/memory?user=local'],
    ['POST', '/api/memory/m_0/release?user=local', {}],
    ['GET', '/api/runs?threadId=secret'],
    ['GET', '/api/threads?q=SECRET'],
    ['GET', '/api/threads/secret'],
    ['GET', '/api/runs/waiting'],
    ['GET', '/metrics'],
    ['GET', '/api/ai-sdk/asking/secret/stream'],
    ['POST', '/api/ai-sdk/asking/secret/stop', {}],
    ['POST', '/api/ai-sdk/asking', { id: 'secret', messages: [{ id: 'm', role: 'user', parts: [] }], answer: say }],
    ['POST', '/api/ag-ui/asking', { threadId: 'secret', runId: 'x', messages: [], resume: [{ interruptId: 'i', status: 'cancelled' }] }],
    ['GET', '/api/langgraph/threads/secret'],
    ['GET', '/api/langgraph/threads/secret/state'],
    ['POST', '/api/langgraph/threads/secret/history', {}],
    ['POST', '/api/langgraph/threads/search', {}],
    ['GET', '/api/langgraph/threads/secret/runs'],
    ['GET', `/api/langgraph/threads/secret/runs/${run}`],
    ['GET', `/api/langgraph/threads/secret/runs/${run}/join`],
    ['GET', `/api/langgraph/runs/${run}/stream`],
    ['POST', `/api/langgraph/threads/secret/runs/${run}/cancel`, {}],
    ['POST', '/api/langgraph/threads/secret/runs/wait', { assistant_id: 'asking', command: { resume: { type: 'SAY', text: 'x' } } }],
    ['DELETE', '/api/langgraph/threads/secret'],
    ...['GetTask', 'CancelTask', 'SubscribeToTask'].map((method): [string, string, object] => [
      'POST',
      '/api/a2a/asking',
      { jsonrpc: '2.0', id: 1, method, params: { id: run } },
    ]),
    ['POST', '/v1/chat/completions', { model: 'asking', messages: [question, { role: 'assistant', content: 'a' }, question] }],
    ['POST', '/v1/responses', { model: 'asking', input: 'x', previous_response_id: run }],
    ['POST', `/api/runs/${run}/answer`, say],
  ];
  for (const [method, path, body] of calls) {
    const { status, text } = await ask('b', method, path, body);
    expect({ path, isKnown: status < 500 }).toEqual({ path, isKnown: true });
    expect(text.replaceAll(run, '').replaceAll(document, ''), path).not.toMatch(/SECRET|4711|Confidential|secret\.md|waiting"} 1/);
  }
  expect((await ask('a', 'GET', `/api/documents/${document}`)).text).toContain('SECRET 4711');
  expect(JSON.parse((await ask('a', 'GET', `/api/runs/${run}`)).text)).toMatchObject({ status: 'waiting' });
  await Promise.all(runtimes.map((runtime) => runtime.close()));
});
