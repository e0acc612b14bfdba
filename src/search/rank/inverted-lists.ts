/** The documents of each token with its count: `[document, count, document, count, …]`, in document order. */
export type InvertedList = readonly number[];

const none: InvertedList = [];

/** Inverted lists of documents, which are numbered from 0. Add the documents in order. */
export class InvertedLists {
  readonly #lists = new Map<string, number[]>();
  /** Length of each document, in weighted tokens. */
  readonly lengths: number[];
  readonly #byKey = new Map<(token: string) => string, ReadonlyMap<string, readonly string[]>>();

  constructor(size: number) {
    this.lengths = new Array<number>(size).fill(0);
  }

  /** Adds tokens to a document. `weight` is the worth of each occurrence. */
  add(document: number, tokens: readonly string[], weight = 1): void {
    for (const token of tokens) {
      const list = this.#lists.get(token);
      if (list === undefined) this.#lists.set(token, [document, weight]);
      else if (list[list.length - 2] === document) list[list.length - 1] = (list[list.length - 1] ?? 0) + weight;
      else list.push(document, weight);
    }
    this.lengths[document] = (this.lengths[document] ?? 0) + weight * tokens.length;
  }

  /** Returns the list of a token; empty for a token of no document. */
  of(token: string): InvertedList {
    return this.#lists.get(token) ?? none;
  }

  /** Returns the documents of a token, in order. */
  places(token: string): readonly number[] {
    return this.of(token).filter((_, i) => i % 2 === 0);
  }

  has(token: string): boolean {
    return this.#lists.has(token);
  }

  /** Returns the tokens with a key. The first call with a `keyOf` reads all tokens; later ones look the key up. */
  tokensWith(key: string, keyOf: (token: string) => string): readonly string[] {
    let tokens = this.#byKey.get(keyOf);
    if (tokens === undefined) {
      tokens = Map.groupBy(this.#lists.keys(), keyOf);
      this.#byKey.set(keyOf, tokens);
    }
    return tokens.get(key) ?? [];
  }
}
