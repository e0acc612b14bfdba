import type { RunStore } from '../ports/run-store.ts';
import { IndexedDbDatabase } from './indexeddb-database.ts';
import { indexedDbStorage } from './indexeddb-storage.ts';
import { runRules } from './run-rules.ts';
import { tabOwners } from './tab-owners.ts';

export interface IndexedDbStoreOptions {
  /** The database's name within the origin. @default 'agent-machines' */
  readonly name?: string;
  /**
   * `full`: a commit survives a power cut. `normal`: it survives a crash of the browser, and a power cut may lose the last ones.
   * @default 'full'
   */
  readonly durability?: 'full' | 'normal';
}

/**
 * Keeps runs in an IndexedDB of the browser. Any number of tabs and workers of one origin may share it: a run whose tab was closed goes on
 * at once in the next one that asks for it, where there are Web Locks (pages over HTTPS, or of this machine), and otherwise when its lease
 * has expired. The browser may delete it when space is short, unless `navigator.storage.persist()` was granted.
 *
 * @example const store = indexedDbStore({ name: 'my-agents' });
 */
export function indexedDbStore({ name = 'agent-machines', durability = 'full' }: IndexedDbStoreOptions = {}): RunStore {
  const owners = tabOwners(name);
  const db = new IndexedDbDatabase(name, durability === 'full' ? 'strict' : 'relaxed');
  return runRules(indexedDbStorage(db, owners), owners);
}
