import { createRuntime } from 'agent-machines';
import { hashedEmbedder } from 'agent-machines/search';
import { sqliteIndex } from 'agent-machines/search/node';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Child, startChild } from '../../../fixtures/child.ts';
import { newRun, nodeEntry, requestBy, startEntry } from '../../../fixtures/example-entries.ts';
import { final, logWorkflow, node, says } from '../../../fixtures/log-workflow.ts';
import { inDatabase, outcomeOf, sqliteFiles } from '../../../fixtures/sqlite-files.ts';

const { newPath, openStore } = sqliteFiles('locked-store-');
const asker = requestBy('o_1');
const workflow = logWorkflow({
  states: { a: node('a', 'b'), b: node('b', 'done'), done: final, failed: final },
  nodes: { a: says('a'), b: says('b') },
});

/** Another process that holds the lock on a file. */
async function lock(path: string, kind: 'IMMEDIATE' | 'EXCLUSIVE' = 'IMMEDIATE'): Promise<Child> {
  const child = startChild('lock-process.ts', [path, kind]);
  onTestFinished(() => child.kill('SIGKILL'));
  expect(await child.line(0)).toBe('locked');
  return child;
}

/** Whether something has come to its end. */
function watch(work: Promise<unknown>): { readonly isSettled: boolean } {
  const seen = { isSettled: false };
  const settle = (): void => {
    seen.isSettled = true;
  };
  work.then(settle, settle);
  return seen;
}

describe('a store on a file locked by another process', () => {
  it('lets other runs of the process continue and continues when the lock is free', async () => {
    const path = newPath();
    const locked = createRuntime({ store: openStore(path) });
    const free = createRuntime({ store: openStore(newPath()) });
    const holder = await lock(path);
    const waiting = locked.start(workflow, {}).result;
    const seen = watch(waiting);
    for (let turn = 0; turn < 5; turn++) expect(await free.start(workflow, {}).result).toMatchObject({ status: 'done', output: 'a,b' });
    expect(seen.isSettled).toBe(false);
    holder.say('let go');
    expect(await waiting).toMatchObject({ status: 'done', output: 'a,b' });
  });

  it('keeps the order of writes', async () => {
    const path = newPath();
    const store = openStore(path);
    const { lease } = await store.create(newRun('r_1'), [startEntry()], asker);
    const holder = await lock(path);
    const writes = Promise.all([2, 3, 4, 5].map((seq) => store.append(lease, nodeEntry(seq), 0)));
    const renewed = store.renew(lease, asker);
    const settled = store.settle(lease, { status: 'done', activeMs: 0, entry: nodeEntry(6) });
    const seen = watch(Promise.resolve(settled));
    expect(await store.journal('r_1')).toEqual([startEntry()]); // who reads does not wait
    expect(seen.isSettled).toBe(false);
    holder.say('let go');
    await Promise.all([writes, renewed, settled]);
    expect(await store.journal('r_1')).toEqual([startEntry(), ...[2, 3, 4, 5, 6].map((seq) => nodeEntry(seq))]);
    expect(await store.read('r_1')).toMatchObject({ status: 'done', seq: 6 });
  });

  it('drops writes after the time-out and continues when the lock is free', async () => {
    const path = newPath();
    const store = openStore(path, { busyTimeoutMs: 20 });
    const { lease } = await store.create(newRun('r_1'), [startEntry()], asker);
    const holder = await lock(path);
    const writes = [2, 3].map((seq) => outcomeOf(() => store.append(lease, nodeEntry(seq), 0)));
    expect(await Promise.all(writes)).toEqual(['STORE_UNAVAILABLE', 'STORE_UNAVAILABLE']);
    holder.say('let go');
    await holder.ended;
    await store.append(lease, nodeEntry(2), 0);
    expect(await store.journal('r_1')).toEqual([startEntry(), nodeEntry(2)]);
  });

  it('fails a run after the time-out and resumes it later', async () => {
    const path = newPath();
    const store = openStore(path, { busyTimeoutMs: 20 });
    const begun = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const slow = logWorkflow({
      states: { a: node('a', 'done'), done: final, failed: final },
      nodes: {
        a: async () => {
          begun.resolve();
          await goOn.promise;
          return { log: ['a'] };
        },
      },
    });
    const runtime = createRuntime({ store, workflows: [slow] });
    const { id, result } = runtime.start(slow, {});
    await begun.promise;
    const holder = await lock(path);
    goOn.resolve();
    expect(await result).toMatchObject({ status: 'failed', error: { code: 'STORE_UNAVAILABLE', retryable: true } });
    holder.say('let go');
    await holder.ended;
    expect(await (await runtime.resume(id)).result).toMatchObject({ status: 'done', output: 'a' });
  });

  it('closes after its pending writes', async () => {
    const path = newPath();
    const store = openStore(path);
    const { lease } = await store.create(newRun('r_1'), [startEntry()], asker);
    const holder = await lock(path);
    const appended = store.append(lease, nodeEntry(2), 0);
    const closed = store.close();
    holder.say('let go');
    await Promise.all([appended, closed]);
    expect(await openStore(path).journal('r_1')).toEqual([startEntry(), nodeEntry(2)]);
  });

  it.each([
    ['a new file', '', 'ok'],
    ['a file of another program', 'CREATE TABLE other (name TEXT)', 'STORE_VERSION'],
  ])('opens %s when the lock is free', async (_name, sql, expected) => {
    const path = newPath();
    inDatabase(path, (db) => db.exec(sql));
    const holder = await lock(path, 'EXCLUSIVE');
    const store = openStore(path);
    const created = outcomeOf(async () => {
      await store.create(newRun('r_1'), [startEntry()], asker);
      return 'ok';
    });
    const seen = watch(created);
    await createRuntime({ store: openStore(newPath()) }).start(workflow, {}).result;
    expect(seen.isSettled).toBe(false);
    holder.say('let go');
    expect(await created).toBe(expected);
  });

  it('fails to open after the time-out', async () => {
    const path = newPath();
    const holder = await lock(path, 'EXCLUSIVE');
    const store = openStore(path, { busyTimeoutMs: 20 });
    expect(await outcomeOf(() => store.list({}))).toBe('STORE_UNAVAILABLE');
    holder.say('let go');
    await holder.ended;
    expect(await store.list({})).toEqual([]);
  });
});

describe('an index on a file locked by another process', () => {
  it('lets runs of the process continue and keeps the order of writes', async () => {
    const path = newPath();
    const embedder = hashedEmbedder();
    const index = await sqliteIndex({ path, embedder, compare: 'js' });
    const vector = new Float32Array(embedder.dimensions).fill(1);
    const entryOf = (text: string) => ({ id: 'e_1', vector, text, metadata: {} });
    const holder = await lock(path);
    const writes = ['first', 'second', 'last'].map((text) => index.upsert([entryOf(text)]));
    const seen = watch(Promise.all(writes));
    expect(await createRuntime({ store: openStore(newPath()) }).start(workflow, {}).result).toMatchObject({ status: 'done' });
    expect([seen.isSettled, await index.count()]).toEqual([false, 0]);
    holder.say('let go');
    await Promise.all(writes);
    expect(await index.get(['e_1'])).toEqual([{ id: 'e_1', text: 'last', metadata: {} }]);
    await index.close();
  });
});
