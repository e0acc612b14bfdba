import type { RunStorage } from '../../core/ports/run-storage.ts';
import type { RunStore } from '../../core/ports/run-store.ts';
import { optionInvalid } from '../../core/util/check-options.ts';

/** Returns the storage of a store. @throws {WorkflowError} `OPTION_INVALID` for a store without a storage. */
export function storageOf(store: RunStore): RunStorage {
  if (store?.storage) return store.storage;
  throw optionInvalid(
    'The store has no `storage`.',
    'Use a store of this package or of createRunStore. A wrapper must pass `storage` on.',
    'store',
  );
}
