import type { Embedder } from '../../core/ports/embedder.ts';
import type { VectorEntry, VectorHit, VectorIndex, VectorMetadata } from '../../core/ports/vector-index.ts';
import { check, checkSame } from '../check.ts';

/** Subject of the vector index cases. */
export interface VectorSubject {
  /** An empty index for vectors of `exampleEmbedder`. */
  readonly index: VectorIndex;
  /** Opens the same index again, or another one by its place; `place` consists of `a-z`, `0-9` and `-`. */
  open(place?: string, embedder?: Pick<Embedder, 'name' | 'dimensions'>): Promise<VectorIndex>;
  close(): Promise<void>;
}

export const exampleEmbedder: Pick<Embedder, 'name' | 'dimensions'> = { name: 'example', dimensions: 8 };

/** Returns a vector that begins with these numbers, padded with 0. */
export const vectorOf = (...numbers: readonly number[]): Float32Array => {
  const vector = new Float32Array(exampleEmbedder.dimensions);
  vector.set(numbers);
  return vector;
};

export const entryOf = (id: string, vector: Float32Array, metadata: VectorMetadata = {}, text = `text of ${id}`): VectorEntry => ({
  id,
  vector,
  text,
  metadata,
});

/** Returns pseudo-random vectors; the same seed gives the same vectors. */
export function scatteredVectors(count: number, seed = 1): readonly Float32Array[] {
  let state = seed;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 31 - 1;
  };
  return Array.from({ length: count }, () => Float32Array.from({ length: exampleEmbedder.dimensions }, next));
}

function cosine(a: Float32Array, b: Float32Array): number {
  const dot = (x: Float32Array, y: Float32Array): number => x.reduce((sum, value, i) => sum + value * (y[i] ?? 0), 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

/** Returns the hits that an index must find among entries. */
export const expectedHits = (entries: readonly VectorEntry[], query: Float32Array, limit: number): readonly VectorHit[] =>
  entries
    .filter(({ vector }) => vector.some((value) => value !== 0))
    .map(({ vector, ...entry }) => ({ ...entry, score: cosine(query, vector) }))
    .sort((a, b) => Math.round((b.score - a.score) * 1e6) || (a.id < b.id ? -1 : 1))
    .slice(0, limit);

/** Fails unless the hits are equal and in this order. Scores may differ by 1e-5. */
export function checkHits(found: readonly VectorHit[], expected: readonly VectorHit[], what: string): void {
  const withoutScore = ({ id, text, metadata }: VectorHit): object => ({ id, text, metadata });
  checkSame(found.map(withoutScore), expected.map(withoutScore), what);
  for (const [i, { id, score }] of found.entries()) {
    const right = expected[i]?.score ?? Number.NaN;
    check(Math.abs(score - right) < 1e-5, `the score ${score} of "${id}" in ${what} equals ${right}`);
  }
}

export const idsOf = (entries: readonly { readonly id: string }[]): readonly string[] => entries.map(({ id }) => id);
