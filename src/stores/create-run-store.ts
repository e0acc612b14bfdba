import type { RunStorage } from '../ports/run-storage.ts';
import type { RunStore } from '../ports/run-store.ts';
import { processOwners } from './process-owners.ts';
import { runRules } from './run-rules.ts';

/**
 * Makes a store of a database: the storage keeps and finds, and all rules of runs (leases, queues, threads, settlement, conflicts) are
 * here. `runStoreContract` of `agent-machines/testing` tells whether the storage is right.
 *
 * @example const store = createRunStore(myStorage({ url }));
 */
export const createRunStore = (storage: RunStorage): RunStore => ({
  ...runRules(storage, processOwners),
  ...(storage.watch ? { watch: storage.watch.bind(storage) } : {}),
  ...(storage.onTakenOver ? { onTakenOver: storage.onTakenOver.bind(storage) } : {}),
});
