// Streams that somebody opens and does not read, or that are open when the server closes.
import { createRuntime, memoryStore } from 'agent-machines';
import { agUiRoutes, aiSdkRoutes, defaultServerLimits, openaiRoutes } from 'agent-machines/server';
import { fakeClock } from 'agent-machines/testing';
import { expect, it, vi } from 'vitest';
import { eventStream } from '../../../../src/server/http/event-stream.ts';
import { failure, final, hangs, logWorkflow, node } from '../../../fixtures/log-workflow.ts';
import { framesOf, request, serve } from '../../../fixtures/served.ts';
import { talking } from '../../../fixtures/talking.ts';

type Followed = Parameters<typeof eventStream>[0]['events'] extends AsyncIterable<infer T> ? T : never;

const mounts = [aiSdkRoutes, agUiRoutes, openaiRoutes].map((made) => (space: Parameters<typeof made>[0]) => made(space));
const open = { perMinute: 1e6, burst: 1e6 };

/** Works until it is stopped. */
const hanging = logWorkflow({
  id: 'hanging',
  initial: 'work',
  states: { work: node('work', 'done'), done: final, failed: failure },
  nodes: { work: hangs },
});

const chats: readonly [name: string, path: string, body: (thread: string) => object][] = [
  ['the AI SDK', '/api/ai-sdk/hanging', (id) => ({ id, messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'q' }] }] })],
  ['AG-UI', '/api/ag-ui/hanging', (threadId) => ({ threadId, runId: 'x', messages: [{ id: 'm', role: 'user', content: 'q' }] })],
  [
    'OpenAI',
    '/v1/chat/completions',
    (thread_id) => ({ model: 'hanging', stream: true, metadata: { thread_id }, messages: [{ role: 'user', content: 'q' }] }),
  ],
];

it('uses no slot for HEAD', async () => {
  const { server, ask, runtime } = serve();
  const { body: run } = await ask('POST', '/api/runs', { workflow: 'asking', input: {} });
  for (let count = 0; count < 20; count++) expect((await server.fetch(request('HEAD', `/api/runs/${run.id}/events`))).status).toBe(200);
  expect((await framesOf(await server.fetch(request('GET', `/api/runs/${run.id}/events`)))).at(-1)?.event).toBe('end');
  await runtime.close();
});

it.each(chats)('counts the streams of %s and frees a slot when the reader leaves', async (_name, path, body) => {
  const store = memoryStore();
  const runtime = createRuntime({ store, workflows: [hanging] });
  const limits = { writes: open, starts: open, streams: { ...defaultServerLimits.streams, ofProtocols: 3 } };
  const { server, ask } = serve({ store, runtime, workflows: [hanging], mounts, limits });
  const ask1 = async (thread: string): Promise<Response> => server.fetch(request('POST', path, body(thread)));
  const streams = [await ask1('t1'), await ask1('t2'), await ask1('t3')];
  expect(streams.map(({ status }) => status)).toEqual([200, 200, 200]);
  const refused = { code: 'TOO_MANY_STREAMS' };
  const inFormat = path.startsWith('/v1') ? { error: refused } : refused;
  expect(await ask('POST', path, body('t4'))).toMatchObject({ status: 429, body: inFormat });
  expect((await runtime.list()).length).toBe(3); // what was refused has started nothing
  await streams[0]?.body?.cancel();
  expect((await ask1('t5')).status).toBe(200);
  await server.close();
  await runtime.close();
});

it.each(chats)('ends the streams of %s with an error on close and cancels no run', async (_name, path, body) => {
  const store = memoryStore();
  const runtime = createRuntime({ store, workflows: [hanging] });
  const { server } = serve({ store, runtime, workflows: [hanging], mounts });
  const response = await server.fetch(request('POST', path, body('t')));
  const text = response.text();
  text.catch(() => {});
  await server.close();
  await expect(text).rejects.toThrow('closing');
  await runtime.close();
  const [record] = await store.list({});
  expect(record?.status).not.toBe('cancelled');
  const next = createRuntime({ store, workflows: [hanging] });
  expect((await next.resume(record?.id ?? '', { force: true })).id).toBe(record?.id); // the next process goes on with it
  await next.close();
});

it.each(chats)('closes the stream of a stalled reader of %s while the run continues', async (_name, path, body) => {
  const store = memoryStore();
  const clock = fakeClock();
  const runtime = createRuntime({ store, workflows: [hanging] });
  const { server } = serve({ store, runtime, workflows: [hanging], mounts, clock });
  const response = await server.fetch(request('POST', path, body('t')));
  const reader = response.body?.getReader();
  await reader?.read();
  await vi.waitFor(async () => {
    await clock.advance(30_000);
    await expect(reader?.read()).rejects.toThrow('stalled');
  });
  const [record] = await runtime.list();
  expect(record?.status).toBe('running');
  await runtime.close();
});

it('closes the stream of a stalled reader, which gets the rest after a reconnect', async () => {
  const store = memoryStore();
  const clock = fakeClock();
  const workflow = talking({ events: 50 });
  const runtime = createRuntime({ store, workflows: [workflow] });
  const { server, ask } = serve({ store, runtime, workflows: [workflow], clock });
  const { body: run } = await ask('POST', '/api/runs', { workflow: 'talking', input: {} });
  await runtime.resume(run.id).then(({ result }) => result);
  const events = async (lastId?: string): Promise<Response> =>
    server.fetch(request('GET', `/api/runs/${run.id}/events`, undefined, lastId === undefined ? {} : { 'last-event-id': lastId }));
  const all = (await framesOf(await events())).filter(({ id }) => id !== undefined);
  const unread = await events();
  const reader = (await events()).body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (!text.includes('id: 7.')) text += (await reader?.read())?.value ?? '';
  await clock.advance(30_000);
  await expect(unread.text()).rejects.toThrow('stalled');
  const seen: string[] = [];
  await expect(
    (async () => {
      for (;;) seen.push((await reader?.read())?.value ?? '');
    })(),
  ).rejects.toThrow('stalled');
  const ids = [...`${text}${seen.join('')}`.matchAll(/^id: (.*)$/gm)].map(([, id]) => id);
  const rest = (await framesOf(await events(ids.at(-1)))).filter(({ id }) => id !== undefined);
  expect([...ids, ...rest.map(({ id }) => id)]).toEqual(all.map(({ id }) => id));
  await runtime.close();
});

it.each(['before', 'between', 'after'])('releases the source of a reader that leaves %s events', async (when) => {
  let letGo = 0;
  async function* events(): AsyncGenerator<Followed, void, undefined> {
    try {
      const event = { type: 'thinking', step: 's', content: 'x', seq: 1, at: 0 } as const;
      if (when === 'before') await new Promise((go) => setImmediate(go));
      for (let seq = 1; seq < 4; seq++) yield { event: { ...event, seq }, place: `${seq}.1` };
    } finally {
      letGo++;
    }
  }
  const stop = new AbortController();
  const more = { clock: fakeClock(), requestId: 'q', heartbeatMs: 1_000, stalledMs: 1_000, stop, onEnd: () => {} };
  const reader = eventStream({ events: Object.assign(events(), { status: 'done' as const }), ...more }).body?.getReader();
  await reader?.read(); // the greeting
  if (when === 'between') await reader?.read();
  if (when === 'after') while (!(await reader?.read())?.done);
  await reader?.cancel();
  await vi.waitFor(() => expect(letGo).toBe(1));
});

it('separates the sessions of two servers on one machine', async () => {
  const cookieAt = async (port: number): Promise<string> => {
    const { server } = serve({ hosts: [`127.0.0.1:${port}`] });
    const made = await server.fetch(
      new Request(`http://127.0.0.1:${port}/api/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"token":"token-of-the-only-tenant"}',
      }),
    );
    const [cookie = ''] = (made.headers.get('set-cookie') ?? '').split(';');
    const { status } = await server.fetch(new Request(`http://127.0.0.1:${port}/api/runs`, { headers: { cookie: `other=1; ${cookie}` } }));
    expect(status).toBe(200);
    return cookie.split('=')[0] ?? '';
  };
  expect([await cookieAt(4680), await cookieAt(4681)]).toEqual(['agent_machines_session_4680', 'agent_machines_session_4681']);
});

it('does not log aborted requests or unknown methods', async () => {
  const errors: unknown[] = [];
  const { server, runtime } = serve({ mounts, onError: ({ error }) => void errors.push(error) });
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.error(new Error('aborted'));
    },
  });
  const headers = { authorization: 'Bearer token-of-the-only-tenant', 'content-type': 'application/json' };
  const broken = new Request('http://agents.test/api/runs', { method: 'POST', headers, body, duplex: 'half' } as RequestInit);
  expect((await server.fetch(broken)).status).toBe(400);
  expect((await server.fetch(request('PROPFIND', '/api/runs'))).status).toBe(404);
  expect(errors).toEqual([]);
  await runtime.close();
});
