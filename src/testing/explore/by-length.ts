type List = readonly unknown[];

/** Most lists with which a reducer is tried, without those with other items. */
const maxLists = 12;

/**
 * Returns true if the length of a reduced list depends on nothing but lengths, as far as some lists show. A reducer that skips items which
 * are there already looks at the items.
 */
export function isByLength(reduce: (before: unknown, more: unknown) => unknown, lists: readonly List[]): boolean {
  const some = lists.slice(0, maxLists);
  const all = [...some, ...some.map(withOtherItems)];
  const lengths = new Map<string, unknown>();
  for (const before of all) {
    for (const more of all) {
      const length = lengthOf(() => reduce(before, more));
      const place = `${before.length} ${more.length}`;
      if (lengths.has(place) && lengths.get(place) !== length) return false;
      lengths.set(place, length);
    }
  }
  return true;
}

/** Returns a list of the same length whose items differ from those of the list and from each other. */
export const withOtherItems = (list: List): List => list.map((item, at) => otherThan(item, at + 1));

function otherThan(value: unknown, count: number): unknown {
  if (typeof value === 'string') return `${value}${count}`;
  if (typeof value === 'number') return value + count;
  if (Array.isArray(value)) return value.map((item) => otherThan(item, count));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, otherThan(member, count)]));
}

function lengthOf(make: () => unknown): unknown {
  try {
    const made = make();
    return Array.isArray(made) ? made.length : made;
  } catch {
    return undefined;
  }
}
