/** Something that wants a share of a budget. */
export interface Wish {
  readonly size: number;
  /** How much more than one of weight 1 it gets when there is not enough. */
  readonly weight: number;
}

/**
 * Shares of a budget: whoever wants less than its fair share gets what it wants, and the others share the rest by weight. So the largest
 * are cut first, and all of one size alike. Whole numbers, together at most the budget.
 */
export function sharesOf(wishes: readonly Wish[], budget: number): readonly number[] {
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
