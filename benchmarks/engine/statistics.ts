/** Of an even number of values, the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]];
  if (low === undefined || high === undefined) throw new Error('An empty list has no median.');
  return (low + high) / 2;
}

export const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

export interface Summary {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export const summary = (values: readonly number[]): Summary => ({
  median: median(values),
  min: Math.min(...values),
  max: Math.max(...values),
});

/** Quotients of values that were measured in the same round or stretch: what slows all of it down cancels out. */
export function ratios(values: readonly number[], bases: readonly number[]): readonly number[] {
  if (values.length !== bases.length) throw new Error('Ratios need one base per value.');
  return values.map((value, round) => value / (bases[round] ?? Number.NaN));
}

/** The values in random order. */
export function shuffled<T>(values: readonly T[]): readonly T[] {
  return values
    .map((value) => ({ value, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ value }) => value);
}
