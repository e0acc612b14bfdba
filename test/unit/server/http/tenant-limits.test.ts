// How much a tenant may have at the same time, over a real socket.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRuntime, memoryStore } from 'agent-machines';
import { type AgentClient, ApiFailure, createClient } from 'agent-machines/client';
import { createServer, openaiRoutes, type ServerLimits } from 'agent-machines/server';
import { documentFolder, listen } from 'agent-machines/server/node';
import { expect, it, onTestFinished } from 'vitest';
import { failure, final, logWorkflow, node, waiting } from '../../../fixtures/log-workflow.ts';
import { token } from '../../../fixtures/served.ts';

const many = { perMinute: 1e6, burst: 1e6 };

async function open(limits: Partial<ServerLimits>) {
  const gate = Promise.withResolvers<void>();
  const holding = logWorkflow({
    id: 'holding',
    initial: 'work',
    states: { work: node('work', 'ask'), ask: waiting({ SAY: 'more' }), more: node('more', 'done'), done: final, failed: failure },
    nodes: { work: () => gate.promise.then(() => ({})), more: async () => ({}) },
  });
  const folder = mkdtempSync(join(tmpdir(), 'agent-machines-limits-'));
  const store = memoryStore();
  const runtime = createRuntime({ store, workflows: [holding] });
  const all = { reads: many, writes: many, starts: many, ...limits };
  const documents = documentFolder({ folder });
  const listener = await listen({
    server: (hosts) =>
      createServer({
        hosts,
        tokens: token,
        store,
        runtime,
        workflows: [holding],
        limits: all,
        documents,
        mounts: [(space) => openaiRoutes(space)],
      }),
  });
  onTestFinished(async () => {
    gate.resolve();
    await listener.close();
    await runtime.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { client: createClient({ baseUrl: listener.url, token }), url: listener.url, release: gate.resolve };
}

const start = (client: AgentClient, more: { threadId?: string } = {}, key?: string): Promise<string> =>
  client
    .startRun({ body: { workflow: 'holding', input: {}, ...more } }, key === undefined ? {} : { idempotencyKey: key })
    .then(({ id }) => id);

/** Status, code and limit of a refusal. */
const refusal = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'nothing',
    (cause: unknown) => (cause instanceof ApiFailure ? `${cause.status} ${cause.code} ${String(cause.data?.limit)}` : cause),
  );

it('starts at most four concurrent runs and lets the others be answered', async () => {
  const { client, url, release } = await open({});
  const outcomes = await Promise.allSettled(Array.from({ length: 9 }, (_, index) => start(client, {}, `k${index}`)));
  const ids = outcomes.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  expect(ids.length).toBe(4);
  expect(await refusal(start(client))).toBe('429 TOO_MANY_RUNS 4');
  const key = outcomes.findIndex(({ status }) => status === 'fulfilled');
  expect(ids).toContain(await start(client, {}, `k${key}`)); // the same start again is no start
  const body = JSON.stringify({ model: 'holding', messages: [{ role: 'user', content: 'x' }] });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const chat = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body });
  expect([chat.status, chat.headers.get('retry-after')]).toEqual([429, '1']);
  expect(await chat.json()).toMatchObject({ error: { type: 'rate_limit_error', code: 'TOO_MANY_RUNS' } });
  await client.cancelRun({ params: { id: ids[0] ?? '' } });
  ids[0] = await start(client);
  release();
  for (const id of ids) for await (const _ of client.events(id));
  const more = await Promise.all(Array.from({ length: 3 }, () => start(client)));
  for (const id of [...ids, ...more]) {
    for await (const _ of client.events(id));
    const { interrupts } = await client.getRun({ params: { id } });
    await client.send({ params: { id }, body: { interruptId: interrupts[0]?.id ?? '', event: { type: 'SAY', text: 'x' } } });
    for await (const _ of client.events(id, { follow: true }));
    expect((await client.getRun({ params: { id } })).status).toBe('done');
  }
});

it('counts a fork as a start', async () => {
  const { client, release } = await open({ runningRuns: 1 });
  release();
  const id = await start(client);
  for await (const _ of client.events(id));
  const fork = await client.forkRun({ params: { id }, body: { at: 'work#1' } });
  for await (const _ of client.events(fork.id));
  expect((await client.getRun({ params: { id: fork.id } })).status).toBe('waiting');
});

it('starts no conversation above the limit and continues existing ones', async () => {
  const { client, release } = await open({ threads: 2 });
  release();
  for (const threadId of ['t_1', 't_2', 't_1']) {
    const id = await start(client, { threadId });
    for await (const _ of client.events(id));
    await client.cancelRun({ params: { id } });
  }
  expect(await refusal(start(client, { threadId: 't_3' }))).toBe('409 TOO_MANY_THREADS 2');
  await start(client);
  await client.deleteThread({ params: { id: 't_1' } });
  await start(client, { threadId: 't_3' });
});

it('stores no documents above the limit', async () => {
  const { client } = await open({ documentBytes: 200 });
  const file = (name: string): File => new File([`제1조 (목적) ${'가'.repeat(20)}`], name); // 80 bytes
  const first = await client.addDocument(file('a.txt'));
  const two = await Promise.allSettled([client.addDocument(file('b.txt')), client.addDocument(file('c.txt'))]);
  expect(two.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(await refusal(client.addDocument(file('d.txt')))).toBe('413 DOCUMENTS_FULL 200');
  await client.deleteDocument({ params: { id: first.id } });
  await client.addDocument(file('d.txt'));
  expect((await client.listDocuments()).length).toBe(2);
});
