/** Sizes at which a condition may change its answer. */
const lengths = [0, 1, 2, 3, 4, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 100_000];
const numbers = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, ...Array.from({ length: 12 }, (_, at) => 10 ** (at + 1))].flatMap((number) => [
  number,
  -number,
]);
/** Most answers of one search, because a probe may answer differently for every number. */
const maxThresholds = 8;
const maxHalvings = 60;

/**
 * Returns the numbers on both sides of each place where the answer changes.
 *
 * @param near Further numbers to try: bounds of a schema, constants of a source.
 * @param isWhole Only tries integers.
 */
export function thresholdsOf(ask: (number: number) => string, near: readonly number[], isWhole: boolean): readonly number[] {
  const around = near.flatMap((number) => [number - 1, number, number + 1]);
  const grid = [...numbers, ...around, ...(isWhole ? [] : [0.5, -0.5])].filter((number) => !isWhole || Number.isInteger(number));
  return changesIn(ask, grid, isWhole);
}

/** Returns the lengths on both sides of each place where the answer changes. */
export const lengthThresholdsOf = (ask: (length: number) => string, max: number, near: readonly number[]): readonly number[] =>
  changesIn(
    ask,
    [...lengths, ...near.flatMap((number) => [number - 1, number, number + 1])].filter(
      (length) => Number.isInteger(length) && length >= 0 && length <= max,
    ),
    true,
  );

function changesIn(ask: (number: number) => string, grid: readonly number[], isWhole: boolean): readonly number[] {
  const sorted = [...new Set(grid)].sort((a, b) => a - b);
  const found: number[] = [];
  let [before, answer] = [sorted[0] ?? 0, ask(sorted[0] ?? 0)];
  for (const number of sorted.slice(1)) {
    const next = ask(number);
    if (next !== answer) {
      if (found.length >= 2 * maxThresholds) break;
      found.push(...sidesOf(ask, before, number, isWhole));
    }
    [before, answer] = [number, next];
  }
  return found;
}

/** Returns two close numbers with different answers, between two numbers with different answers. */
function sidesOf(ask: (number: number) => string, from: number, to: number, isWhole: boolean): readonly number[] {
  const [below, above] = [ask(from), ask(to)];
  let [low, high] = [from, to];
  for (let step = 0; step < maxHalvings; step++) {
    const middle = isWhole || high - low > 2 ? Math.floor((low + high) / 2) : (low + high) / 2;
    if (middle <= low || middle >= high) break;
    if (ask(middle) === below) low = middle;
    else high = middle;
  }
  // values that people write, if they tell the sides apart as well
  const written = (value: number, step: number, round: (value: number) => number): number => round(value * step) / step;
  return [
    ...[1, 100].map((step) => written(low, step, Math.floor)).filter((value, at, all) => ask(value) === below && all.indexOf(value) === at),
    ...[1, 100].map((step) => written(high, step, Math.ceil)).filter((value, at, all) => ask(value) === above && all.indexOf(value) === at),
    ...(ask(written(low, 100, Math.floor)) === below ? [] : [low]),
    ...(ask(written(high, 100, Math.ceil)) === above ? [] : [high]),
  ];
}
