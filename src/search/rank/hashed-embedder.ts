import type { Embedder } from '../../core/ports/embedder.ts';
import { checkInteger } from '../../core/util/check-integer.ts';
import { hash } from '../../core/util/hash.ts';

export interface HashedEmbedderOptions {
  /** @default 1_024 */
  readonly dimensions?: number;
  /** The texts to search: letter runs in many of them weigh less. Without these texts all weigh the same. */
  readonly learnFrom?: readonly string[];
}

/** Lengths in letters; for Hangul, letters of the alphabet and not syllables: `올릴` and `올려` share three of them. */
const gramLengths = [4, 5];

/**
 * Converts texts to vectors by their spelling, without a model. Each run of four or five letters is hashed to a dimension and a sign. The
 * comparison is lexical, not semantic: it finds other forms of the same words (`바꾸면`, `바뀐`), but no synonyms.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for `dimensions` that are not a whole number from 16 to 65,536.
 * @example const [vector] = await hashedEmbedder().embed(['계약을 해지하면']);
 */
export function hashedEmbedder(options: HashedEmbedderOptions = {}): Embedder {
  const dimensions = checkInteger('dimensions', options.dimensions ?? 1024, { min: 16, max: 65_536 });
  const learnt = options.learnFrom && documentFrequencies(options.learnFrom);
  const size = options.learnFrom?.length ?? 0;

  const toVector = (text: string): Float32Array => {
    const vector = new Float32Array(dimensions);
    for (const [gram, count] of countGrams(text)) {
      const rarity = learnt ? Math.log(1 + (size + 1) / (learnt.get(gram) ?? 1)) : 1;
      const weight = (1 + Math.log(count)) * rarity;
      const dimension = (gram >>> 1) % dimensions;
      vector[dimension] = (vector[dimension] ?? 0) + (gram & 1 ? weight : -weight);
    }
    return toUnitLength(vector);
  };
  return {
    // the name includes a hash of the texts, because vectors of embedders with different texts are not comparable
    name: `hashed-${dimensions}${options.learnFrom ? `-${hash(options.learnFrom.join('\0')).slice(0, 8)}` : ''}`,
    dimensions,
    async embed(texts, { signal } = {}) {
      return texts.map((text) => {
        signal?.throwIfAborted();
        return toVector(text);
      });
    },
  };
}

function documentFrequencies(texts: readonly string[]): ReadonlyMap<number, number> {
  const frequencies = new Map<number, number>();
  for (const text of texts) for (const gram of countGrams(text).keys()) frequencies.set(gram, (frequencies.get(gram) ?? 0) + 1);
  return frequencies;
}

/** Returns the count of each run of letters, by its hash. */
function countGrams(text: string): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const [word] of text
    .normalize('NFKC')
    .toLowerCase()
    .matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
    const letters = ` ${word.normalize('NFD')}`; // the space marks the start of a word
    for (const length of gramLengths) {
      for (let start = 0; start + length <= letters.length; start++) {
        const gram = gramHash(letters, start, start + length);
        counts.set(gram, (counts.get(gram) ?? 0) + 1);
      }
    }
  }
  return counts;
}

/** Returns a 32-bit hash of a range of a text: FNV-1a, with one more mixing step, because its low bits are too similar. */
function gramHash(text: string, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}

function toUnitLength(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return length === 0 ? vector : vector.map((value) => value / length);
}
