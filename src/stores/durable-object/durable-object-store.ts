import type { RunStore } from '../../core/ports/run-store.ts';
import { type OwnerNames, runRules } from '../../engine/store/run-rules.ts';
import { type EncryptOptions, withEncryption } from '../encryption/encrypted-store.ts';
import { type DurableObjectStorageLike, durableObjectStorage } from './durable-object-storage.ts';

export type { DurableObjectStorageLike } from './durable-object-storage.ts';

export interface DurableObjectStoreOptions {
  /**
   * Sets the object's alarm to the time when the next run is due, or when a run of an ended object can be taken over. The object's class
   * needs an `alarm()` method that calls `runtime.recover()`, and must set no alarm of its own.
   * @default false
   */
  readonly alarm?: boolean;
  /** Encrypts values, see `encryptedStore`. Default: clear text. */
  readonly encrypt?: EncryptOptions;
}

/**
 * Stores runs in the SQLite of a Durable Object (Cloudflare Workers, workerd), in tables prefixed with `agent_machines_`. The platform
 * holds back the object's output until its writes are durable. When an object ends, the next one resumes its runs at once. The size limit
 * of an entry is 2 MB, the platform's limit for a row.
 *
 * @param storage `ctx.storage` of an object whose class is declared with SQLite.
 * @throws {WorkflowError} `STORE_UNAVAILABLE` if the object has no SQLite; `STORE_VERSION` if a newer version created the tables.
 * @example const store = durableObjectStore(ctx.storage, { alarm: true });
 */
export function durableObjectStore(
  storage: DurableObjectStorageLike,
  { alarm = false, encrypt }: DurableObjectStoreOptions = {},
): RunStore {
  return withEncryption(encrypt, () => runRules(durableObjectStorage(storage, alarm), ownersOf(storage)));
}

/** Names of the live objects. A recreated object gets a new name. */
const objects = new WeakMap<object, string>();

const marked = 'object-';

/** Cloudflare runs one object per id at a time, and only that one can write. An owner with another name is therefore gone. */
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
