import type { RunStore } from '../../core/ports/run-store.ts';
import type { Cases } from '../contract-case.ts';

/** Skips the cases for stores without `storage`, because features built on it need that property. */
export const withStorage = (cases: Cases<RunStore>): Cases<RunStore> =>
  Object.fromEntries(
    Object.entries(cases).map(([name, hold]) => [name, async (store: RunStore) => (store.storage ? hold(store) : undefined)]),
  );
