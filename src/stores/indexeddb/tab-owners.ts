import type { OwnerNames } from '../../engine/store/run-rules.ts';

/** Owners in browsers, where tabs and workers of one origin take the place of processes. */
export interface TabOwners extends OwnerNames {
  /** Settles once this owner has its name. */
  readonly ready: Promise<void>;
  /** Checks whether the owner of a lease is gone, for a later `stateOf`. */
  checkOwner(owner: string): Promise<void>;
  close(): void;
}

const marked = 'tab-';

/**
 * Each store holds a Web Lock under its name while its tab lives, so that other tabs can detect its end. Without Web Locks, leases hold
 * until they expire.
 */
export function tabOwners(prefix: string): TabOwners {
  const locks: LockManager | undefined = globalThis.navigator?.locks;
  const name = `${locks ? marked : ''}${crypto.randomUUID()}`;
  const lockOf = (id: string): string => `${prefix}/${id}`;
  const idOf = (owner: string): string => owner.slice(0, owner.indexOf('/'));
  /** Names of owners that are gone. A name is never reused. */
  const gone = new Set<string>();
  const closed = Promise.withResolvers<void>();
  const ready = new Promise<void>((resolve, reject) => {
    if (!locks) return resolve();
    const held = (): Promise<void> => {
      resolve();
      return closed.promise;
    };
    locks.request(lockOf(name), held).catch(reject);
  });
  ready.catch(() => {}); // callers that await `ready` get the error

  return {
    ready,
    nameOf: (owner) => `${name}/${owner}`,
    stateOf(owner) {
      const id = idOf(owner);
      if (gone.has(id)) return 'gone';
      return id === name || id.startsWith(marked) ? 'alive' : 'unknown';
    },
    async checkOwner(owner) {
      const id = idOf(owner);
      if (!locks || id === name || !id.startsWith(marked) || gone.has(id)) return;
      // an owner acquires its lock before its name is used
      const { held = [] } = await locks.query();
      if (!held.some((lock) => lock.name === lockOf(id))) gone.add(id);
    },
    close: closed.resolve,
  };
}
