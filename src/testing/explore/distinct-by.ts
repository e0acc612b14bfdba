/** Returns the first value with each key, without values whose key is `undefined`. */
export function distinctBy<T>(values: readonly T[], keyOf: (value: T) => string | number | undefined): readonly T[] {
  const seen = new Set<string | number>();
  return values.filter((value) => {
    const key = keyOf(value);
    return key !== undefined && !seen.has(key) && seen.add(key);
  });
}
