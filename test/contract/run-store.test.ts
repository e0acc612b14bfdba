import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryStore, type RunStore } from 'agent-machines';
import { createRunStore, encryptedStore } from 'agent-machines/stores';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { runStoreContract } from 'agent-machines/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { alternating } from '../fixtures/alternating-stores.ts';
import { naiveStorage } from '../fixtures/naive-storage.ts';
import { otherSqlite } from '../fixtures/other-sqlite.ts';

let folder = '';
let files = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'run-store-contract-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const newFile = (): string => join(folder, `${files++}.db`);

const key = Buffer.from('a key of thirty-two bytes, or so!'.slice(0, 32)).toString('base64');

const stores: readonly { readonly name: string; readonly create: () => RunStore }[] = [
  { name: 'memoryStore', create: memoryStore },
  { name: 'a naive storage, which knows no rule', create: () => createRunStore(naiveStorage()) },
  { name: 'sqliteStore in memory', create: () => sqliteStore({ path: ':memory:' }) },
  { name: 'sqliteStore on an open database of another package', create: () => sqliteStore({ database: otherSqlite(':memory:') }) },
  { name: 'sqliteStore on a file', create: () => sqliteStore({ path: newFile() }) },
  {
    name: 'two sqliteStores on one file, in turns',
    create: () => {
      const path = newFile();
      return alternating([sqliteStore({ path }), sqliteStore({ path })]);
    },
  },
  { name: 'an encrypted memoryStore', create: () => encryptedStore(memoryStore(), { key }) },
  { name: 'an encrypted naive storage', create: () => encryptedStore(createRunStore(naiveStorage()), { key }) },
  { name: 'an encrypted sqliteStore on a file', create: () => encryptedStore(sqliteStore({ path: newFile() }), { key }) },
  {
    name: 'two encrypted sqliteStores on one file, in turns',
    create: () => {
      const path = newFile();
      return alternating([encryptedStore(sqliteStore({ path }), { key }), encryptedStore(sqliteStore({ path }), { key })]);
    },
  },
];

describe.each(stores)('runStoreContract: $name', ({ create }) => {
  for (const { name, run } of runStoreContract(async () => create())) it(name, run);
});

/** What a store must not do, as changes of one that is right. */
const wrongs: Readonly<Record<string, (right: RunStore) => Partial<RunStore>>> = {
  'takes no notice of where a list begins': (right) => ({ list: ({ before: _, ...query }) => right.list(query) }),
  'forgets the names of threads': () => ({ nameThread: () => {} }),
  'counts what was removed': (right) => {
    let removed = 0;
    return {
      remove: async (place) => {
        const count = await right.remove(place);
        removed += Number('threadId' in place);
        return count;
      },
      tally: async () => {
        const { threads, runs } = await right.tally();
        return { threads: threads + removed, runs };
      },
    };
  },
  'lets everybody take a run': (right) => ({ acquire: (id, request) => right.acquire(id, { ...request, force: true }) }),
  'takes no notice of force': (right) => ({ acquire: (id, request) => right.acquire(id, { ...request, force: false }) }),
  'goes by its own clock': (right) => ({ acquire: (id, request) => right.acquire(id, { ...request, monotonic: performance.now() }) }),
  'goes by wall clocks': (right) => ({ acquire: (id, request) => right.acquire(id, { ...request, monotonic: request.now }) }),
  'watches a run for all at once': (right) => ({
    acquire: (id, request) => right.acquire(id, { ...request, owner: request.owner === 'o_1' ? 'o_1' : 'o_2' }),
  }),
  'keeps a run for a millisecond longer': (right) => ({
    create: (run, entries, request) => right.create(run, entries, { ...request, leaseMs: request.leaseMs + 1 }),
  }),
  'keeps all runs equally long': (right) => ({
    create: (run, entries, request) => right.create(run, entries, { ...request, leaseMs: 30_000 }),
  }),
  'takes everybody for gone': () => ({ mayLive: () => false }),
  'cancels what it did not look at': (right) => ({ cancel: (id, { now }) => right.cancel(id, { now }) }),
  'takes a run over to cancel it': (right) => ({
    cancel: async (id, request) => {
      await right.acquire(id, { owner: 'o_0', leaseMs: 1, now: request.now, monotonic: 0, force: true });
      return right.cancel(id, request);
    },
  }),
  'takes all owners for one': (right) => ({ acquire: (id, request) => right.acquire(id, { ...request, owner: 'o_1' }) }),
  'does not renew': () => ({ renew: () => {} }),
  'renews any lease': (right) => ({
    renew: async ({ runId, epoch }, request) => right.renew({ runId, epoch: (await right.read(runId))?.epoch ?? epoch }, request),
  }),
  'appends under any lease': (right) => ({
    append: async ({ runId, epoch }, entry, activeMs) =>
      right.append({ runId, epoch: (await right.read(runId))?.epoch ?? epoch }, entry, activeMs),
  }),
  'settles under any lease': (right) => ({
    settle: async ({ runId, epoch }, settlement) => right.settle({ runId, epoch: (await right.read(runId))?.epoch ?? epoch }, settlement),
  }),
  'numbers entries itself': (right) => ({
    append: async (lease, entry, activeMs) =>
      right.append(lease, { ...entry, seq: ((await right.read(lease.runId))?.seq ?? 0) + 1 }, activeMs),
  }),
  'forgets the time that was spent': (right) => ({ append: (lease, entry) => right.append(lease, entry, 0) }),
  'forgets when a run must wake': (right) => ({ settle: (lease, { wakeAt: _, ...settlement }) => right.settle(lease, settlement) }),
  'forgets the error behind a failed end': (right) => ({
    settle: (lease, { failure: _, ...settlement }) => right.settle(lease, settlement),
  }),
  'forgets a state that is empty': (right) => ({
    settle: (lease, { threadState, ...settlement }) => right.settle(lease, threadState ? { ...settlement, threadState } : settlement),
  }),
  'keeps the start alone of what a journal begins with': (right) => ({
    create: (run, [start], request) => right.create(run, [start], request),
  }),
  'queues nothing': (right) => ({ create: (run, ...rest) => right.create({ ...run, ifBusy: 'reject' }, ...rest) }),
  'queues everything': (right) => ({ create: (run, ...rest) => right.create({ ...run, ifBusy: 'queue' }, ...rest) }),
  'sorts the journal by time': (right) => ({ journal: async (id) => [...(await right.journal(id))].sort((a, b) => a.at - b.at) }),
  'loses the events of an entry': (right) => ({
    append: (lease, entry, activeMs) => right.append(lease, { ...entry, events: [] }, activeMs),
  }),
  'makes text well-formed': (right) => ({
    append: (lease, entry, activeMs) =>
      right.append(lease, { ...entry, outcome: JSON.parse(JSON.stringify(entry.outcome).replace(/\\ud[89a-f]../g, '?')) }, activeMs),
  }),
  'normalises text': (right) => ({
    append: (lease, entry, activeMs) => right.append(lease, JSON.parse(JSON.stringify(entry).normalize('NFC')), activeMs),
  }),
  'gives an empty journal of an unknown run': (right) => ({
    journal: async (id) => ((await right.read(id)) === undefined ? [] : right.journal(id)),
  }),
  'lists the oldest first': (right) => ({ list: async (query) => [...(await right.list(query))].reverse() }),
  'lists everything without a limit': (right) => ({ list: (query) => right.list({ limit: 1_000, ...query }) }),
  'takes no notice of dueBefore': (right) => ({ list: ({ dueBefore: _, ...query }) => right.list(query) }),
  'knows every structure': (right) => ({ readStructure: async (hash) => (await right.readStructure(hash)) ?? {} }),
};

describe('runStoreContract', () => {
  it.each(Object.entries(wrongs))('detects a store that %s', async (_name, change) => {
    const cases = runStoreContract(async () => {
      const right = memoryStore();
      return { ...right, ...change(right) };
    });
    const outcomes = await Promise.allSettled(cases.map(({ run }) => run()));
    expect(outcomes.some(({ status }) => status === 'rejected')).toBe(true);
  });

  it('reports the violation', async () => {
    const cases = runStoreContract(async () => ({ ...memoryStore(), read: () => undefined }));
    const found = cases.find(({ name }) => name === 'reads the record that create returned');
    await expect(found?.run()).rejects.toThrow(/^Expected the record to be \{"id":"r_1".*, got undefined\.$/);
  });

  it('closes the store of a failing case', async () => {
    let open = 0;
    const cases = runStoreContract(async () => {
      open++;
      return { ...memoryStore(), read: () => undefined, close: () => void open-- };
    });
    await Promise.allSettled(cases.map(({ run }) => run()));
    expect(open).toBe(0);
  });

  it('names every fact once', () => {
    const names = runStoreContract(async () => memoryStore()).map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThan(100);
  });
});
