/** Finds an id in either spelling, `plan-execute` or `plan_execute`. An exact match wins. */
export function idAmong(id: string, known: Iterable<string>): string | undefined {
  const ids = [...known];
  return ids.includes(id) ? id : ids.find((one) => withHyphens(one) === withHyphens(id));
}

/** Finds an item by its id; see `idAmong`. */
export function itemAmong<T>(id: string, items: readonly T[], idOf: (item: T) => string): T | undefined {
  const found = idAmong(id, items.map(idOf));
  return items.find((item) => idOf(item) === found);
}

const withHyphens = (id: string): string => id.replaceAll('_', '-');
