import type { RunStore } from '../ports/run-store.ts';
import { type DurableObjectStorageLike, durableObjectStorage } from './durable-object-storage.ts';
import { type OwnerNames, runRules } from './run-rules.ts';

export type { DurableObjectStorageLike } from './durable-object-storage.ts';

export interface DurableObjectStoreOptions {
  /**
   * Set the object's alarm to when the next run is due, or is to be taken over because the object was ended under it. The object's class
   * then has an `alarm()` that calls `runtime.recover()`, and sets no alarm of its own.
   * @default false
   */
  readonly alarm?: boolean;
}

/**
 * Keeps runs in the SQLite of a Durable Object (Cloudflare Workers, workerd), in tables whose names begin with `agent_machines_`. Nothing
 * leaves the object before what was written is durable: its platform sees to that. An object that was ended is known to be gone, so its
 * runs go on at once in the next one. An entry may have 2 MB, like every row there.
 *
 * @param storage `ctx.storage` of an object whose class is declared with SQLite.
 * @throws {WorkflowError} `STORE_UNAVAILABLE` when the object has no SQLite; `STORE_VERSION` when a newer version has made the tables.
 * @example const store = durableObjectStore(ctx.storage, { alarm: true });
 */
export function durableObjectStore(storage: DurableObjectStorageLike, { alarm = false }: DurableObjectStoreOptions = {}): RunStore {
  return runRules(durableObjectStorage(storage, alarm), ownersOf(storage));
}

/** What each object that lives here is called; one that is made anew from the same place has another name. */
const objects = new WeakMap<object, string>();

const marked = 'object-';

/** There is one object of a place at a time, and none but that one can write to it: an object of another name is gone. */
function ownersOf(storage: object): OwnerNames {
  const name = objects.get(storage) ?? `${marked}${crypto.randomUUID()}`;
  objects.set(storage, name);
  return {
    nameOf: (owner) => `${name}/${owner}`,
    stateOf(owner) {
      if (owner.startsWith(`${name}/`)) return 'alive';
      return owner.startsWith(marked) ? 'gone' : 'unknown';
    },
  };
}
