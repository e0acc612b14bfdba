import type { RunStore } from '../core/ports/run-store.ts';

/** The store of a crashing process: from one write on, no write arrives. */
export interface CrashingStore extends RunStore {
  /** True once the process has crashed. */
  readonly crashed: boolean;
  /** Number of writes that have arrived. */
  readonly writes: number;
}

/**
 * Wraps a store so that the process seems to crash right before write number `at`; 0 means that no write arrives. Earlier writes stay in
 * `store`: resume the run there with another runtime and `force: true`.
 */
export function crashingStore(store: RunStore, at: number): CrashingStore {
  let writes = 0;
  const write = <T>(work: () => T): T => {
    if (writes >= at) throw new Error('The process has crashed.');
    writes++;
    return work();
  };
  return {
    ...store,
    create: (...args) => write(() => store.create(...args)),
    acquire: (...args) => write(() => store.acquire(...args)),
    renew: (...args) => write(() => store.renew(...args)),
    append: (...args) => write(() => store.append(...args)),
    settle: (...args) => write(() => store.settle(...args)),
    cancel: (...args) => write(() => store.cancel(...args)),
    nameThread: (...args) => write(() => store.nameThread(...args)),
    ...(store.rate ? { rate: (...args: Parameters<NonNullable<RunStore['rate']>>) => write(() => store.rate?.(...args)) } : {}),
    remove: (...args) => write(() => store.remove(...args)),
    get crashed() {
      return writes >= at;
    },
    get writes() {
      return writes;
    },
  };
}
