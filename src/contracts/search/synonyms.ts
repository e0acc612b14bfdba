import everyday from './everyday-words.json' with { type: 'json' };
import groups from './synonyms.json' with { type: 'json' };

/**
 * Synonyms of each word of the table. The groups are strict, because the verdict `silent` depends on them. For example, arbitration (중재)
 * differs from a dispute (분쟁), and a cap (상한) from the excess (초과). `legal-words.json` is the looser table for ranking. In
 * `everyday-words.json` only the first word of a line, which people say and contracts do not, leads to the others.
 */
const synonyms: ReadonlyMap<string, readonly string[]> = toMap();

/** Returns the synonyms of a word; empty for a word outside the table. */
export const synonymsOf = (word: string): readonly string[] => synonyms.get(word.toLowerCase()) ?? [];

function toMap(): ReadonlyMap<string, readonly string[]> {
  const map = new Map<string, Set<string>>();
  for (const group of groups) {
    const words = group.split(' ');
    for (const word of words) {
      const others = map.get(word) ?? new Set();
      for (const other of words) if (other !== word) others.add(other);
      map.set(word, others);
    }
  }
  for (const line of everyday) {
    const [word = '', ...others] = line.split(' ');
    map.set(word, new Set([...(map.get(word) ?? []), ...others]));
  }
  return new Map([...map].map(([word, others]) => [word, [...others]]));
}
