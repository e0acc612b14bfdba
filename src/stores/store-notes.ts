import type { RunStorage } from '../core/ports/run-storage.ts';
import type { RunStore } from '../core/ports/run-store.ts';
import { optionInvalid } from '../core/util/check-options.ts';
import { memoryStore } from '../engine/store/memory-store.ts';
import { storageOf } from './upkeep/storage-of.ts';

/**
 * Returns `note` of a store's storage.
 *
 * @param store Default: one in memory, for the caller alone.
 * @throws {WorkflowError} `OPTION_INVALID` for a store without notes.
 */
export function notesOf(store: RunStore = memoryStore()): Required<RunStorage>['note'] {
  const storage = storageOf(store);
  if (storage.note) return storage.note.bind(storage);
  throw optionInvalid(
    'The store has no notes, so processes cannot share anything but runs through it.',
    'Use a SQLite, PostgreSQL or IndexedDB store, or omit the store to count in this process only.',
    'store',
  );
}
