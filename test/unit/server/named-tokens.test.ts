// The name of a token in the log of actions, whichever protocol its client speaks.
import { createRuntime, memoryStore } from 'agent-machines';
import { planExecute } from 'agent-machines/machines/plan-execute';
import { mcpRoutes } from 'agent-machines/mcp';
import { offlineModel } from 'agent-machines/models';
import { a2aRoutes, agUiRoutes, aiSdkRoutes, createServer, langGraphRoutes, openaiRoutes } from 'agent-machines/server';
import { readAudit } from 'agent-machines/stores';
import { expect, it, onTestFinished } from 'vitest';
import { host } from '../../fixtures/served.ts';

const tokens = { 'token-of-ci-for-acme': { tenant: 'acme', name: 'ci' }, 'token-of-ada-for-acme': { tenant: 'acme', name: 'ada' } };
const question = '1 + 1';
const user = { id: 'm1', role: 'user' };
const initialize = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };

/** A server with all protocols, and a client of each token. */
function open() {
  const store = memoryStore();
  const workflow = planExecute({ model: offlineModel({}) });
  const runtime = createRuntime({ store, workflows: [workflow] });
  const mounts = [aiSdkRoutes, agUiRoutes, openaiRoutes, langGraphRoutes, a2aRoutes, mcpRoutes].map(
    (made) => (space: Parameters<typeof made>[0]) => made(space),
  );
  const server = createServer({ tokens, hosts: [host], runtime, store, workflows: [workflow], mounts });
  onTestFinished(async () => {
    await server.close();
    await runtime.close();
  });
  const client =
    (name: 'ci' | 'ada') =>
    async (method: string, path: string, body?: object, more: Readonly<Record<string, string>> = {}): Promise<Headers> => {
      const headers = {
        authorization: `Bearer token-of-${name}-for-acme`,
        'user-agent': `client of ${name}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...more,
      };
      const response = await server.fetch(
        new Request(`http://${host}${path}`, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) }),
      );
      const text = await response.text();
      expect(response.status, `${path} ${text}`).toBeLessThan(300);
      return response.headers;
    };
  return { store, ci: client('ci'), ada: client('ada') };
}

const messages: Readonly<Record<string, readonly [path: string, body: object]>> = {
  openai: ['/v1/chat/completions', { model: 'plan-execute', messages: [{ role: 'user', content: question }] }],
  'ai-sdk': ['/api/ai-sdk/plan-execute', { id: 't1', messages: [{ ...user, parts: [{ type: 'text', text: question }] }] }],
  'ag-ui': ['/api/ag-ui/plan-execute', { threadId: 't2', runId: 'x1', messages: [{ ...user, content: question }] }],
  langgraph: ['/api/langgraph/runs/wait', { assistant_id: 'plan-execute', input: { messages: [{ type: 'human', content: question }] } }],
  a2a: [
    '/api/a2a/plan-execute',
    {
      jsonrpc: '2.0',
      id: 1,
      method: 'SendMessage',
      params: { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: question }] } },
    },
  ],
};

it.each(Object.entries(messages))('names the token of each request over %s', async (via, [path, body]) => {
  const { store, ci, ada } = open();
  await Promise.all([
    ci('POST', path, body),
    ada('POST', path, JSON.parse(JSON.stringify(body).replace('"t1"', '"t3"').replace('"t2"', '"t4"').replace('"x1"', '"x2"'))),
  ]);
  const starts = (await readAudit(store)).map(({ action, by }) => ({ action, by }));
  expect(starts).toHaveLength(2);
  for (const name of ['ci', 'ada'])
    expect(starts).toContainEqual({ action: 'start', by: { via, tenant: 'acme', name, client: `client of ${name}` } });
});

it('names the token of each call over MCP, also in a session that another token has begun', async () => {
  const { store, ci, ada } = open();
  const mcp = { jsonrpc: '2.0' };
  const begun = await ci('POST', '/mcp', { ...mcp, id: 1, method: 'initialize', params: initialize });
  const session = { 'mcp-session-id': begun.get('mcp-session-id') ?? '' };
  await ci('POST', '/mcp', { ...mcp, method: 'notifications/initialized' }, session);
  const call = { ...mcp, method: 'tools/call', params: { name: 'plan_execute', arguments: { input: question } } };
  await ada('POST', '/mcp', { ...call, id: 2 }, session);
  await ci('POST', '/mcp', { ...call, id: 3 }, session);
  const by = (await readAudit(store)).map((entry) => entry.by).sort((a, b) => (a.name ?? '').localeCompare(b.name ?? ''));
  expect(by).toEqual(['ada', 'ci'].map((name) => ({ via: 'mcp', tenant: 'acme', name, client: `client of ${name}` })));
});

it('keeps who has removed a conversation over LangGraph, without its id', async () => {
  const { store, ci, ada } = open();
  const { assistant_id, input } = { assistant_id: 'plan-execute', input: { messages: [{ type: 'human', content: 'a secret' }] } };
  const threadId = '8a5f1f0e-6c1e-4f0b-9d0e-0f4b6f1f2a33';
  await ci('POST', '/api/langgraph/threads', { thread_id: threadId });
  await ci('POST', `/api/langgraph/threads/${threadId}/runs/wait`, { assistant_id, input });
  await ada('DELETE', `/api/langgraph/threads/${threadId}`);
  const entries = await readAudit(store);
  expect(entries).toMatchObject([{ action: 'remove', by: { via: 'langgraph', tenant: 'acme', name: 'ada' }, outcome: 'done' }]);
  expect(JSON.stringify(entries)).not.toContain('secret');
  expect(JSON.stringify(entries)).not.toContain(threadId);
});
