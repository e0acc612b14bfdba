// A page with a store: what it can do is called by the test.
import { indexedDbStore } from 'agent-machines/stores';
import { runStoreContract } from 'agent-machines/testing';
import { payingRun } from './paying-run.ts';

export interface StorePage {
  contract(): Promise<{ readonly cases: number; readonly failed: readonly string[] }>;
  /** Starts the run in the background, or goes on with it; its result is `run` of the page. */
  begin(): void;
  /** Reads the thread of a database of an older version, and the ratings that it lacks. */
  readOld(version: 1 | 2): Promise<unknown>;
  run: Promise<unknown> | undefined;
  /** How an attempt to take the run from another tab ends. */
  acquire(owner: string): Promise<string>;
}

const page: StorePage = {
  async contract() {
    let databases = 0;
    const failed: string[] = [];
    const cases = runStoreContract(async () => indexedDbStore({ name: `contract-${databases++}` }));
    for (const { name, run } of cases) await run().catch((error: unknown) => failed.push(`${name}: ${String(error)}`));
    return { cases: cases.length, failed };
  },
  async readOld(version) {
    const name = `old-${version}`;
    const opened = Promise.withResolvers<IDBDatabase>();
    const request = indexedDB.open(name, version);
    request.onupgradeneeded = () => {
      const runs = request.result.createObjectStore('runs', { keyPath: 'n', autoIncrement: true });
      runs.createIndex('id', 'id', { unique: true });
      runs.createIndex('queue', ['thread', 'status']);
      for (const each of ['entries', 'threads', 'structures']) request.result.createObjectStore(each);
      if (version === 2) request.result.createObjectStore('threadParts');
    };
    request.onsuccess = () => opened.resolve(request.result);
    request.onerror = () => opened.reject(request.error);
    const db = await opened.promise;
    const text = JSON.stringify({ id: 't', workflow: 'example', revision: 1, state: { turns: 1 } });
    const transaction = db.transaction(['threads'], 'readwrite');
    transaction.objectStore('threads').put({ text }, 't');
    const written = Promise.withResolvers<void>();
    transaction.oncomplete = () => written.resolve();
    await written.promise;
    db.close();
    const store = indexedDbStore({ name });
    const thread = await store.readThread('t');
    const ratings = await store.ratings?.(['r_1']);
    await store.close();
    return { thread, ratings: ratings?.size };
  },
  begin() {
    page.run = payingRun({ store: indexedDbStore(), url: location.origin });
  },
  run: undefined,
  async acquire(owner) {
    const store = indexedDbStore();
    try {
      const { record } = await store.acquire('r_1', { owner, leaseMs: 30_000, now: Date.now(), monotonic: performance.now() });
      return `epoch ${record.epoch}`;
    } catch (error) {
      return String((error as { readonly code?: unknown }).code);
    } finally {
      await store.close();
    }
  },
};

Object.assign(globalThis, { page });
