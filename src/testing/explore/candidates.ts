import { textOfObject } from './known.ts';

/** Most values of one key. */
const maxValues = 96;

/** Values to try for each key of the state, without duplicates, in the order in which they were found. */
export class Candidates {
  readonly #refused = new Set<string>();
  readonly #isAllowed: (key: string, value: unknown) => boolean;
  readonly #values = new Map<string, Map<string, unknown>>();
  /** Keys with more values than are tried. */
  readonly cut: Set<string> = new Set();

  constructor(isAllowed: (key: string, value: unknown) => boolean = () => true) {
    this.#isAllowed = isAllowed;
  }

  /** Adds the values that are allowed. @returns true if a value is new. */
  add(key: string, values: Iterable<unknown>): boolean {
    const known = this.#values.get(key) ?? new Map<string, unknown>();
    this.#values.set(key, known);
    let isNew = false;
    for (const value of values) {
      const text = typeof value === 'object' && value !== null ? textOfObject(value) : JSON.stringify(value);
      if (text === undefined || known.has(text)) continue; // undefined is not a value of a state
      if (known.size >= maxValues) {
        this.cut.add(key);
        break;
      }
      const place = `${key} ${text}`;
      if (this.#refused.has(place)) continue;
      if (!this.#isAllowed(key, value)) {
        this.#refused.add(place);
        continue;
      }
      known.set(text, value);
      isNew = true;
    }
    return isNew;
  }

  /** Number of the values of a key. */
  countOf(key: string): number {
    return this.#values.get(key)?.size ?? 0;
  }

  of(key: string): readonly unknown[] {
    return [...(this.#values.get(key)?.values() ?? [])];
  }
}

/** Returns all combinations of values, or `most` of them, evenly spread. */
export function spread(
  members: readonly (readonly [key: string, values: readonly unknown[]])[],
  most: number,
): readonly Readonly<Record<string, unknown>>[] {
  const tried = members.filter(([, values]) => values.length > 0);
  const all = tried.reduce((product, [, values]) => product * values.length, 1);
  return Array.from({ length: Math.min(all, most) }, (_, at) => {
    let rest = at;
    const made: Record<string, unknown> = {};
    for (const [index, [key, values]] of tried.entries()) {
      // multiples of different square roots spread evenly, whatever the numbers of values are
      const chosen = all <= most ? rest % values.length : Math.floor(((at * Math.sqrt(index + 2.5)) % 1) * values.length);
      rest = Math.floor(rest / values.length);
      made[key] = values[chosen];
    }
    return made;
  });
}
