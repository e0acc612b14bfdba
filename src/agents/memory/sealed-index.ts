import { WorkflowError } from '../../core/errors/errors.ts';
import type { VectorIndex } from '../../core/ports/vector-index.ts';
import { type EncryptOptions, isSealed, keyInvalid, openKeyRing } from '../../core/util/key-ring.ts';

type TextIndex = Pick<VectorIndex, 'name' | 'dimensions' | 'upsert' | 'remove' | 'search' | 'get'>;

const placeOf = (id: string) => ['memory', id] as const;

/**
 * Encrypts the texts of an index; each is bound to the id of its entry. Without options, encrypted texts are rejected.
 *
 * @throws {WorkflowError} `STORE_KEY_INVALID`, also by the methods for texts of another key, and for clear text.
 */
export function sealedIndex(index: VectorIndex, encrypt: EncryptOptions | undefined): TextIndex {
  const { name, dimensions } = index;
  const imported = encrypt && openKeyRing(encrypt);
  const open = async (id: string, text: string): Promise<string> => {
    const ring = await imported;
    if (isSealed(text) && !ring) throw keyInvalid('The memories are encrypted, and no key was given.', 'Pass `encrypt: { key }`.');
    if (!ring) return text;
    if (!isSealed(text))
      throw keyInvalid('The memories are in clear text, and a key was given.', 'Export them, and write them to a new index.');
    return ring.open(placeOf(id), text);
  };
  return {
    name,
    dimensions,
    async upsert(entries, options) {
      const ring = await imported;
      const sealed = entries.map(async (entry) => (ring ? { ...entry, text: await ring.seal(placeOf(entry.id), entry.text) } : entry));
      await index.upsert(await Promise.all(sealed), options);
    },
    remove: (ids, options) => index.remove(ids, options),
    search: (vector, options) => index.search(vector, options),
    async get(ids, options) {
      const found = await index.get(ids, options);
      return Promise.all(found.map(async (entry) => ({ ...entry, text: await open(entry.id, entry.text) })));
    },
  };
}

/** The slot of an encrypted memory must not depend on its text. */
export const randomId = (): string => crypto.randomUUID().slice(-6);

export const searchEncrypted = (): WorkflowError =>
  new WorkflowError({
    code: 'SEARCH_ENCRYPTED',
    message: 'The memories are encrypted, so they cannot be searched.',
    hint: 'List them, or create the memory without `encrypt`.',
  });
