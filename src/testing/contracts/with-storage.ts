import type { RunStore } from '../../ports/run-store.ts';
import type { Cases } from '../contract-case.ts';

/** Cases for stores that say what they keep runs in: what is built on that, others do not have. */
export const withStorage = (cases: Cases<RunStore>): Cases<RunStore> =>
  Object.fromEntries(
    Object.entries(cases).map(([name, hold]) => [name, async (store: RunStore) => (store.storage ? hold(store) : undefined)]),
  );
