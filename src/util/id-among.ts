/** The one of some ids that is meant, however its words are joined: `plan-execute`, `plan_execute`. The very id goes before another spelling. */
export function idAmong(id: string, known: Iterable<string>): string | undefined {
  const ids = [...known];
  return ids.includes(id) ? id : ids.find((one) => joined(one) === joined(id));
}

/** The one of some items whose id is meant; see `idAmong`. */
export function itemAmong<T>(id: string, items: readonly T[], idOf: (item: T) => string): T | undefined {
  const found = idAmong(id, items.map(idOf));
  return items.find((item) => idOf(item) === found);
}

const joined = (id: string): string => id.replaceAll('_', '-');
