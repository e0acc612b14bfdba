import { copyFileSync, mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { createRuntime, type RunStore } from 'agent-machines';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { describe, expect, it } from 'vitest';
import { newRun, nodeEntry, requestBy, startEntry } from '../../../fixtures/example-entries.ts';
import { final, logWorkflow, node, says, waiting } from '../../../fixtures/log-workflow.ts';
import { inDatabase, outcomeOf, sqliteFiles } from '../../../fixtures/sqlite-files.ts';

const { newPath, openStore } = sqliteFiles('lost-store-');
const asker = requestBy('o_1');

/** A path in a folder of its own, which may be a link. */
function ownPath(): string {
  const folder = newPath();
  mkdirSync(`${folder}-real`);
  symlinkSync(`${folder}-real`, folder);
  return join(folder, 'agents.db');
}

/** Another store's file. */
async function otherFile(): Promise<string> {
  const path = newPath();
  const other = sqliteStore({ path });
  await other.create(newRun('r_other'), [startEntry()], asker);
  await other.close();
  return path;
}

/** SQLite's own way to make a backup, and to put one back. */
async function copyDatabase(from: string, to: string): Promise<void> {
  const source = new DatabaseSync(from);
  await backup(source, to);
  source.close();
}

/** What may become of a file under a process that uses it. */
const losses: Readonly<Record<string, (path: string) => Promise<void>>> = {
  'was deleted': async (path) => unlinkSync(path),
  'was deleted with its log': async (path) => {
    for (const end of ['', '-wal', '-shm']) unlinkSync(path + end);
  },
  'has lost its log': async (path) => unlinkSync(`${path}-wal`),
  'has a replaced log': async (path) => {
    copyFileSync(`${path}-wal`, `${path}-copy`);
    renameSync(`${path}-copy`, `${path}-wal`);
  },
  'was moved': async (path) => renameSync(path, `${path}-moved`),
  'was replaced by another file': async (path) => renameSync(await otherFile(), path),
  'was replaced by a copy of itself': async (path) => {
    copyFileSync(path, `${path}-copy`);
    renameSync(`${path}-copy`, path);
  },
  'was deleted with its folder': async (path) => rmSync(`${dirname(path)}-real`, { recursive: true }),
  'was recreated by another process': async (path) => {
    for (const end of ['', '-wal', '-shm']) unlinkSync(path + end);
    await openStore(path).create(newRun('r_new'), [startEntry()], asker);
  },
};

const writes: Readonly<Record<string, (store: RunStore) => unknown>> = {
  create: (store) => store.create(newRun('r_2'), [startEntry()], asker),
  acquire: (store) => store.acquire('r_1', asker),
  renew: (store) => store.renew({ runId: 'r_1', epoch: 1 }, asker),
  append: (store) => store.append({ runId: 'r_1', epoch: 1 }, nodeEntry(2), 0),
  settle: (store) => store.settle({ runId: 'r_1', epoch: 1 }, { status: 'done', activeMs: 0 }),
  saveStructure: (store) => store.saveStructure('hash', {}),
};

const cases = (names: Readonly<Record<string, unknown>>) =>
  Object.keys(names).flatMap((name) => Object.keys(writes).map((write) => [name, write] as const));

describe('a store with a file that', () => {
  it.each(cases(losses))('%s reports STORE_LOST at the next %s and refuses every later call', async (loss, write) => {
    const path = ownPath();
    const store = openStore(path);
    await store.create(newRun('r_1'), [startEntry()], asker);
    await losses[loss]?.(path);
    expect(await outcomeOf(() => writes[write]?.(store))).toBe('STORE_LOST');
    for (const again of Object.values(writes)) expect(await outcomeOf(() => again(store))).toBe('STORE_LOST');
    expect(await outcomeOf(() => store.journal('r_1'))).toBe('STORE_LOST');
    await store.close();
  });

  it.each(Object.keys(losses))('%s does not end a run as done', async (loss) => {
    const path = ownPath();
    const lose = async () => {
      await losses[loss]?.(path);
      return { log: ['lost'] };
    };
    const workflow = logWorkflow({ states: { a: node('a', 'done'), done: final, failed: final }, nodes: { a: lose } });
    const { result } = createRuntime({ store: openStore(path) }).start(workflow, {});
    expect(await result).toMatchObject({ status: 'failed', error: { code: 'STORE_LOST', retryable: false } });
  });

  it('was lost leaves the new file unchanged when it closes', async () => {
    const path = ownPath();
    const store = openStore(path);
    await store.create(newRun('r_1'), [startEntry()], asker);
    await losses['was recreated by another process']?.(path);
    expect(await outcomeOf(() => writes.append?.(store))).toBe('STORE_LOST');
    await store.close();
    expect((await openStore(path).list({})).map(({ id }) => id)).toEqual(['r_new']);
    expect(inDatabase(path, (db) => db.prepare('PRAGMA integrity_check').get())).toEqual({ integrity_check: 'ok' });
  });

  const onward = ['create', 'acquire', 'append', 'settle'];
  it.each([
    ...onward.map((write) => [write, 'the start of the run'] as const),
    ...onward.slice(1).map((write) => [write, 'its last entry'] as const),
  ])('was restored reports STORE_LOST at the next %s if the backup precedes %s', async (write, moment) => {
    const path = newPath();
    const store = openStore(path);
    const older = newPath();
    const keep = (): Promise<void> => copyDatabase(path, older);
    await store.create(newRun('r_0'), [startEntry()], asker);
    if (moment === 'the start of the run') await keep();
    const { lease } = await store.create(newRun('r_1'), [startEntry()], asker);
    if (moment === 'its last entry') await keep();
    await store.append(lease, nodeEntry(2), 0);
    await copyDatabase(older, path);
    const next = write === 'append' ? () => store.append(lease, nodeEntry(3), 0) : () => writes[write]?.(store);
    expect(await outcomeOf(next)).toBe('STORE_LOST');
  });

  it('was restored from a current backup keeps working', async () => {
    const path = newPath();
    const store = openStore(path);
    const { lease } = await store.create(newRun('r_1'), [startEntry()], asker);
    const same = newPath();
    await copyDatabase(path, same);
    await copyDatabase(same, path);
    await store.append(lease, nodeEntry(2), 0);
    await store.settle(lease, { status: 'done', activeMs: 0 });
    expect(await openStore(path).read('r_1')).toMatchObject({ status: 'done', seq: 2 });
  });

  it('another process writes, checkpoints and backs up keeps working', async () => {
    const path = newPath();
    const store = openStore(path);
    const { lease } = await store.create(newRun('r_1'), [startEntry()], asker);
    await openStore(path).create(newRun('r_2'), [startEntry()], asker);
    await copyDatabase(path, newPath());
    inDatabase(path, (db) => db.exec('PRAGMA wal_checkpoint(TRUNCATE); VACUUM'));
    await store.append(lease, nodeEntry(2), 0);
    await store.settle(lease, { status: 'done', activeMs: 0 });
  });
});

describe('a thread with a deleted row', () => {
  const talk = logWorkflow({
    states: { a: node('a', 'human'), human: waiting({ GO: 'done' }), done: final, failed: final },
    nodes: { a: says('a') },
    thread: { initial: [], next: (_before, { state }) => state.log },
  });
  const lose = (path: string): void => inDatabase(path, (db) => db.exec('DELETE FROM threads'));

  it('is reported as lost to new and old runs and to readers', async () => {
    const path = newPath();
    const runtime = createRuntime({ store: openStore(path) });
    const run = runtime.start(talk, {}, { threadId: 't' });
    const waits = await run.result;
    const interruptId = waits.status === 'waiting' && waits.interrupt ? waits.interrupt.id : expect.unreachable(waits.status);
    lose(path);
    for (const ifBusy of ['reject', 'queue'] as const) {
      const next = runtime.start(talk, {}, { threadId: 't', ifBusy });
      expect(await next.result).toMatchObject({ status: 'failed', error: { code: 'THREAD_LOST', data: { threadId: 't' } } });
    }
    await expect(runtime.resume(run.id)).rejects.toMatchObject({ code: 'THREAD_LOST' });
    await expect(runtime.send(run.id, { type: 'GO' }, { interruptId })).rejects.toMatchObject({ code: 'THREAD_LOST' });
    await expect(runtime.thread('t')).rejects.toMatchObject({ code: 'THREAD_LOST' });
    await runtime.cancel(run.id);
    expect(await runtime.get(run.id)).toMatchObject({ status: 'cancelled' });
  });

  it('fails a run that would lose its turn', async () => {
    const path = newPath();
    const workflow = logWorkflow({
      states: { a: node('a', 'done'), done: final, failed: final },
      nodes: {
        a: async () => {
          lose(path);
          return { log: ['a'] };
        },
      },
      thread: { initial: [], next: (before) => before },
    });
    const run = createRuntime({ store: openStore(path) }).start(workflow, {}, { threadId: 't' });
    expect(await run.result).toMatchObject({ status: 'failed', error: { code: 'THREAD_LOST' } });
  });

  it('is new after all its runs are deleted too', async () => {
    const path = newPath();
    const runtime = createRuntime({ store: openStore(path) });
    await runtime.start(talk, {}, { threadId: 't' }).result;
    inDatabase(path, (db) => db.exec('DELETE FROM threads; DELETE FROM runs; DELETE FROM journal'));
    expect(await runtime.start(talk, {}, { threadId: 't' }).result).toMatchObject({ status: 'waiting' });
    await expect(runtime.thread('t2')).rejects.toMatchObject({ code: 'THREAD_UNKNOWN' });
  });
});
