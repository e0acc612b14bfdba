// A page with a store: what it can do is called by the test.
import { indexedDbStore } from 'agent-machines/stores/indexeddb';
import { runStoreContract } from 'agent-machines/testing';
import { payingRun } from './paying-run.ts';

export interface StorePage {
  contract(): Promise<{ readonly cases: number; readonly failed: readonly string[] }>;
  /** Starts the run in the background, or goes on with it; its result is `run` of the page. */
  begin(): void;
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
