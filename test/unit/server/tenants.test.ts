// What is another tenant's is not there: each has a store of its own.
import { createRuntime, memoryStore } from 'agent-machines';
import { createServer, type ServerSpace } from 'agent-machines/server';
import { expect, it } from 'vitest';
import { asking, host } from '../../fixtures/served.ts';

it('answers for a foreign run and thread as for unknown ones, byte for byte', async () => {
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

it('refuses several tenants in one store', () => {
  expect(() => createServer({ tokens: { a: 'a', b: 'b' }, hosts: [host] })).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
});
