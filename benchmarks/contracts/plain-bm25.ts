/** The floor: Okapi BM25 over all pairs of letters, and nothing else. */
export interface PlainIndex {
  /** Returns the places of the best texts. */
  search(query: string, limit: number): readonly number[];
}

export function plainBm25(texts: readonly string[]): PlainIndex {
  const lists = new Map<string, number[]>();
  const lengths: number[] = [];
  for (const [place, text] of texts.entries()) {
    const pairs = bigrams(text);
    lengths.push(pairs.length);
    for (const pair of pairs) {
      const list = lists.get(pair);
      if (list === undefined) lists.set(pair, [place, 1]);
      else if (list[list.length - 2] === place) list[list.length - 1] = (list[list.length - 1] ?? 0) + 1;
      else list.push(place, 1);
    }
  }
  const meanLength = lengths.reduce((sum, length) => sum + length, 0) / texts.length;
  return {
    search(query, limit) {
      const scores = new Float64Array(texts.length);
      for (const pair of new Set(bigrams(query))) {
        const list = lists.get(pair) ?? [];
        const rarity = Math.log(1 + (texts.length - list.length / 2 + 0.5) / (list.length / 2 + 0.5));
        for (let i = 0; i < list.length; i += 2) {
          const place = list[i] ?? 0;
          const count = list[i + 1] ?? 0;
          const damping = 1.2 * (0.25 + (0.75 * (lengths[place] ?? 0)) / meanLength);
          scores[place] = (scores[place] ?? 0) + (rarity * count * 2.2) / (count + damping);
        }
      }
      const found = [...scores.keys()].filter((place) => (scores[place] ?? 0) > 0);
      return found.sort((one, other) => (scores[other] ?? 0) - (scores[one] ?? 0)).slice(0, limit);
    },
  };
}

/** Every pair of neighbours in each run of letters and digits. */
export function bigrams(text: string): string[] {
  const pairs: string[] = [];
  for (const [run] of text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) {
    const characters = [...run];
    if (characters.length === 1) pairs.push(run);
    for (let i = 1; i < characters.length; i++) pairs.push(`${characters[i - 1]}${characters[i]}`);
  }
  return pairs;
}
