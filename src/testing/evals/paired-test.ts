/** Exact sign test of paired differences. Equal pairs are left out. Returns the two-sided p-value; 1 if all pairs are equal. */
export function signTest(differences: readonly number[]): { readonly wins: number; readonly losses: number; readonly p: number } {
  const wins = differences.filter((difference) => difference > 0).length;
  const losses = differences.filter((difference) => difference < 0).length;
  const count = wins + losses;
  const tail = Math.min(wins, losses);
  let logCombinations = 0; // of count over index
  let sum = 0;
  for (let index = 0; index <= tail; index++) {
    if (index > 0) logCombinations += Math.log(count - index + 1) - Math.log(index);
    sum += Math.exp(logCombinations - count * Math.LN2);
  }
  return { wins, losses, p: Math.min(1, 2 * sum) };
}

/** Returns the 95 % interval of the mean by the bootstrap: the percentiles of the means of `draws` resamples. */
export function bootstrapInterval(values: readonly number[], random: () => number, draws = 10_000): readonly [low: number, high: number] {
  const count = values.length;
  if (count === 0) return [0, 0];
  const means = new Float64Array(draws);
  for (let draw = 0; draw < draws; draw++) {
    let sum = 0;
    for (let index = 0; index < count; index++) sum += values[Math.floor(random() * count)] ?? 0;
    means[draw] = sum / count;
  }
  means.sort();
  return [means[Math.floor(draws * 0.025)] ?? 0, means[Math.ceil(draws * 0.975) - 1] ?? 0];
}

/** Adjusts p-values of several tests by Holm's method, in the given order. */
export function holm(pValues: readonly number[]): readonly number[] {
  const order = pValues.map((p, index) => ({ p, index })).sort((a, b) => a.p - b.p);
  const adjusted: number[] = pValues.map(() => 1);
  let largest = 0;
  for (const [rank, { p, index }] of order.entries()) {
    largest = Math.max(largest, Math.min(1, (pValues.length - rank) * p));
    adjusted[index] = largest;
  }
  return adjusted;
}
