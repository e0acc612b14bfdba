/** Largest number of classes of one key. */
const most = 2 ** 21;

/** Finds places by their configuration and the classes of their keys: a tree with one level for each key. */
export class VectorIndex {
  readonly #levels: Map<number, number>[] = [];
  readonly #counts: number[] = [];

  find(configuration: number, vector: readonly number[]): number | undefined {
    let at: number | undefined = configuration;
    for (let level = 0; level <= vector.length && at !== undefined; level++) at = this.#levels[level]?.get(keyOf(at, vector[level]));
    return at;
  }

  add(configuration: number, vector: readonly number[], place: number): void {
    let at = configuration;
    for (let level = 0; level <= vector.length; level++) {
      const map = this.#levels[level] ?? new Map<number, number>();
      this.#levels[level] = map;
      const key = keyOf(at, vector[level]);
      if (level === vector.length) {
        map.set(key, place);
        return;
      }
      let next = map.get(key);
      if (next === undefined) {
        next = this.#counts[level] ?? 0;
        this.#counts[level] = next + 1;
        map.set(key, next);
      }
      at = next;
    }
  }
}

const keyOf = (at: number, part: number | undefined): number => at * most + (part ?? 0);
