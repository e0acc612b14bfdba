import type { VectorHit } from '../../core/ports/vector-index.ts';

/** Engines add floats in different orders. Scores that are equal after rounding to six digits tie, so all engines return the same order. */
const scoresPerOne = 1_000_000;

/** Returns the score of a cosine: rounded, and clamped to −1 to 1. */
export const toScore = (cosine: number): number => Math.max(-1, Math.min(1, Math.round(cosine * scoresPerOne) / scoresPerOne)) + 0;

/** Returns the best hits, best first, ties by id, with rounded scores. */
export function bestHits<THit extends Pick<VectorHit, 'id' | 'score'>>(hits: readonly THit[], limit: number): THit[] {
  return hits
    .map((hit) => ({ ...hit, score: toScore(hit.score) }))
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))
    .slice(0, limit);
}

export interface Candidates<TCandidate> {
  readonly limit: number;
  /** Returns the `count` nearest candidates, best first; fewer if there are no more. */
  readonly ask: (count: number) => Promise<readonly TCandidate[]> | readonly TCandidate[];
  /** Largest `count` for `ask`. @default unlimited */
  readonly most?: number;
  /** True for a candidate that the result may contain. @default all may */
  readonly accepts?: (candidate: TCandidate) => boolean;
}

/**
 * Queries an engine that breaks ties in its own way, or cannot filter. It asks for more candidates until no omitted one can belong to the
 * best. The result is neither sorted nor cut.
 */
export async function candidates<TCandidate extends { readonly score: number }>(options: Candidates<TCandidate>): Promise<TCandidate[]> {
  const { limit, ask, most = Number.POSITIVE_INFINITY, accepts = () => true } = options;
  for (let count = Math.min(limit + 16, most); ; count = Math.min(count * 4, most)) {
    const found = await ask(count);
    const accepted = found.filter(accepts);
    const lastIn = accepted[limit - 1];
    const lastFound = found.at(-1);
    const isAll = found.length < count || count === most;
    if (isAll || (lastIn && lastFound && lastFound.score < lastIn.score - 10 / scoresPerOne)) return accepted;
  }
}
