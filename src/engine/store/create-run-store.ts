import type { RunStorage } from '../../core/ports/run-storage.ts';
import type { RunStore } from '../../core/ports/run-store.ts';
import { processOwners } from './process-owners.ts';
import { runRules } from './run-rules.ts';

/**
 * Creates a store on a database. The storage reads and writes rows. The store adds all rules of runs: leases, queues, threads, settlement,
 * conflicts. Test a storage with `runStoreContract` of `agent-machines/testing`.
 *
 * @example const store = createRunStore(myStorage({ url }));
 */
export const createRunStore = (storage: RunStorage): RunStore => ({
  ...runRules(storage, processOwners),
  ...(storage.watch ? { watch: storage.watch.bind(storage) } : {}),
  ...(storage.onTakenOver ? { onTakenOver: storage.onTakenOver.bind(storage) } : {}),
});
