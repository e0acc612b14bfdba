import type { OwnerNames } from './run-rules.ts';

/** How owners are named where there are no processes but tabs and workers of one origin, and who of them is gone. */
export interface TabOwners extends OwnerNames {
  /** Settles when this one is named. */
  readonly ready: Promise<void>;
  /** Looks whether the owner of a lease is gone, for `stateOf`. */
  look(owner: string): Promise<void>;
  close(): void;
}

const marked = 'tab-';

/**
 * Every store holds a Web Lock under its name for as long as its tab lives, so that others can tell when it is gone. Where there are no such
 * locks nobody can, and its leases hold for as long as they say.
 */
export function tabOwners(prefix: string): TabOwners {
  const locks: LockManager | undefined = globalThis.navigator?.locks;
  const name = `${locks ? marked : ''}${crypto.randomUUID()}`;
  const lockOf = (id: string): string => `${prefix}/${id}`;
  const idOf = (owner: string): string => owner.slice(0, owner.indexOf('/'));
  /** A name is never used again, so who is gone stays gone. */
  const gone = new Set<string>();
  let close = (): void => {};
  const closed = new Promise<void>((resolve) => {
    close = resolve;
  });
  const ready = new Promise<void>((resolve, reject) => {
    if (!locks) return resolve();
    const held = (): Promise<void> => {
      resolve();
      return closed;
    };
    locks.request(lockOf(name), held).catch(reject);
  });
  ready.catch(() => {}); // whoever waits for it is told

  return {
    ready,
    nameOf: (owner) => `${name}/${owner}`,
    stateOf(owner) {
      const id = idOf(owner);
      if (gone.has(id)) return 'gone';
      return id === name || id.startsWith(marked) ? 'alive' : 'unknown';
    },
    async look(owner) {
      const id = idOf(owner);
      if (!locks || id === name || !id.startsWith(marked) || gone.has(id)) return;
      // it had its lock before it could be named as an owner
      const { held = [] } = await locks.query();
      if (!held.some((lock) => lock.name === lockOf(id))) gone.add(id);
    },
    close,
  };
}
