import groups from './synonyms.json' with { type: 'json' };

/**
 * Synonyms of each word of the table. The groups are strict, because silence is judged by them: arbitration (중재) is no dispute (분쟁), and a
 * cap (상한) is not the excess (초과). `legal-words.json` is the looser table for ranking.
 */
const synonyms: ReadonlyMap<string, readonly string[]> = toMap();

/** Synonyms of a word; empty for a word that is not in the table. */
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
  return new Map([...map].map(([word, others]) => [word, [...others]]));
}
