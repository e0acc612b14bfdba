import { once } from 'node:events';
import { createServer } from 'node:http';
import { createRuntime, createWorker, listWorkers, memoryStore, type RunStore, type WorkerEvent, type WorkerStatus } from 'agent-machines';
import { createRunStore } from 'agent-machines/stores';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { fakeClock } from 'agent-machines/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startChild } from '../../../fixtures/child.ts';
import { fleetWorkflows } from '../../../fixtures/fleet-workflows.ts';
import { folderForTest } from '../../../fixtures/folder-for-test.ts';
import { final, hangs, logWorkflow, node } from '../../../fixtures/log-workflow.ts';
import { naiveStorage } from '../../../fixtures/naive-storage.ts';
import { drain } from '../../../fixtures/text-tools.ts';

const hanging = logWorkflow({
  id: 'hanging',
  version: '3',
  states: { a: node('a', 'done'), done: final, failed: final },
  nodes: { a: hangs },
});

/** A memory store that counts the writes of notes. */
function counted(): { readonly store: RunStore; readonly writes: string[] } {
  const store = memoryStore();
  const { storage } = store;
  if (!storage?.note) throw new Error('a memory store has notes');
  const writes: string[] = [];
  const note = storage.note.bind(storage);
  const counting: typeof note = (name, decide) => {
    writes.push(name);
    return note(name, decide);
  };
  return { store: { ...store, storage: { ...storage, note: counting } }, writes };
}

const put = (store: RunStore, name: string, value: unknown): unknown =>
  store.storage?.note?.(name, () => ({ text: typeof value === 'string' ? value : JSON.stringify(value) }));

const named = async (store: RunStore): Promise<readonly string[]> =>
  ((await store.storage?.notes?.({ prefix: 'worker ' })) ?? []).map(({ name }) => name);

describe('a worker whose runtime is closed', () => {
  it.each([1_000, 20])(
    'closes, warns of nothing and leaves no note, also when the store is closed next: polls each %i ms',
    async (pollMs) => {
      const path = `${folderForTest('closed')}/runs.db`;
      const store = sqliteStore({ path });
      const runtime = createRuntime({ store, workflows: [hanging] });
      const events: WorkerEvent[] = [];
      const worker = createWorker({ runtime, pollMs, onEvent: (event) => events.push(event) });
      await expect.poll(() => named(store)).toHaveLength(1);
      await runtime.close();
      expect(await named(store)).toEqual([]);
      await store.close();
      await worker.closed;
      expect(events).toEqual([]);
      const again = sqliteStore({ path });
      expect(await named(again)).toEqual([]);
      await again.close();
    },
  );

  it('closes at once, also while it begins', async () => {
    const store = memoryStore();
    const runtime = createRuntime({ store, clock: fakeClock() });
    const before = createWorker({ runtime });
    await runtime.close();
    await before.closed;
    await createWorker({ runtime }).closed;
    expect(await named(store)).toEqual([]);
  });
});

describe('listWorkers', () => {
  it('shows the workflows that `workflowFor` makes', async () => {
    const store = memoryStore();
    const clock = fakeClock();
    const offers = ['hanging', 'hanging 4', 'made'];
    const worker = createWorker({ store, clock, workflows: [hanging], workflowFor: () => undefined, offers });
    await drain();
    expect(await listWorkers(store)).toMatchObject([{ workflows: ['hanging 3', 'hanging 4', 'made'] }]);
    await worker.close();
  });

  it('shows a worker with its role, version, workflows and slots until it has closed', async () => {
    const store = memoryStore();
    const clock = fakeClock();
    const worker = createWorker({ store, clock, workflows: [hanging], concurrency: 3, version: '1.2.0', role: 'server' });
    await drain();
    const [shown, ...others] = await listWorkers(store);
    expect(others).toEqual([]);
    expect(shown).toEqual({
      id: expect.stringMatching(/^w_/),
      role: 'server',
      state: 'active',
      version: '1.2.0',
      workflows: ['hanging 3'],
      host: expect.any(String),
      pid: String(process.pid),
      since: expect.any(Number),
      seenAt: shown?.since ?? 0,
      slots: 3,
      used: 0,
      runs: [],
    } satisfies WorkerStatus);
    await worker.close();
    expect(await listWorkers(store)).toEqual([]);
  });

  it('shows the runs at work, and that a worker drains', async () => {
    const store = memoryStore();
    const clock = fakeClock();
    const runtime = createRuntime({ store, clock, workflows: [hanging] });
    runtime.start(hanging, {}, { drive: false });
    const worker = createWorker({ runtime, pollMs: 1_000, drainMs: 60_000, onEvent: () => {} });
    await drain();
    await clock.advance(6_000);
    expect(await listWorkers(store)).toMatchObject([{ state: 'active', used: 1 }]);
    const closed = worker.close();
    await drain();
    expect(await listWorkers(store)).toMatchObject([{ state: 'draining', used: 1 }]);
    await clock.advance(60_000);
    await closed;
    expect(await listWorkers(store)).toEqual([]);
    await runtime.close();
  });

  it('is refused by name for a store without notes, where a worker works all the same', async () => {
    const { note: _, notes: __, ...storage } = naiveStorage();
    const store = createRunStore(storage);
    const worker = createWorker({ store, clock: fakeClock(), workflows: [hanging] });
    await drain();
    await expect(listWorkers(store)).rejects.toMatchObject({ code: 'OPTION_INVALID', message: expect.stringContaining('keeps no notes') });
    await worker.close();
  });

  it('skips notes that no worker has written', async () => {
    const store = memoryStore();
    for (const [index, text] of ['', 'null', '[]', '{}', '{"role":"worker"}', '{"owner":'].entries())
      await put(store, `worker x${index}`, text);
    expect(await listWorkers(store)).toEqual([]);
  });

  it.each(['', 'x'.repeat(101), 7])('refuses the version %j', (version) => {
    expect(() => createWorker({ version: version as string })).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
  });
});

describe('the heartbeat', () => {
  it('costs one write in five seconds', async () => {
    const { store, writes } = counted();
    const clock = fakeClock();
    const worker = createWorker({ store, clock, pollMs: 100 });
    await drain();
    await clock.advance(60_000);
    expect(new Set(writes).size).toBe(1);
    expect(writes.length).toBeGreaterThan(6);
    expect(writes.length).toBeLessThanOrEqual(1 + 60 / 5);
    await worker.close();
    expect(writes.length).toBeLessThanOrEqual(3 + 60 / 5); // it says that it drains, and leaves
  });

  it('removes the notes of workers that were lost long ago, and no others', async () => {
    const store = memoryStore();
    const now = Date.now();
    const note = {
      role: 'worker',
      workflows: [],
      since: 0,
      slots: 1,
      used: 0,
      isDraining: false,
      process: '',
      owner: 'o_1',
      silentMs: 15_000,
    };
    await put(store, 'worker old', { ...note, seenAt: now - 700_000 });
    await put(store, 'worker lost', { ...note, seenAt: now - 60_000 });
    await put(store, 'workers', 'of another program');
    expect((await listWorkers(store)).map(({ id, state }) => [id, state])).toEqual([
      ['lost', 'lost'],
      ['old', 'lost'],
    ]);
    const worker = createWorker({ store, clock: fakeClock() });
    await drain();
    await worker.close();
    expect(await named(store)).toEqual(['worker lost']);
    expect(await store.storage?.notes?.({ prefix: 'workers' })).toHaveLength(1);
  });
});

it('names the runs of a worker whose process was killed, until another one has taken them', async () => {
  const address = `${folderForTest('presence-')}/runs.db`;
  const silent = createServer(() => {}); // its callers wait
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  onTestFinished(() => void silent.close().closeAllConnections());
  const at = silent.address();
  const ledger = `http://127.0.0.1:${typeof at === 'object' && at ? at.port : 0}`;
  const store = sqliteStore({ path: address });
  onTestFinished(() => store.close());
  const { order } = fleetWorkflows('1', ledger);
  const runtime = createRuntime({ store });
  await runtime.start(order, { key: 'k' } as never, { runId: 'held', drive: false }).result;
  const child = startChild('fleet-process.ts', [JSON.stringify({ role: 'worker', version: '1', address, ledger })]);
  await child.line(0);
  await expect.poll(async () => (await runtime.history('held')).at(-1)?.kind).toBe('intent'); // it pays
  child.kill('SIGKILL');
  await child.ended;
  expect(await listWorkers(store)).toMatchObject([{ state: 'lost', pid: String(child.pid), runs: expect.arrayContaining(['held']) }]);
  const worker = createWorker({ store, workflows: [order], pollMs: 20, onEvent: () => {} });
  await expect.poll(async () => (await runtime.get('held')).status).toBe('in_doubt');
  expect((await listWorkers(store)).find(({ state }) => state === 'lost')?.runs).not.toContain('held');
  await worker.close();
  await runtime.close();
});
