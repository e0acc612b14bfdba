import { WorkflowError } from '../../core/errors/errors.ts';
import type { Json } from '../../core/ports/json.ts';
import type { JournalEntry, StoredTurns, ThreadRecord } from '../../core/ports/run-store.ts';
import { isObject } from '../../core/util/is-object.ts';
import { isSealed, keyInvalid } from '../../core/util/key-ring.ts';

// The note `encryption` of an encrypted store lists the ids of the keys that may write to it.

export const encryptionNote = 'encryption';

/** Encrypted value in the place of a JSON value. */
export interface SealedValue {
  readonly $enc: string;
}

export const isSealedValue = (value: Json | undefined): value is Json & SealedValue => isObject(value) && isSealed(value.$enc);

/** Ids of the keys that may write to a store; empty for a store with clear text. */
export const writersOf = (note: string | undefined): readonly string[] => {
  const [ids = ''] = (note ?? '').split(' ');
  return ids === '' ? [] : ids.split(',');
};

/**
 * Rejects a writer without the store's key, and a writer of encrypted values to a store with clear text.
 *
 * @param note text of the note `encryption`.
 * @param keyId as in `RunPlace`.
 * @throws {WorkflowError} `STORE_KEY_INVALID`.
 */
export function assertWriter(note: string | undefined, keyId: string | undefined): void {
  const writers = writersOf(note);
  if (keyId === undefined || writers.includes(keyId) || (keyId === '' && writers.length === 0)) return;
  if (keyId === '') throw keyNeeded();
  throw writers.length === 0 ? storeInClearText() : keyWrong(keyId, writers);
}

/** @throws {WorkflowError} `STORE_KEY_INVALID` for encrypted entries. */
export function clearEntries(entries: readonly JournalEntry[]): readonly JournalEntry[] {
  if (isSealedValue(entries[0]?.outcome)) throw keyNeeded();
  return entries;
}

/** @throws {WorkflowError} `STORE_KEY_INVALID` for encrypted entries. */
export function clearTurns(found: StoredTurns): StoredTurns {
  for (const turn of found.turns) if ('entries' in turn) clearEntries(turn.entries);
  return found;
}

/** @throws {WorkflowError} `STORE_KEY_INVALID` for an encrypted state. */
export function clearThread(thread: ThreadRecord | undefined): ThreadRecord | undefined {
  if (isSealedValue(thread?.state)) throw keyNeeded();
  return thread;
}

const keyNeeded = (): WorkflowError =>
  keyInvalid('The store is encrypted, and no key was given.', 'Pass `encrypt: { key }`, or set AGENT_MACHINES_KEY for a command.');

export const storeInClearText = (): WorkflowError =>
  keyInvalid(
    'The store holds values in clear text, and a key was given.',
    'Encrypt it once with `agent-machines db rekey` or `rekeyStore`, or use a new store.',
  );

export const keyWrong = (keyId: string, writers: readonly string[]): WorkflowError =>
  new WorkflowError({
    code: 'STORE_KEY_INVALID',
    message: `The store is encrypted with the key ${writers.join(' or ')}, not with ${keyId}. Nothing was written.`,
    hint: 'Pass the right key. If the key was replaced, pass the older one in encrypt.previous.',
    data: { keyId, found: [...writers] },
  });
