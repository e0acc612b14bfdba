import type { Json } from '../../core/ports/json.ts';
import type { ThreadRecord } from '../../core/ports/run-store.ts';
import { asObject } from '../../core/util/as-object.ts';
import { isObject } from '../../core/util/is-object.ts';
import { isSealed, type KeyRing, sealingKeyOf, type ValuePlace } from '../../core/util/key-ring.ts';
import { threadCorrupt } from '../../engine/store/store-errors.ts';
import { isSealedValue } from '../../engine/store/store-key.ts';
import { type PartLists, threadParts, toPartLists } from '../rows/thread-parts.ts';
import { openTitle } from './sealed-entries.ts';

/** Place of a state: it belongs to one revision. */
export type StatePlace = Pick<ThreadRecord, 'id' | 'workflow' | 'revision'>;

/** Encrypts the states of a store's threads. */
export interface SealedThreads {
  /**
   * Decrypts state and title. @throws {WorkflowError} `STORE_KEY_INVALID`; `JOURNAL_CORRUPT` for a changed or moved state, and for one in
   * clear text.
   */
  open(thread: ThreadRecord, acceptsClear: boolean): Promise<ThreadRecord>;
  /** @param before state that `open` has returned. Its encrypted parts are used again. */
  seal(place: StatePlace, state: Json, before: Json | undefined): Promise<Json>;
}

/** Encrypted parts of a state, by name. */
type Ciphers = ReadonlyMap<string, string>;

const statePlace = ({ id, workflow, revision }: StatePlace): ValuePlace => ['thread', id, workflow, revision];
const partPlace = (threadId: string, name: string): ValuePlace => ['part', threadId, name];
const listKey = (index: number): string => `$${index}`;

/**
 * A state becomes `{ $enc, $0, $1, … }`. `$enc` is the state without its long lists, and each `$n` has the encrypted parts of one of them.
 * A turn encrypts the rest and new parts only, and the store keeps the parts of `$n` in rows that are never rewritten.
 */
export function sealedThreads(ring: KeyRing): SealedThreads {
  const parts = threadParts();
  const known = new WeakMap<object, Ciphers>();
  /** Encrypted parts that the next state may use again: all of them, or none. */
  const ciphersOf = (state: Json | undefined): Ciphers | undefined => {
    const ciphers = isObject(state) ? known.get(state) : undefined;
    return ciphers && [...ciphers.values()].every((cipher) => sealingKeyOf(cipher) === ring.id) ? ciphers : undefined;
  };

  const openState = async (thread: ThreadRecord, acceptsClear: boolean): Promise<Json> => {
    const { id, revision, state: sealed } = thread;
    const isNew = revision === 0 && sealed === null;
    if (!isSealedValue(sealed)) {
      if (isNew || acceptsClear) return sealed;
      throw threadCorrupt(id, revision);
    }
    const packed = asObject(await ring.openJson(statePlace(thread), sealed.$enc));
    const { state } = packed;
    const lists = packed.lists === undefined ? undefined : toPartLists(packed.lists);
    if (state === undefined || (packed.lists !== undefined && !lists)) throw threadCorrupt(id, revision);
    const ciphers = pairCiphers(lists, asObject(sealed));
    if (!ciphers) throw threadCorrupt(id, revision);
    const { missing, read } = parts.open(id, { state, lists });
    const found = missing.map(async (name) => ({ name, items: await ring.open(partPlace(id, name), ciphers.get(name)) }));
    const whole = read(await Promise.all(found));
    if (whole === undefined) throw threadCorrupt(id, revision);
    if (isObject(whole)) known.set(whole, ciphers);
    return whole;
  };

  return {
    async open(thread, acceptsClear) {
      const { title } = thread;
      const state = await openState(thread, acceptsClear);
      return { ...thread, state, ...(title === undefined ? {} : { title: await openTitle(ring, thread.id, title, acceptsClear) }) };
    },
    async seal(place, state, before) {
      const were = ciphersOf(before);
      const { state: rest, lists, added } = parts.pack(place.id, state, were && before);
      const fresh = added.map(async ({ name, items }) => [name, await ring.seal(partPlace(place.id, name), items)] as const);
      const ciphers = new Map([...(were ?? []), ...(await Promise.all(fresh))]);
      const $enc = await ring.sealJson(statePlace(place), { state: rest, ...(lists ? { lists } : {}) });
      return { $enc, ...listsOf(lists, ciphers) };
    },
  };
}

const listsOf = (lists: PartLists | undefined, ciphers: Ciphers): Record<string, readonly string[]> =>
  Object.fromEntries(Object.values(lists ?? {}).map((list, index) => [listKey(index), list.parts.map((name) => ciphers.get(name) ?? '')]));

/** Pairs the names of parts with their encrypted texts. Returns `undefined` if one is missing. */
function pairCiphers(lists: PartLists | undefined, sealed: ReturnType<typeof asObject>): Ciphers | undefined {
  const ciphers = new Map<string, string>();
  for (const [index, { parts }] of Object.values(lists ?? {}).entries()) {
    const texts = sealed[listKey(index)];
    if (!Array.isArray(texts) || texts.length !== parts.length) return undefined;
    for (const [place, name] of parts.entries()) {
      const text: unknown = texts[place];
      if (!isSealed(text)) return undefined;
      ciphers.set(name, text);
    }
  }
  return ciphers;
}
