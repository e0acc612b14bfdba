import { WorkflowError } from '../../core/errors/errors.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { Embedder } from '../../core/ports/embedder.ts';
import type { LongTermMemory, MemoryKind, MemoryRecord } from '../../core/ports/long-term-memory.ts';
import type { Taint } from '../../core/ports/taint.ts';
import type { VectorEntry, VectorIndex, VectorMetadata } from '../../core/ports/vector-index.ts';
import { checkInteger } from '../../core/util/check-integer.ts';
import { optionInvalid } from '../../core/util/check-options.ts';
import { assertId } from '../../core/util/ids.ts';
import type { EncryptOptions } from '../../core/util/key-ring.ts';
import { systemClock } from '../../core/util/system-clock.ts';
import { joinTaint } from '../../core/util/taint.ts';
import {
  compareText,
  fromEntry,
  type MemoryPlace,
  memoryId,
  noPlaceOf,
  placeOf,
  placesFrom,
  slotCount,
  toMetadata,
} from './memory-entry.ts';
import { checkedMemory, memoryKinds } from './new-memory.ts';
import { randomId, sealedIndex, searchEncrypted } from './sealed-index.ts';

export { memoryKinds };

export interface LongTermMemoryOptions {
  /** Index for the vectors of `embedder`. Its creator closes it. Other entries in it are not touched. */
  readonly index: VectorIndex;
  readonly embedder: Embedder;
  /** Clock for timestamps. @default the system's */
  readonly clock?: Pick<Clock, 'now'>;
  /** Minimum cosine of two duplicate memories, of the same kind and with the same numbers; above 0 to 1. @default 0.95 */
  readonly sameAbove?: number;
  /**
   * Encrypts the texts of memories (AES-256-GCM). Ids of users, kinds, times and taints stay readable, and no vector is stored. So only the
   * same text replaces a memory, and `search` fails with `SEARCH_ENCRYPTED`. Default: clear text.
   */
  readonly encrypt?: EncryptOptions;
}

/** Distinguishes `회의실 1` from `회의실 2`, whose vectors are close. */
const numbersIn = (text: string): string => (text.match(/\d+/g) ?? []).join(' ');

/** Number of nearest memories that a new one is compared with. */
const maxCompared = 20;

/**
 * Stores memories of users in a vector index, at most 1,000 for each user. Each entry's id consists of the user and a number. Memories are
 * listed, exported and forgotten by this id, so an index with approximate search leaves nothing behind. Writes of one user run one after
 * the other within this object. Two processes that write at once may store duplicates, or rarely lose one of two memories. An index of
 * SQLite needs no words for this. Without them, its file retains nothing of a forgotten text.
 *
 * @throws {WorkflowError} `OPTION_INVALID` when index and embedder do not match, and for an invalid `sameAbove`.
 * @example
 * const embedder = hashedEmbedder();
 * const memory = createLongTermMemory({ index: await sqliteIndex({ path: 'memory.db', embedder, wordsOf: () => '' }), embedder });
 * await memory.write('user-1', { kind: 'preference', text: '짧은 영상을 좋아한다' });
 */
export function createLongTermMemory(options: LongTermMemoryOptions): LongTermMemory {
  const { embedder, clock = systemClock, sameAbove = 0.95, encrypt } = options;
  const index = sealedIndex(options.index, encrypt);
  checkIndex(options);
  const toVector = vectorsBy(embedder, encrypt && index.dimensions);
  const inTurn = takeTurns();
  const { read, find, list } = memoriesIn(index);

  return {
    async write(userId, memory, { signal } = {}) {
      assertId(userId, 'user');
      const { kind, text, taint, held: isNewHeld = false } = checkedMemory(memory);
      const vector = await toVector(text, 'document', signal);
      return inTurn(userId, async () => {
        signal?.throwIfAborted();
        const known = await read(userId, signal);
        const id = memoryId({ kind, text });
        const alike = encrypt ? [] : await find(userId, vector, { limit: maxCompared, kind, signal });
        const same = known.filter(({ record }) => record.id === id);
        const isNear = ({ score, record }: Found): boolean => score >= sameAbove && numbersIn(record.text) === numbersIn(text);
        // untrusted text cannot replace a memory in use
        const isStillHeld = isNewHeld && same.every(isHeld);
        const isPeer = (one: Found): boolean => isHeld(one) === isStillHeld;
        const nearly = alike.filter((one) => isPeer(one) && isNear(one) && same.every(({ place }) => place !== one.place));
        const [first, ...others] = [...same, ...nearly];
        const place = first?.place ?? placeOf(userId, encrypt ? randomId() : id, known);
        const record = mergedRecord({ id, kind, text, taint, held: isStillHeld }, [...same, ...nearly], clock.now());
        await index.upsert([{ id: place, vector, text, metadata: toMetadata(userId, record) }], signalOf(signal));
        const replaced = others.map((other) => other.place);
        await index.remove(replaced, signalOf(signal));
        return record;
      });
    },

    search: searchIn(find, toVector, encrypt !== undefined),

    async list(userId, { signal } = {}) {
      return [...(await list(userId, signal))].sort((a, b) => b.updatedAt - a.updatedAt || compareText(a.id, b.id));
    },

    async forget(userId, ids, { signal } = {}) {
      assertId(userId, 'user');
      return inTurn(userId, async () => {
        const known = await read(userId, signal);
        const places = known.filter(({ record }) => ids === 'all' || ids.includes(record.id)).map(({ place }) => place);
        // removes a missing id: an interrupted removal may have left uncleared data, and the next removal clears it
        await index.remove(places.length > 0 ? places : [noPlaceOf(userId)], signalOf(signal));
        return places.length;
      });
    },

    async release(userId, ids, { signal } = {}) {
      assertId(userId, 'user');
      return inTurn(userId, async () => {
        const known = await read(userId, signal);
        const released = known.filter((one) => isHeld(one) && (ids === 'all' || ids.includes(one.record.id)));
        const entries = await Promise.all(released.map((one) => releasedEntry(userId, one, { toVector, signal })));
        if (entries.length > 0) await index.upsert(entries, signalOf(signal));
        return entries.length;
      });
    },

    async export(userId, { signal } = {}) {
      const memories = [...(await list(userId, signal))].sort((a, b) => a.createdAt - b.createdAt || compareText(a.id, b.id));
      return { version: 1, userId, memories };
    },
  };
}

const searchIn =
  (find: ReturnType<typeof memoriesIn>['find'], toVector: ToVector, isEncrypted: boolean): LongTermMemory['search'] =>
  async (userId, query, { limit = 5, kinds = memoryKinds, includeHeld = false, signal } = {}) => {
    if (isEncrypted) throw searchEncrypted();
    assertId(userId, 'user');
    checkInteger('limit', limit, { min: 1, max: slotCount });
    const searchedKinds = memoryKinds.filter((kind) => kinds.includes(kind));
    if (searchedKinds.length === 0) return [];
    const vector = await toVector(query, 'query', signal);
    const searches = searchedKinds.length === memoryKinds.length ? [{}] : searchedKinds.map((kind) => ({ kind }));
    const findAll = (most: number): Promise<readonly (readonly Found[])[]> =>
      Promise.all(searches.map((one) => find(userId, vector, { limit: most, signal, ...one })));
    const found = (await findAll(limit)).flat();
    if (includeHeld || !found.some(isHeld)) return best(found, limit);
    const inUse = (await findAll(slotCount)).flat().filter((one) => !isHeld(one)); // held memories do not displace others
    return best(inUse, limit);
  };

function checkIndex({ index, embedder, sameAbove = 0.95 }: LongTermMemoryOptions): void {
  checkInteger('embedder.dimensions', embedder.dimensions, { min: index.dimensions, max: index.dimensions });
  if (!(sameAbove > 0 && sameAbove <= 1)) throw sameAboveInvalid(sameAbove);
}

/** @param zeroLength length of the zero vectors that replace all others. */
const vectorsBy =
  (embedder: Embedder, zeroLength: number | undefined): ToVector =>
  async (text, purpose, signal) =>
    zeroLength === undefined ? vectorOf(embedder, text, purpose, signal) : new Float32Array(zeroLength);

type ToVector = (text: string, purpose: 'document' | 'query', signal: AbortSignal | undefined) => Promise<Float32Array>;

interface ReleaseOptions {
  readonly toVector: ToVector;
  readonly signal: AbortSignal | undefined;
}

async function releasedEntry(userId: string, { place, record }: MemoryPlace, { toVector, signal }: ReleaseOptions): Promise<VectorEntry> {
  const { held: _, ...released } = record;
  const vector = await toVector(record.text, 'document', signal);
  return { id: place, vector, text: record.text, metadata: toMetadata(userId, released) };
}

type NewRecord = Pick<MemoryRecord, 'id' | 'kind' | 'text' | 'taint'> & { readonly held: boolean };

/**
 * Builds the record of a memory that replaces others. A text written in a tainted thread stays tainted, even if a later write is untainted.
 */
function mergedRecord({ taint: added, held, ...written }: NewRecord, replaced: readonly MemoryPlace[], now: number): MemoryRecord {
  const createdAt = replaced.reduce((oldest, { record }) => Math.min(oldest, record.createdAt), now);
  const taint = replaced.reduce((before, { record }) => joined(before, record.taint), added);
  return { ...written, createdAt, updatedAt: now, ...(taint ? { taint } : {}), ...(held ? { held } : {}) };
}

const isHeld = ({ record }: MemoryPlace): boolean => record.held === true;

interface FindOptions {
  readonly limit: number;
  readonly kind?: MemoryKind;
  readonly signal: AbortSignal | undefined;
}

function memoriesIn(index: Pick<VectorIndex, 'get' | 'search'>) {
  const read = async (userId: string, signal: AbortSignal | undefined): Promise<readonly MemoryPlace[]> =>
    (await index.get(placesFrom(userId), signalOf(signal))).map((entry) => ({ place: entry.id, record: fromEntry(userId, entry) }));
  const find = async (userId: string, vector: Float32Array, { limit, kind, signal }: FindOptions): Promise<readonly Found[]> => {
    const filter: VectorMetadata = { memoryOf: userId, ...(kind ? { kind } : {}) };
    const hits = await index.search(vector, { limit, filter, ...signalOf(signal) });
    return hits.map((hit) => ({ place: hit.id, record: fromEntry(userId, hit), score: hit.score }));
  };
  const list = async (userId: string, signal: AbortSignal | undefined): Promise<readonly MemoryRecord[]> => {
    assertId(userId, 'user');
    return (await read(userId, signal)).map(({ record }) => record);
  };
  return { read, find, list };
}

const joined = (a: Taint | undefined, b: Taint | undefined): Taint | undefined => (a && b ? joinTaint(a, b) : (a ?? b));

type Found = MemoryPlace & { readonly score: number };

const best = (found: readonly Found[], limit: number): (MemoryRecord & { readonly score: number })[] =>
  found
    .filter(({ score }) => score > 0)
    .map(({ record, score }) => ({ ...record, score }))
    .sort((a, b) => b.score - a.score || compareText(a.id, b.id))
    .slice(0, limit);

async function vectorOf(
  embedder: Embedder,
  text: string,
  purpose: 'document' | 'query',
  signal: AbortSignal | undefined,
): Promise<Float32Array> {
  const [vector] = await embedder.embed([text], { purpose, ...signalOf(signal) });
  if (vector) return vector;
  throw new WorkflowError({
    code: 'EMBEDDER_INVALID',
    message: `The embedder "${embedder.name}" returned no vector.`,
    hint: 'Check the embedder.',
  });
}

const sameAboveInvalid = (sameAbove: number): WorkflowError =>
  optionInvalid(`sameAbove is ${sameAbove}.`, 'Pass a number above 0 and at most 1.');

const signalOf = (signal: AbortSignal | undefined): { readonly signal?: AbortSignal } => (signal ? { signal } : {});

/** Creates a function that runs work with the same key sequentially; other keys do not wait. */
function takeTurns(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>();
  return async (key, work) => {
    const mine = (last.get(key) ?? Promise.resolve()).then(work, work); // a failure is reported to its own caller only
    last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (last.get(key) === mine) last.delete(key);
    }
  };
}
