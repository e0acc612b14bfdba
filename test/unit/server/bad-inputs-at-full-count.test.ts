// Cases of the list of bad inputs that need many requests, or a store that somebody has written into.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createRuntime } from 'agent-machines';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { fakeClock } from 'agent-machines/testing';
import { expect, it, onTestFinished } from 'vitest';
import { asking, type Served, serve } from '../../fixtures/served.ts';
import { share, someOf } from '../../fixtures/share.ts';

/** A server on a file. */
function serveFile(): Served & { readonly path: string } {
  const path = join(mkdtempSync(join(tmpdir(), 'agent-machines-inputs-')), 'runs.db');
  const store = sqliteStore({ path });
  const runtime = createRuntime({ store, workflows: [asking] });
  onTestFinished(async () => {
    await runtime.close();
    await store.close();
    rmSync(join(path, '..'), { recursive: true, force: true });
  });
  return { ...serve({ store, runtime }), path };
}

it('starts 10 of 100 concurrent runs and tells the others when to retry', async () => {
  const { ask, runtime } = serve({ clock: fakeClock() }); // in one moment
  const answers = await Promise.all(Array.from({ length: 100 }, () => ask('POST', '/api/runs', { workflow: 'asking', input: {} })));
  expect(answers.filter(({ status }) => status === 201).length).toBe(10);
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBe(90);
  for (const { headers, body } of refused) {
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(body.code).toBe('TOO_MANY_REQUESTS');
  }
  expect((await runtime.list()).length).toBe(10);
  await runtime.close();
});

const twins = ['\u00e9', 'e\u0301'];

it.each([
  ['U+0000', 'a\u0000b'],
  ['every control character', Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)).join('')],
  ['composed and decomposed twins', twins.join()],
  ['noncharacters', '\ufffe\uffff\u{1fffe}'],
  ['what cannot be seen', '\u200b\u202e\u{e0041}\ufeff'],
  ['line separators', '\u2028\u2029\u0085'],
  ['emoji of several parts', '👩‍👩‍👧‍👦🏳️‍🌈'],
])('returns %s unchanged from a file store', async (_name, text) => {
  const { ask, runtime } = serveFile();
  const input = { log: [text], [twins[0] as string]: 1, [twins[1] as string]: 2, [`k${text}`]: text };
  const { body } = await ask('POST', '/api/runs', { workflow: 'asking', input, threadId: 't' });
  await runtime.resume(body.id).then(({ result }) => result);
  expect(JSON.stringify((await ask('GET', `/api/runs/${body.id}`)).body.input)).toBe(JSON.stringify(input));
  const [{ id: interruptId }] = (await ask('GET', `/api/runs/${body.id}`)).body.interrupts;
  await ask('POST', `/api/runs/${body.id}/answer`, { interruptId, event: { type: 'SAY', text } });
  await runtime.resume(body.id).then(
    ({ result }) => result,
    () => undefined,
  );
  const { output } = (await ask('GET', `/api/runs/${body.id}`)).body;
  expect(output).toBe(text.trim() === '' ? undefined : [text, 'worked', text].join());
});

it.each([
  ['half a character, escaped', '{"workflow":"asking","input":{"log":["\\udc00"]}}'],
  ['half a character as a key, escaped', '{"workflow":"asking","input":{"\\ud800":1}}'],
  ['two halves the wrong way round', '{"workflow":"asking","input":{"log":["\\udc00\\ud800"]}}'],
  [
    'half a character in bytes',
    Buffer.from('7b22776f726b666c6f77223a2261736b696e67222c22696e707574223a22eda0802 27d'.replace(' ', ''), 'hex'),
  ],
  ['a character in more bytes than it needs', Buffer.from([0x22, 0xc0, 0xaf, 0x22])],
])('rejects %s', async (_name, body) => {
  const { server, runtime } = serve();
  const headers = { authorization: 'Bearer token-of-the-only-tenant', 'content-type': 'application/json' };
  const response = await server.fetch(new Request('http://agents.test/api/runs', { method: 'POST', headers, body }));
  expect(response.status).toBe(400);
  expect(await runtime.list()).toEqual([]);
  await runtime.close();
});

/** More than the process may grow by. */
const megabytes = share(500, 300);

it.each(
  someOf([
    ['an outcome', `UPDATE journal SET outcome = CAST(zeroblob(${megabytes}000000) AS TEXT) WHERE kind = ?`],
    ['events', `UPDATE journal SET events = CAST(zeroblob(${megabytes}000000) AS TEXT) WHERE kind = ?`],
  ]),
)(`does not read %s of ${megabytes} MB`, async (_name, sql) => {
  const { ask, runtime, path } = serveFile();
  const { body } = await ask('POST', '/api/runs', { workflow: 'asking', input: {} });
  await runtime.resume(body.id).then(({ result }) => result);
  const db = new DatabaseSync(path);
  db.exec('PRAGMA wal_autocheckpoint = 0'); // moving all of it once more takes as long as writing it
  expect(Number(db.prepare(sql).run('node').changes)).toBe(1);
  db.close();
  const before = process.memoryUsage().rss;
  for (const at of ['', '/journal', '/state', '/events']) {
    const { status, body: said } = await ask('GET', `/api/runs/${body.id}${at}`);
    expect({ status, code: said.code }).toEqual({ status: 500, code: 'JOURNAL_CORRUPT' });
  }
  expect(process.memoryUsage().rss - before).toBeLessThan(250_000_000);
  expect((await ask('GET', '/api/runs')).status).toBe(200);
});

const question = { role: 'user', content: 'q' };
const call = (name: string) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } });

it.each<[name: string, path: string, body: object]>([
  ['the AI SDK', '/api/ai-sdk/asking', { id: 't', messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'q' }] }] }],
  ['AG-UI', '/api/ag-ui/asking', { threadId: 't', runId: 'x', messages: [{ id: 'm', ...question }] }],
  ['chat completions', '/v1/chat/completions', { model: 'asking', messages: [question] }],
  ['responses', '/v1/responses', { model: 'asking', input: 'q' }],
  ['LangGraph', '/api/langgraph/threads/t/runs/stream', { assistant_id: 'asking', input: 'q' }],
  ['LangGraph without a thread', '/api/langgraph/runs/wait', { assistant_id: 'asking', input: 'q' }],
  ['A2A', '/api/a2a/asking', { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: {} }],
  ['MCP', '/mcp', call('asking')],
  ['MCP, several at once', '/mcp', [call('show_run'), call('asking')]],
])('limits the starts over %s', async (_name, path, body) => {
  let asked = 0;
  const mounted = () => ({
    fetch: () => {
      asked++;
      return Response.json({});
    },
  });
  const { ask, runtime } = serve({ clock: fakeClock(), mounts: [mounted], limits: { writes: { perMinute: 1e6, burst: 1e6 } } });
  const answers = await Promise.all(Array.from({ length: 100 }, () => ask('POST', path, body)));
  expect(answers.filter(({ status, headers }) => status === 429 && headers.has('retry-after')).length).toBe(100 - asked);
  expect(asked).toBeLessThanOrEqual(10);
  await runtime.close();
});
