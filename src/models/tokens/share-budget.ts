/** A claim on a share of a budget. */
export interface Wish {
  readonly size: number;
  /** Share relative to a claim of weight 1, if the budget is too small. */
  readonly weight: number;
}

/**
 * Divides a budget. A claim below its fair share is met in full; the others share the rest by weight. The largest claims are therefore cut
 * first, and claims of one size alike. Returns whole numbers, together at most the budget.
 */
export function shareBudget(wishes: readonly Wish[], budget: number): readonly number[] {
  const shares = wishes.map(() => 0);
  const order = wishes.map((_, i) => i).sort((a, b) => perWeight(wishes[a]) - perWeight(wishes[b]));
  let left = Math.max(0, budget);
  let weights = wishes.reduce((sum, { weight }) => sum + weight, 0);
  for (const i of order) {
    const { size, weight } = wishes[i] ?? none;
    const share = Math.min(size, Math.floor((left * weight) / weights));
    shares[i] = share;
    left -= share;
    weights -= weight;
  }
  return shares;
}

const none: Wish = { size: 0, weight: 1 };
const perWeight = ({ size, weight }: Wish = none): number => size / weight;
