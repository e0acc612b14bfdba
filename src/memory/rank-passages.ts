import type { TranscriptPassage } from './transcript-passages.ts';

/** How much a word of a neighbour counts: an answer seldom repeats the words of what it answers. */
const neighbourWeights = [0.4, 0.2];
const k1 = 1.2;
const b = 0.75;

/** The words of a passage, with what is said of it beside its text. */
export type PassageTokens = (passage: TranscriptPassage) => readonly string[];

/** Scores of passages for some words, by BM25; a passage has the words of its neighbours in the session, too. 0: none of the words. */
export function rankPassages(
  passages: readonly TranscriptPassage[],
  terms: ReadonlyMap<string, number>,
  tokensOf: PassageTokens,
): Float64Array {
  const scores = new Float64Array(passages.length);
  const counts = new Map([...terms.keys()].map((term) => [term, new Map<number, number>()]));
  const lengths = new Float64Array(passages.length);
  for (const [i, passage] of passages.entries()) {
    const tokens = tokensOf(passage);
    lengths[i] = tokens.length;
    for (const token of tokens) {
      const found = counts.get(token);
      found?.set(i, (found.get(i) ?? 0) + 1);
    }
  }
  const sessionOf = (i: number): number | undefined => passages[i]?.session;
  const spread = passages.map((_, i) => withNeighbours(i, sessionOf, (at) => lengths[at] ?? 0));
  const mean = spread.reduce((sum, length) => sum + length, 0) / passages.length || 1;
  for (const [term, found] of counts) {
    const rarity = Math.log(1 + (passages.length - found.size + 0.5) / (found.size + 0.5));
    const gain = (terms.get(term) ?? 0) * rarity;
    for (const i of around(found.keys(), passages.length)) {
      const count = withNeighbours(i, sessionOf, (at) => found.get(at) ?? 0);
      const damping = k1 * (1 - b + (b * (spread[i] ?? 0)) / mean);
      scores[i] = (scores[i] ?? 0) + (gain * count * (k1 + 1)) / (count + damping);
    }
  }
  return scores;
}

function withNeighbours(i: number, sessionOf: (i: number) => number | undefined, amountAt: (i: number) => number): number {
  const session = sessionOf(i);
  let value = amountAt(i);
  for (const [n, weight] of neighbourWeights.entries()) {
    for (const at of [i - n - 1, i + n + 1]) if (sessionOf(at) === session) value += weight * amountAt(at);
  }
  return value;
}

/** The places, and those near them. */
function around(places: Iterable<number>, size: number): ReadonlySet<number> {
  const reach = neighbourWeights.length;
  const near = new Set<number>();
  for (const place of places) for (let i = Math.max(0, place - reach); i <= Math.min(size - 1, place + reach); i++) near.add(i);
  return near;
}
