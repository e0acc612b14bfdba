// The store over the SQL of this process; over that of a real object: test/system/durable-object.test.ts.
import { DatabaseSync } from 'node:sqlite';
import { createRuntime, memoryStore, type RunStore } from 'agent-machines';
import { type DurableObjectStorageLike, durableObjectStore, exportRun, importRun } from 'agent-machines/stores';
import { expect, it, onTestFinished, vi } from 'vitest';
import { final, logWorkflow, node, waiting } from '../../../fixtures/log-workflow.ts';

const start = Date.UTC(2026, 0, 1);
const hour = 3_600_000;

/** What an object has, with the time for which its alarm is set. */
function objectStorage(): { readonly storage: DurableObjectStorageLike; readonly alarm: () => number | undefined } {
  const db = new DatabaseSync(':memory:');
  onTestFinished(() => db.close());
  let alarm: number | undefined;
  return {
    alarm: () => alarm,
    storage: {
      sql: { exec: (query, ...values) => ({ toArray: () => db.prepare(query).all(...values) }) },
      transactionSync(work) {
        db.exec('BEGIN');
        try {
          const result = work();
          db.exec('COMMIT');
          return result;
        } catch (cause) {
          db.exec('ROLLBACK');
          throw cause;
        }
      },
      async setAlarm(time) {
        alarm = time;
      },
      async deleteAlarm() {
        alarm = undefined;
      },
    },
  };
}

/** An object as version 1 has left it. */
function objectOfVersion1() {
  const object = objectStorage();
  durableObjectStore(object.storage);
  object.storage.sql.exec('DROP TABLE agent_machines_thread_parts').toArray();
  object.storage.sql.exec('UPDATE agent_machines_about SET version = 1').toArray();
  return object;
}

const sleeping = logWorkflow({
  id: 'sleeping',
  initial: 'ask',
  states: { ask: waiting({ SAY: 'done' }, { [hour]: { target: 'done', actions: 'merge' } }), done: final },
});
const asking = logWorkflow({ id: 'asking', initial: 'ask', states: { ask: waiting({ SAY: 'done' }), done: final } });
const ending = logWorkflow({
  id: 'ending',
  initial: 'work',
  states: { work: node('work', 'done'), done: final, failed: final },
  nodes: { work: async () => ({ log: ['worked'] }) },
});
const workflows = [sleeping, asking, ending];

/** Documents of a run that is driven, and of one that waits for it. */
async function drivenAndQueued() {
  const gate = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const held = logWorkflow({
    id: 'ending',
    initial: 'work',
    states: { work: node('work', 'done'), done: final, failed: final },
    nodes: {
      async work() {
        begun.resolve();
        await gate.promise;
        return { log: ['worked'] };
      },
    },
  });
  const store = memoryStore();
  const runtime = createRuntime({ store, workflows: [held] });
  const driven = runtime.start(held, {}, { threadId: 't' });
  await begun.promise;
  const queued = runtime.start(held, {}, { threadId: 't', ifBusy: 'queue' });
  await vi.waitUntil(async () => (await store.read(queued.id))?.status === 'queued');
  const documents = {
    driven: await exportRun(store, driven.id, { snapshot: true }),
    queued: await exportRun(store, queued.id, { snapshot: true }),
  };
  gate.resolve();
  await runtime.close();
  return documents;
}

async function documentOf(workflow: typeof asking) {
  const store: RunStore = memoryStore();
  const runtime = createRuntime({ store, workflows });
  const run = runtime.start(workflow, {});
  await run.result;
  return exportRun(store, run.id);
}

it.each([
  { run: 'running', document: async () => (await drivenAndQueued()).driven, after: 1_000 },
  { run: 'queued', document: async () => (await drivenAndQueued()).queued, after: 1_000 },
  { run: 'waiting with a timer', document: () => documentOf(sleeping), after: hour },
  { run: 'waiting', document: () => documentOf(asking), after: undefined },
  { run: 'done', document: () => documentOf(ending), after: undefined },
])('sets the alarm when a run is imported that is $run', async ({ document, after }) => {
  vi.useFakeTimers({ toFake: ['Date'], now: start });
  onTestFinished(() => void vi.useRealTimers());
  const { storage, alarm } = objectStorage();
  const { isNew } = await importRun(durableObjectStore(storage, { alarm: true }), await document());
  expect([isNew, alarm()]).toEqual([true, after && Date.now() + after]);
});

it('reads and upgrades data of version 1', async () => {
  const { storage } = objectOfVersion1();
  const runtime = createRuntime({ store: durableObjectStore(storage) });
  expect(await runtime.start(ending, {}).result).toMatchObject({ status: 'done' });
  expect(storage.sql.exec('SELECT version FROM agent_machines_about').toArray()).toEqual([{ version: 2 }]);
});

it('drives an imported run to its end when the alarm rings', async () => {
  const { driven } = await drivenAndQueued();
  const { storage, alarm } = objectStorage();
  const store = durableObjectStore(storage, { alarm: true });
  await importRun(store, driven);
  const runtime = createRuntime({ store, workflows });
  const { taken } = await runtime.recover();
  expect(await taken[0]?.run.result).toMatchObject({ status: 'done', output: 'worked' });
  expect(alarm()).toBe(undefined);
  await runtime.close();
});

it('sets the alarm for the next due run even if an overdue run is blocked', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: start });
  onTestFinished(() => void vi.useRealTimers());
  const { storage, alarm } = objectStorage();
  const store = durableObjectStore(storage, { alarm: true });
  await importRun(store, (await drivenAndQueued()).queued);
  vi.setSystemTime(start + hour - 5_000);
  await importRun(store, await documentOf(sleeping));
  expect(alarm()).toBe(start + hour + 55_000);
  vi.setSystemTime(start + hour + hour - 15_000); // ten seconds before the timer of that one
  await importRun(store, await documentOf(asking));
  expect(alarm()).toBe(start + hour + hour - 5_000);
});
