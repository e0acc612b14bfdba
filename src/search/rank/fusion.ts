/** The scores of one search method, one per candidate; 0 = not found. */
export interface Signal {
  readonly scores: ArrayLike<number>;
  /** Weight relative to the other signals; 0 disables it. */
  readonly weight: number;
}

/**
 * Adds up signals, each divided by its own maximum, because their scales differ. The result is from 0 to 1.
 *
 * @example weightedFusion([{ scores: [8, 4], weight: 1 }, { scores: [0, 0.5], weight: 1 }]) // [0.5, 0.75]
 */
export function weightedFusion(signals: readonly Signal[]): Float64Array {
  const fused = new Float64Array(signals[0]?.scores.length ?? 0);
  const total = signals.reduce((sum, { weight }) => sum + weight, 0);
  for (const { scores, weight } of signals) {
    let max = 0;
    for (let i = 0; i < scores.length; i++) max = Math.max(max, scores[i] ?? 0);
    if (max === 0 || weight === 0) continue;
    for (let i = 0; i < fused.length; i++) fused[i] = (fused[i] ?? 0) + (weight * Math.max(0, scores[i] ?? 0)) / max / total;
  }
  return fused;
}

/**
 * Reciprocal rank fusion: adds up `weight / (k + rank)` over the signals that found a candidate. Ranks start at 1; equal scores share one.
 * It ignores scales, and therefore the lead of the best candidate.
 *
 * @example reciprocalRankFusion([{ scores: [8, 4], weight: 1 }]) // [1 / 61, 1 / 62]
 */
export function reciprocalRankFusion(signals: readonly Signal[], k = 60): Float64Array {
  const fused = new Float64Array(signals[0]?.scores.length ?? 0);
  for (const { scores, weight } of signals) {
    const found = Array.from(scores, (score, candidate) => ({ score, candidate })).filter(({ score }) => score > 0);
    found.sort((a, b) => b.score - a.score);
    let rank = 0;
    for (const [i, { score, candidate }] of found.entries()) {
      if (score !== found[i - 1]?.score) rank = i + 1;
      fused[candidate] = (fused[candidate] ?? 0) + weight / (k + rank);
    }
  }
  return fused;
}
