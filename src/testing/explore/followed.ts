/** A value with everything that changes make of it. */
export interface Followed {
  /** Number among the followed values of its key. */
  readonly at: number;
  readonly key: string;
  readonly value: unknown;
  /** Number of its answers. */
  readonly row: number;
  readonly results: readonly Step[];
  id: number;
  /** True if changes lead to values that were not followed. */
  isOpen: boolean;
  /** False for a value whose changes were not followed. */
  isFollowed: boolean;
}

/** A change in a state: the changed keys with their values. */
export interface Step {
  /** Number of the change and of the state; empty for a patch that a node may return, because it may return any other as well. */
  readonly change: string;
  readonly reached: readonly Result[];
}

export interface Result {
  readonly key: string;
  /** Absent for a value that was not followed. */
  readonly to?: Followed;
  /** True if it was not followed because there are too many. */
  readonly isCut: boolean;
  readonly row: number;
}

/** Followed values with one number. */
interface Group {
  signature: string | undefined;
  count: number;
}

/** Returns the values from which some changes lead to each value. */
export function predecessorsOf(
  all: Iterable<Followed>,
  isMeant: (one: Followed, result: Result) => boolean,
): ReadonlyMap<Followed, readonly Followed[]> {
  const before = new Map<Followed, Followed[]>();
  for (const one of all) {
    for (const { reached } of one.results) {
      for (const result of reached) {
        if (!result.to || !isMeant(one, result)) continue;
        const some = before.get(result.to);
        if (some) some.push(one);
        else before.set(result.to, [one]);
      }
    }
  }
  return before;
}

/**
 * Gives values of a key the same number if their answers are equal and changes lead them to values with equal numbers.
 *
 * Only values that lead to a split group are examined again: most splits pass along a chain, one value after the other.
 */
export function refine(all: readonly Followed[], signatureOf: (one: Followed) => string): void {
  const before = predecessorsOf(all, () => true);
  const counts = new Map<string, number>();
  const groups = new Map<Followed, Group>();
  const put = (some: readonly Followed[], key: string, signature?: string): void => {
    const group = { signature, count: some.length };
    const id = counts.get(key) ?? 0;
    counts.set(key, id + 1);
    for (const one of some) {
      one.id = id;
      groups.set(one, group);
    }
  };
  for (const some of Map.groupBy(all, ({ key, row }) => `${key} ${row}`).values()) put(some, some[0]?.key ?? '');
  let open = new Set(all);
  while (open.size > 0) {
    const signatures = new Map([...open].map((one) => [one, signatureOf(one)]));
    const renumbered: Followed[] = [];
    for (const [group, some] of Map.groupBy(open, (one) => groups.get(one))) {
      if (!group) continue;
      const parts = Map.groupBy(some, (one) => signatures.get(one));
      // values that need no second look keep the number, else the largest part
      if (group.count === some.length)
        [group.signature] = [...parts].reduce((most, part) => (part[1].length > most[1].length ? part : most));
      for (const [signature, part] of parts) {
        if (signature === group.signature) continue;
        group.count -= part.length;
        put(part, part[0]?.key ?? '', signature);
        renumbered.push(...part);
      }
    }
    open = new Set(renumbered.flatMap((one) => [one, ...(before.get(one) ?? [])]));
  }
}
