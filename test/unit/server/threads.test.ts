// Conversations over a real socket: their names, and lists of many of them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRuntime, memoryStore, type RunStore } from 'agent-machines';
import { type AgentClient, createClient } from 'agent-machines/client';
import { createServer } from 'agent-machines/server';
import { listen } from 'agent-machines/server/node';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { asking, token } from '../../fixtures/served.ts';

const many = { perMinute: 1e6, burst: 1e6 };

async function open(store: RunStore): Promise<AgentClient> {
  const runtime = createRuntime({ store, workflows: [asking] });
  const limits = { reads: many, writes: many, starts: many };
  const listener = await listen({ server: (hosts) => createServer({ hosts, tokens: token, store, runtime, workflows: [asking], limits }) });
  onTestFinished(async () => {
    await listener.close();
    await runtime.close();
    await store.close();
  });
  return createClient({ baseUrl: listener.url, token });
}

function fileStore(): RunStore {
  const folder = mkdtempSync(join(tmpdir(), 'agent-machines-threads-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return sqliteStore({ path: join(folder, 'runs.db') });
}

/** Begins a run and waits until it asks its human. */
async function ask(client: AgentClient, threadId: string, text: string): Promise<string> {
  const run = await client.startRun({ body: { workflow: 'asking', input: { log: [text] }, threadId } });
  for await (const _ of client.events(run.id));
  return run.id;
}

async function end(client: AgentClient, id: string): Promise<void> {
  await client.cancelRun({ params: { id } });
}

const refusal = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'nothing',
    (cause: { readonly status: number; readonly code: string }) => `${cause.status} ${cause.code}`,
  );

describe.each([
  ['memory', memoryStore],
  ['a file', fileStore],
])('threads in %s', (_name, store) => {
  it('keep and show the priority of a run', async () => {
    const client = await open(store());
    const ids: string[] = [];
    for (const priority of [7, -100, undefined]) {
      const body = { workflow: 'asking', input: { log: [] }, ...(priority === undefined ? {} : { priority }) };
      ids.push((await client.startRun({ body })).id);
    }
    const shown = await Promise.all(ids.map(async (id) => (await client.getRun({ params: { id } })).priority));
    expect(shown).toEqual([7, -100, undefined]);
    expect((await client.listRuns({ query: {} })).runs.map(({ priority }) => priority)).toEqual([undefined, -100, 7]);
    for (const id of ids) await end(client, id);
  });

  it('keep the rating of a run until it is taken back or removed', async () => {
    const client = await open(store());
    const id = await ask(client, 't_1', 'question');
    const rate = (value: 'up' | 'down' | null) => client.rateRun({ params: { id }, body: { value } });
    expect((await rate('up')).rating).toBe('up');
    expect((await rate('down')).rating).toBe('down');
    expect((await client.getThread({ params: { id: 't_1' } })).turns[0]?.rating).toBe('down');
    expect((await rate(null)).rating).toBeUndefined();
    await rate('up');
    const journal = await client.getJournal({ params: { id }, query: {} });
    expect(JSON.stringify(journal)).not.toContain('rating');
    await end(client, id);
    await client.deleteThread({ params: { id: 't_1' } });
    expect(await refusal(rate('up'))).toBe('404 RUN_UNKNOWN');
    expect(await refusal(client.rateRun({ params: { id }, body: { value: 'five' as 'up' } }))).toMatch(/^400 /);
  });

  it('can be named, found by name and reset to the first input', async () => {
    const client = await open(store());
    const run = await ask(client, 't_1', 'first question');
    await ask(client, 't_2', 'second');
    const params = { id: 't_1' };
    const first = '{"log":["first question"]}';
    expect((await client.listThreads({ query: {} })).threads.map(({ title }) => title)).toEqual(['{"log":["second"]}', first]);
    const named = await client.nameThread({ params, body: { title: '  휴가\n규정 \u202e' } });
    expect(named).toMatchObject({ id: 't_1', title: '휴가 규정', status: 'waiting', waiting: true, runs: 1 });
    expect(await client.getThread({ params })).toMatchObject({ title: '휴가 규정' });
    for (const q of ['휴가', '휴가'.normalize('NFD'), '가 규']) {
      expect((await client.listThreads({ query: { q } })).threads.map(({ id }) => id)).toEqual(['t_1']);
    }
    expect((await client.listThreads({ query: { q: 'first' } })).threads).toEqual([]);
    await end(client, run);
    await end(client, await ask(client, 't_1', 'third'));
    expect((await client.listThreads({ query: {} })).threads[0]).toMatchObject({
      id: 't_1',
      title: '휴가 규정',
      runs: 2,
      status: 'cancelled',
    });
    expect(await client.nameThread({ params, body: { title: null } })).toMatchObject({ title: first });
    expect((await client.listThreads({ query: { q: 'first' } })).threads).toMatchObject([{ id: 't_1' }]);
    await client.nameThread({ params, body: { title: 'x' } });
    await client.deleteThread({ params });
    await ask(client, 't_1', 'anew');
    expect((await client.listThreads({ query: {} })).threads[0]).toMatchObject({ id: 't_1', title: '{"log":["anew"]}', runs: 1 });
  });
});

it.each([
  ['an empty name', { title: '' }, '400 REQUEST_INVALID'],
  ['a name of spaces', { title: ' \n\u202e ' }, '400 REQUEST_INVALID'],
  ['a long name', { title: 'x'.repeat(121) }, '400 REQUEST_INVALID'],
  ['no name', {}, '400 REQUEST_INVALID'],
  ['a number', { title: 7 }, '400 REQUEST_INVALID'],
  ['more than a name', { title: 'x', state: {} }, '400 REQUEST_INVALID'],
  ['an unknown conversation', { title: 'x' }, '404 THREAD_UNKNOWN', 't_9'],
  ['an invalid id', { title: 'x' }, '400 REQUEST_INVALID', '../x'],
] as const)('rejects %s', async (_name, body, expected, id: string = 't_1') => {
  const client = await open(memoryStore());
  await ask(client, 't_1', 'a');
  expect(await refusal(client.nameThread({ params: { id }, body: body as { title: string } }))).toBe(expected);
  expect((await client.listThreads({ query: {} })).threads).toMatchObject([{ id: 't_1', title: '{"log":["a"]}' }]);
});

it('lists each conversation once across pages while one of them continues', async () => {
  const client = await open(memoryStore());
  const ids = Array.from({ length: 7 }, (_, index) => `t_${index}`);
  for (const id of ids) {
    await end(client, await ask(client, id, id));
    await end(client, await ask(client, id, 'more'));
  }
  const page = async (before?: string) => client.listThreads({ query: { limit: 3, ...(before === undefined ? {} : { before }) } });
  const one = await page();
  await end(client, await ask(client, 't_5', 'on top again'));
  const two = await page(one.next);
  const three = await page(two.next);
  expect([one, two, three].map(({ threads }) => threads.map(({ id }) => id))).toEqual([
    ['t_6', 't_5', 't_4'],
    ['t_3', 't_2', 't_1'],
    ['t_0'],
  ]);
  expect(three.next).toBeUndefined();
  expect((await page()).threads.map(({ id, runs }) => `${id} ${runs}`)).toEqual(['t_5 3', 't_6 2', 't_4 2']);
  expect((await client.listThreads({ query: { before: 'r_unknown' } })).threads).toEqual([]);
});

it('reads no more of a store than it shows', async () => {
  const read: string[] = [];
  const store = memoryStore();
  const watched: RunStore = {
    ...store,
    list: (query) => {
      const found = store.list(query) as Awaited<ReturnType<RunStore['list']>>;
      read.push(...found.map(({ id }) => id));
      return found;
    },
    journal: (id) => {
      read.push(`journal ${id}`);
      return store.journal(id);
    },
  };
  const client = await open(watched);
  for (let index = 0; index < 30; index++) await end(client, await ask(client, `t_${index}`, 'x'));
  await client.listThreads({ query: { limit: 2 } });
  read.length = 0;
  const { threads } = await client.listThreads({ query: { limit: 2 } });
  expect(threads.map(({ id }) => id)).toEqual(['t_29', 't_28']);
  expect(read.filter((each) => each.startsWith('journal'))).toEqual([]);
  read.length = 0;
  const metrics = await client.getMetrics();
  expect(metrics).toContain('agent_machines_runs{workflow="asking",status="cancelled"} 30');
  expect(metrics).toContain('agent_machines_threads 30');
  const runs = await client.listRuns({ query: { limit: 3 } });
  const more = await client.listRuns({ query: { limit: 3, before: runs.next ?? '' } });
  expect(new Set([...runs.runs, ...more.runs].map(({ id }) => id)).size).toBe(6);
  expect(read.length).toBe(8);
});
