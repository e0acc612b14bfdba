import type { VectorEntry, VectorHit, VectorIndex, VectorMetadata } from '../../core/ports/vector-index.ts';
import { checkInteger } from '../../core/util/check-integer.ts';
import { isObject } from '../../core/util/is-object.ts';
import { indexClosed, vectorInvalid } from './index-errors.ts';
import { unitOf } from './vector-math.ts';

/** A validated entry. */
export interface StoredEntry extends Omit<VectorEntry, 'vector'> {
  /** The vector at length 1; `undefined` for the zero vector. */
  readonly unit: Float32Array | undefined;
}

interface StoredSearch {
  readonly unit: Float32Array;
  readonly limit: number;
  readonly filter: VectorMetadata;
  readonly signal: AbortSignal | undefined;
}

/** The operations of an adapter. Its arguments are validated, lists are not empty, and ids are distinct. */
export interface RawIndex {
  upsert(entries: readonly StoredEntry[], signal: AbortSignal | undefined): Promise<void>;
  remove(ids: readonly string[], signal: AbortSignal | undefined): Promise<void>;
  search(search: StoredSearch): Promise<readonly VectorHit[]>;
  /** Returns the entries in any order. */
  get(ids: readonly string[], signal: AbortSignal | undefined): Promise<readonly Omit<VectorEntry, 'vector'>[]>;
  count(signal: AbortSignal | undefined): Promise<number>;
  close(): Promise<void>;
}

/** OpenSearch's limit, applied to all adapters, so an index that works with one works with all. */
const maxIdBytes = 512;
const maxLimit = 10_000;

/**
 * Adds the behaviour that all adapters share: validation, and the last entry wins among equal ids. Rejects calls after `close` and after an
 * abort.
 */
export function guardedIndex(name: string, dimensions: number, raw: RawIndex): VectorIndex {
  let isOpen = true;
  const enter = (signal: AbortSignal | undefined): void => {
    if (!isOpen) throw indexClosed(name);
    signal?.throwIfAborted();
  };
  return {
    name,
    dimensions,
    async upsert(entries, { signal } = {}) {
      enter(signal);
      const stored = new Map(entries.map((entry) => [entry.id, toStored(entry, dimensions)]));
      if (stored.size > 0) await raw.upsert([...stored.values()], signal);
    },
    async remove(ids, { signal } = {}) {
      enter(signal);
      if (ids.length > 0) await raw.remove([...new Set(ids)], signal);
    },
    async search(vector, { limit, filter = {}, signal }) {
      enter(signal);
      checkSearchable(limit, filter);
      checkVector(vector, dimensions, 'of the query');
      const unit = unitOf(vector);
      return unit ? raw.search({ unit, limit, filter, signal }) : [];
    },
    async get(ids, { signal } = {}) {
      enter(signal);
      if (ids.length === 0) return [];
      const found = new Map((await raw.get([...new Set(ids)], signal)).map((entry) => [entry.id, entry]));
      return ids.flatMap((id) => found.get(id) ?? []);
    },
    async count({ signal } = {}) {
      enter(signal);
      return raw.count(signal);
    },
    async close() {
      if (!isOpen) return;
      isOpen = false;
      await raw.close();
    },
  };
}

/** @throws {WorkflowError} `OPTION_INVALID` for a limit, `VECTOR_INVALID` for a filter. */
export function checkSearchable(limit: number, filter: VectorMetadata): void {
  checkInteger('limit', limit, { min: 1, max: maxLimit });
  checkMetadata(filter, 'of the filter');
}

function toStored({ id, vector, text, metadata }: VectorEntry, dimensions: number): StoredEntry {
  checkText(id, `the id ${JSON.stringify(id)}`);
  if (id === '' || new TextEncoder().encode(id).length > maxIdBytes) {
    throw vectorInvalid(`The id ${JSON.stringify(id)} is empty or too long.`, `Use 1 to ${maxIdBytes} bytes.`);
  }
  checkText(text, `the text of "${id}"`);
  checkVector(vector, dimensions, `of "${id}"`);
  checkMetadata(metadata, `of "${id}"`);
  return { id, text, metadata: { ...metadata }, unit: unitOf(vector) };
}

function checkVector(vector: Float32Array, dimensions: number, whose: string): void {
  if (vector.length !== dimensions) {
    throw vectorInvalid(
      `The vector ${whose} has ${vector.length} dimensions, the index ${dimensions}.`,
      'Use the embedder that the index was made with.',
    );
  }
  if (!vector.every(Number.isFinite)) throw vectorInvalid(`The vector ${whose} has a number that is not finite.`, 'Check the embedder.');
}

function checkMetadata(metadata: VectorMetadata, whose: string): void {
  for (const [name, value] of Object.entries(metadata)) {
    if (!/^\w{1,64}$/.test(name) || name === '__proto__') {
      throw vectorInvalid(`The metadata ${whose} has the invalid name ${JSON.stringify(name)}.`, 'Use 1 to 64 of a-z, A-Z, 0-9 and _.');
    }
    if (typeof value === 'string') checkText(value, `the metadata "${name}" ${whose}`);
    else if (typeof value !== 'boolean' && !Number.isFinite(value)) {
      throw vectorInvalid(`The metadata "${name}" ${whose} is ${value}.`, 'Use strings, finite numbers and booleans.');
    }
  }
}

/** Validates metadata that was read back. @throws if it is invalid: another program wrote it. */
export function metadataIn(value: unknown): VectorMetadata {
  if (!isObject(value)) throw new TypeError('It is not an object.');
  const metadata = value as VectorMetadata;
  checkMetadata(metadata, 'of a stored entry');
  return metadata;
}

/** Rejects unpaired surrogates: all engines store texts in UTF-8, which loses them. */
function checkText(text: string, what: string): void {
  if (text.isWellFormed()) return;
  throw vectorInvalid(`There is an unpaired surrogate in ${what}.`, 'Remove it, for example with toWellFormed().');
}

/** True for metadata with all values of a filter. */
export const matches = (metadata: VectorMetadata, filter: VectorMetadata): boolean =>
  Object.entries(filter).every(([name, value]) => Object.hasOwn(metadata, name) && metadata[name] === value);
