// The client against the server that it is made for.

import { createRuntime, memoryStore } from 'agent-machines';
import { ApiFailure, createClient } from 'agent-machines/client';
import { expect, it } from 'vitest';
import { failure, final, logWorkflow, node } from '../../../fixtures/log-workflow.ts';
import { host, serve, token } from '../../../fixtures/served.ts';

const clientOf = ({ server }: ReturnType<typeof serve>, cutAfter = Number.POSITIVE_INFINITY) => {
  const given = async (url: URL | RequestInfo, init?: RequestInit): Promise<Response> => {
    const response = await server.fetch(new Request(url, init));
    return String(url).includes('/events') && response.ok ? cut(response, cutAfter) : response;
  };
  return createClient({ baseUrl: `http://${host}`, token, fetch: given, retryMs: 1 });
};

/** A stream that ends after so many chunks, whatever it had still to say. */
function cut(response: Response, chunks: number): Response {
  let count = 0;
  const passing = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      controller.enqueue(chunk);
      if (++count >= chunks) controller.terminate();
    },
  });
  return new Response(response.body?.pipeThrough(passing), response);
}

it('starts, follows and answers a run', async () => {
  const served = serve();
  const client = clientOf(served);
  const start = { workflow: 'asking', input: { log: ['a'] }, threadId: 't' };
  const run = await client.startRun({ body: start }, { idempotencyKey: 'k' });
  expect((await client.startRun({ body: start }, { idempotencyKey: 'k' })).id).toBe(run.id);
  const types: string[] = [];
  for await (const { type } of client.events(run.id)) types.push(type);
  expect(types).toContain('interrupt');
  const { runs } = await client.listWaiting();
  const [interrupt] = runs[0]?.interrupts ?? [];
  expect(client.answerRun).toBe(client.send); // the old name
  await client.send({ params: { id: run.id }, body: { interruptId: interrupt?.id ?? '', event: { type: 'SAY', text: 'yes' } } });
  const followed = client.events(run.id, { follow: true });
  let end = await followed.next();
  while (!end.done) end = await followed.next();
  expect(end.value).toBe('done');
  expect(await client.getRun({ params: { id: run.id } })).toMatchObject({ status: 'done', output: 'a,worked,yes' });
  expect(await client.getState({ params: { id: run.id }, query: {} })).toMatchObject({
    position: ['done'],
    state: { log: ['a', 'worked', 'yes'] },
  });
  const journal = await client.getJournal({ params: { id: run.id }, query: {} });
  const worked = journal.entries.find(({ kind }) => kind === 'node');
  expect(await client.getState({ params: { id: run.id }, query: { at: worked?.seq ?? 0 } })).toEqual({
    position: ['ask'],
    state: { log: ['a', 'worked'], count: 0 },
  });
  expect(await client.getState({ params: { id: run.id }, query: { at: 1 } })).toEqual({
    position: ['work'],
    state: { log: ['a'], count: 0 },
  });
  expect((await client.listThreads({ query: { q: 'nothing' } })).threads).toEqual([]);
  expect((await client.getThread({ params: { id: 't' } })).turns.length).toBe(1);
  expect(await client.getMetrics()).toContain('agent_machines_runs{workflow="asking",status="done"} 1');
  await served.runtime.close();
});

it.each([1, 2, 3, 5])('delivers each numbered event once when its stream is cut after every %i chunks', async (chunks) => {
  const served = serve({ limits: { reads: { perMinute: 1e6, burst: 1e6 } } });
  const run = await clientOf(served).startRun({ body: { workflow: 'asking', input: {} } });
  await served.runtime.resume(run.id).then(({ result }) => result);
  const whole: number[] = [];
  const pieces: number[] = [];
  for await (const event of clientOf(served).events(run.id)) if (event.type !== 'token') whole.push(event.seq);
  for await (const event of clientOf(served, chunks + 1).events(run.id)) if (event.type !== 'token') pieces.push(event.seq);
  expect(pieces).toEqual(whole);
  expect(whole).toEqual(whole.map((_, index) => index + 1));
  await served.runtime.close();
});

it('throws a rejection of the server with its code', async () => {
  const served = serve();
  const failure = await clientOf(served)
    .getRun({ params: { id: 'r_unknown' } })
    .catch((cause: unknown) => cause);
  expect(failure).toBeInstanceOf(ApiFailure);
  expect(failure).toMatchObject({ status: 404, code: 'RUN_UNKNOWN', requestId: expect.stringMatching(/^q_/) });
  await served.runtime.close();
});

it('has the same routes as the OpenAPI document', async () => {
  const served = serve();
  const document = await clientOf(served).getOpenApi();
  const paths = document.paths as Record<string, Record<string, unknown>>;
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const inServer = served.server.routes
    .filter(({ isOpen }) => !isOpen)
    .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);
  expect(described.sort()).toEqual(inServer.sort());
  expect(paths['/api/runs']?.post).toMatchObject({
    operationId: 'startRun',
    requestBody: {
      content: { 'application/json': { schema: { type: 'object', required: ['workflow', 'input'], additionalProperties: false } } },
    },
  });
  await served.runtime.close();
});

it.each([2, 3, 5])('delivers all live output once when its stream is cut after every %i chunks', async (chunks) => {
  const words = Array.from({ length: 20 }, (_, index) => `word${index} `);
  const heardAll = Promise.withResolvers<void>();
  const workflow = logWorkflow({
    id: 'streaming',
    states: { speak: node('speak', 'done'), done: final, failed: failure },
    nodes: {
      speak: async (_state, io) => {
        for (const [index, text] of words.entries()) {
          if (index % 7 === 3) io.emit({ type: 'thinking', step: String(index), content: null });
          io.emit({ type: 'token', text });
          if (index % 3 === 0) await new Promise((go) => setImmediate(go));
        }
        await heardAll.promise;
        return { log: ['spoken'] };
      },
    },
  });
  const store = memoryStore();
  const runtime = createRuntime({ store, workflows: [workflow] });
  const served = serve({ store, runtime, workflows: [workflow], limits: { reads: { perMinute: 1e6, burst: 1e6 } } });
  const client = clientOf(served, chunks);
  const run = await client.startRun({ body: { workflow: 'streaming', input: {} } });
  let text = '';
  for await (const event of client.events(run.id)) {
    if (event.type === 'token') text += event.text;
    if (text.length >= words.join('').length) heardAll.resolve();
  }
  expect(text).toBe(words.join(''));
  await served.runtime.close();
});

it('reports a run in a final state tagged failure as failed, in its stream, its details, lists and counts', async () => {
  const dies = async (): Promise<never> => {
    throw new Error('no luck');
  };
  const failing = logWorkflow({ id: 'failing', states: { a: node('a', 'done'), done: final, failed: failure }, nodes: { a: dies } });
  const store = memoryStore();
  const served = serve({ store, runtime: createRuntime({ store, workflows: [failing] }), workflows: [failing] });
  const client = clientOf(served);
  const run = await client.startRun({ body: { workflow: 'failing', input: {} } });
  const followed = client.events(run.id, { follow: true });
  let end = await followed.next();
  while (!end.done) end = await followed.next();
  expect(end.value).toBe('failed');
  expect(await client.getRun({ params: { id: run.id } })).toMatchObject({ status: 'failed', resumable: false, finalState: 'failed' });
  expect((await client.listRuns({ query: { status: 'failed' } })).runs).toHaveLength(1);
  expect(await client.getMetrics()).toContain('agent_machines_runs{workflow="failing",status="failed"} 1');
  await served.runtime.close();
});
