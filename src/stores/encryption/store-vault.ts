import type { RunStore } from '../../core/ports/run-store.ts';
import { asObject } from '../../core/util/as-object.ts';
import { type KeyRing, keyInvalid, sealingKeyOf } from '../../core/util/key-ring.ts';
import { encryptionNote, isSealedValue, keyWrong, storeInClearText, writersOf } from '../../engine/store/store-key.ts';
import { type SealedThreads, sealedThreads } from './sealed-threads.ts';

/** Keys of a store, after they were compared with its own. */
export interface StoreVault {
  readonly ring: KeyRing;
  readonly threads: SealedThreads;
  /** True while the store may still hold values in clear text. */
  readonly acceptsClear: boolean;
}

/** State of a store's keys, as the note holds it, encrypted with the newest one. */
export interface KeyState {
  /** Ids of older keys that values may still be encrypted with. */
  readonly previous: readonly string[];
  /** True while values may still be in clear text. */
  readonly clear: boolean;
}

const notePlace = ['note', encryptionNote] as const;

/** @param writers ids of the keys that may write, the newest first. */
export const keyNoteText = async (ring: KeyRing, writers: readonly string[], state: KeyState): Promise<string> =>
  `${writers.join(',')} ${await ring.sealJson(notePlace, state)}`;

/** @throws {WorkflowError} `STORE_KEY_INVALID` unless the ring has every key of the store. */
export async function readKeyState(ring: KeyRing, note: string): Promise<KeyState> {
  const writers = writersOf(note);
  const [, sealed = ''] = note.split(' ');
  if (!ring.ids.includes(sealingKeyOf(sealed))) throw keyWrong(ring.id, writers);
  const { previous, clear } = asObject(await ring.openJson(notePlace, sealed));
  const ids = Array.isArray(previous) ? previous.filter((id) => typeof id === 'string') : [];
  const missing = ids.filter((id) => !ring.ids.includes(id));
  if (missing.length > 0) {
    throw keyInvalid(
      `Values of the store are still encrypted with the key ${missing.join(' and ')}, which was not given.`,
      'Pass it in encrypt.previous, and run `agent-machines db rekey`.',
    );
  }
  return { previous: ids, clear: clear === true };
}

/**
 * Compares the keys with the store's on first use. An empty store takes the key. A newer key becomes the writing one. A failed comparison is
 * repeated by the next use.
 */
export function storeVault(store: RunStore, imported: Promise<KeyRing>): () => Promise<StoreVault> {
  let opened: Promise<StoreVault> | undefined;
  const open = async (): Promise<StoreVault> => {
    const ring = await imported;
    const acceptsClear = store.storage?.note ? await compareKeys(store, ring) : await probe(store, ring);
    return { ring, threads: sealedThreads(ring), acceptsClear };
  };
  return () => {
    opened ??= open().catch((cause: unknown) => {
      opened = undefined;
      throw cause;
    });
    return opened;
  };
}

/** Returns true if the store may hold values in clear text. */
async function compareKeys(store: RunStore, ring: KeyRing): Promise<boolean> {
  for (;;) {
    const found = await readNote(store);
    if (found === undefined) {
      const [run] = await store.list({ limit: 1 });
      if (run) throw storeInClearText();
      await replaceNote(store, undefined, await keyNoteText(ring, [ring.id], { previous: [], clear: false }));
      continue;
    }
    const state = await readKeyState(ring, found);
    const writers = writersOf(found);
    if (writers.includes(ring.id)) return state.clear;
    // an id in `previous` was replaced by a rotation that has ended
    if (state.previous.includes(ring.id)) throw keyWrong(ring.id, writers);
    const previous = [...new Set([...writers, ...state.previous])];
    const text = await keyNoteText(ring, [ring.id, ...writers], { ...state, previous });
    if (await replaceNote(store, found, text)) return state.clear;
  }
}

/** Reads the note of a store's keys; `undefined` for a store in clear text. */
export async function readNote({ storage }: RunStore): Promise<string | undefined> {
  const decision = await storage?.note?.(encryptionNote, (text) => ({ text }));
  return decision?.text || undefined;
}

/** Replaces the note unless it has changed since it was read. */
export async function replaceNote({ storage }: RunStore, before: string | undefined, text: string): Promise<boolean> {
  const decision = await storage?.note?.(encryptionNote, (found) => ((found || undefined) === before ? { text } : { text: found }));
  return decision?.text === text;
}

/** Compares the keys with the newest run of a store without notes. */
async function probe(store: RunStore, ring: KeyRing): Promise<false> {
  const [run] = await store.list({ limit: 1 });
  const [start] = run ? await store.journal(run.id) : [];
  if (start && !isSealedValue(start.outcome)) throw storeInClearText();
  const keyId = start && isSealedValue(start.outcome) ? sealingKeyOf(start.outcome.$enc) : ring.id;
  if (!ring.ids.includes(keyId)) throw keyWrong(ring.id, [keyId]);
  return false;
}
