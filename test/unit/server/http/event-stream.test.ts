// The numbered events of a run over HTTP: the same ones, once, wherever a reader begins.
import { createRuntime, memoryStore } from 'agent-machines';
import { expect, it } from 'vitest';
import { framesOf, request, serve } from '../../../fixtures/served.ts';

it('delivers the same events once to every reader from any number', async () => {
  const { server, ask, runtime } = serve({ limits: { reads: { perMinute: 1e6, burst: 1e6 } } });
  const { body: run, status } = await ask('POST', '/api/runs', { workflow: 'asking', input: { log: ['a'] }, threadId: 't1' });
  expect(status).toBe(201);
  const all = await framesOf(await server.fetch(request('GET', `/api/runs/${run.id}/events`)));
  expect(all.at(-1)).toEqual({ event: 'end', data: '{"status":"waiting"}' });
  const numbered = all.filter(({ id }) => id !== undefined);
  expect(numbered.map(({ data }) => JSON.parse(data).seq)).toEqual(numbered.map((_, index) => index + 1));
  for (const [index, { id = '' }] of numbered.entries()) {
    const rest = await framesOf(await server.fetch(request('GET', `/api/runs/${run.id}/events`, undefined, { 'last-event-id': id })));
    expect(rest.filter((frame) => frame.id !== undefined)).toEqual(numbered.slice(index + 1));
    const from = await framesOf(await server.fetch(request('GET', `/api/runs/${run.id}/events?from=${index + 1}`)));
    expect(from.filter((frame) => frame.id !== undefined)).toEqual(numbered.slice(index));
  }
  await runtime.close();
});

it('follows a waiting run with follow=true, and delivers the events after the answer', async () => {
  const { server, ask, runtime } = serve();
  const { body: run } = await ask('POST', '/api/runs', { workflow: 'asking', input: {} });
  await runtime.resume(run.id).then(({ result }) => result);
  const response = await server.fetch(request('GET', `/api/runs/${run.id}/events?follow=true`));
  const followed = framesOf(response);
  const { body: waiting } = await ask('GET', `/api/runs/${run.id}`);
  const answer = { interruptId: waiting.interrupts[0].id, event: { type: 'SAY', text: 'yes' } };
  expect((await ask('POST', `/api/runs/${run.id}/answer`, answer)).status).toBe(200);
  const frames = await followed;
  expect(frames.map(({ event }) => event)).toContain('run-end');
  expect(frames.at(-1)).toEqual({ event: 'end', data: '{"status":"done"}' });
  expect((await ask('POST', `/api/runs/${run.id}/answer`, answer)).status).toBe(200); // the same again changes nothing
  const other = await ask('POST', `/api/runs/${run.id}/answer`, { ...answer, event: { type: 'SAY', text: 'no' } });
  expect([other.status, other.body.code]).toEqual([409, 'INTERRUPT_ANSWERED']);
  await runtime.close();
});

it('streams a run of another runtime on the same store', async () => {
  const store = memoryStore();
  const driver = serve({ store });
  const reader = serve({ store, runtime: createRuntime({ store }) });
  const { body: run } = await driver.ask('POST', '/api/runs', { workflow: 'asking', input: {} });
  const seen = await framesOf(await reader.server.fetch(request('GET', `/api/runs/${run.id}/events`)));
  const own = await framesOf(await driver.server.fetch(request('GET', `/api/runs/${run.id}/events`)));
  const numbered = (frames: typeof seen): typeof seen => frames.filter(({ id }) => id !== undefined);
  expect(numbered(seen)).toEqual(numbered(own));
  expect(seen.at(-1)).toEqual({ event: 'end', data: '{"status":"waiting"}' });
  await Promise.all([driver.runtime.close(), reader.runtime.close()]);
});

it('allows a tenant eight streams and frees a slot when its reader leaves', async () => {
  const { server, ask, runtime } = serve();
  const { body: run } = await ask('POST', '/api/runs', { workflow: 'asking', input: {} });
  const open = async (): Promise<Response> => server.fetch(request('GET', `/api/runs/${run.id}/events?follow=true`));
  const streams = await Promise.all(Array.from({ length: 8 }, open));
  expect(streams.map(({ status }) => status)).toEqual(Array(8).fill(200));
  const ninth = await open();
  expect([ninth.status, ninth.headers.get('retry-after')]).toEqual([429, '5']);
  await streams[0]?.body?.cancel();
  expect((await open()).status).toBe(200);
  await server.close();
  for (const { body } of streams.slice(1)) for await (const chunk of body ?? []) expect(chunk).toBeInstanceOf(Uint8Array);
  await runtime.close();
});

it('starts one run for one key, however often it is sent', async () => {
  const { ask, runtime } = serve();
  const start = { workflow: 'asking', input: {}, threadId: 't' };
  const tries = await Promise.all(Array.from({ length: 5 }, () => ask('POST', '/api/runs', start, { 'idempotency-key': 'k' })));
  expect(new Set(tries.map(({ body }) => body.id)).size).toBe(1);
  expect((await runtime.list()).length).toBe(1);
  expect((await ask('POST', '/api/runs', start, { 'idempotency-key': 'k' })).status).toBe(200);
  const other = await ask('POST', '/api/runs', { ...start, input: { log: ['x'] } }, { 'idempotency-key': 'k' });
  expect([other.status, other.body.code]).toEqual([409, 'RUN_EXISTS']);
  const busy = await ask('POST', '/api/runs', start);
  expect([busy.status, busy.body.code]).toEqual([409, 'THREAD_BUSY']);
  await runtime.close();
});

it('makes one fork for each key', async () => {
  const { ask, runtime } = serve();
  const { body: run } = await ask('POST', '/api/runs', { workflow: 'asking', input: {} });
  await runtime.resume(run.id).then(({ result }) => result);
  const fork = (more: object, key?: string) =>
    ask('POST', `/api/runs/${run.id}/fork`, { at: 'work#1', ...more }, key === undefined ? {} : { 'idempotency-key': key });
  const tries = await Promise.all(Array.from({ length: 4 }, () => fork({}, 'k')));
  expect(new Set(tries.map(({ body }) => body.id)).size).toBe(1);
  expect([(await fork({}, 'k')).status, (await runtime.list()).length]).toEqual([200, 2]);
  const other = await fork({ patch: { log: ['x'] } }, 'k');
  expect([other.status, other.body.code]).toEqual([409, 'RUN_EXISTS']);
  const more = [await fork({}, 'l'), await fork({}), await fork({})];
  expect(more.map(({ status }) => status)).toEqual([201, 201, 201]);
  expect((await runtime.list()).length).toBe(5);
  await runtime.close();
});

it('accepts ten concurrent starts', async () => {
  const { ask, runtime } = serve();
  const tries = await Promise.all(Array.from({ length: 15 }, () => ask('POST', '/api/runs', { workflow: 'asking', input: {} })));
  expect(tries.filter(({ status }) => status === 201).length).toBe(10);
  const refused = tries.find(({ status }) => status === 429);
  expect([refused?.body.code, refused?.headers.get('retry-after')]).toEqual(['TOO_MANY_REQUESTS', '6']);
  await runtime.close();
});
