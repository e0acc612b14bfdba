import type { VectorHit } from '../../ports/vector-index.ts';

/** Engines add floats in different orders. What is the same when rounded to six digits is a tie, and all give the same answer. */
const scoresPerOne = 1_000_000;

/** A cosine as it is shown: rounded, and never beyond −1 and 1. */
export const toScore = (cosine: number): number => Math.max(-1, Math.min(1, Math.round(cosine * scoresPerOne) / scoresPerOne)) + 0;

/** The best of the hits, best first, ties by id. Their scores become what is shown. */
export function bestHits<THit extends Pick<VectorHit, 'id' | 'score'>>(hits: readonly THit[], limit: number): THit[] {
  return hits
    .map((hit) => ({ ...hit, score: toScore(hit.score) }))
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))
    .slice(0, limit);
}

export interface Candidates<TCandidate> {
  readonly limit: number;
  /** The `count` nearest, best first; fewer when there are no more. */
  readonly ask: (count: number) => Promise<readonly TCandidate[]> | readonly TCandidate[];
  /** How many `ask` can be asked for. @default unlimited */
  readonly most?: number;
  /** Whether one may be in the answer. @default all may */
  readonly accepts?: (candidate: TCandidate) => boolean;
}

/**
 * Asks an engine that breaks ties in its own way, or cannot filter, for more and more, until nothing that is left out can belong
 * to the best. The answer is not sorted and not cut.
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
