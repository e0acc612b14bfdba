import type { RunStore } from '../../core/ports/run-store.ts';
import { runRules } from '../../engine/store/run-rules.ts';
import { type EncryptOptions, withEncryption } from '../encryption/encrypted-store.ts';
import { IndexedDbDatabase } from './indexeddb-database.ts';
import { indexedDbStorage } from './indexeddb-storage.ts';
import { tabOwners } from './tab-owners.ts';

export interface IndexedDbStoreOptions {
  /** Name of the database within the origin. @default 'agent-machines' */
  readonly name?: string;
  /**
   * `full`: a commit survives a power cut. `normal`: a commit survives a browser crash, but a power cut may lose the last ones.
   * @default 'full'
   */
  readonly durability?: 'full' | 'normal';
  /** Encrypts values, see `encryptedStore`. Default: clear text. */
  readonly encrypt?: EncryptOptions;
}

/**
 * Stores runs in the browser's IndexedDB. Any number of tabs and workers of one origin may share it. With Web Locks (HTTPS or localhost),
 * another tab resumes the runs of a closed tab at once. Otherwise it waits until their leases expire. The browser may delete the database
 * when disk space is low, unless `navigator.storage.persist()` was granted.
 *
 * @example const store = indexedDbStore({ name: 'my-agents' });
 */
export function indexedDbStore({ name = 'agent-machines', durability = 'full', encrypt }: IndexedDbStoreOptions = {}): RunStore {
  const owners = tabOwners(name);
  const db = new IndexedDbDatabase(name, durability === 'full' ? 'strict' : 'relaxed');
  return withEncryption(encrypt, () => runRules(indexedDbStorage(db, owners), owners));
}
