import table from './korean-words.json' with { type: 'json' };

/** Contract words in Korean for English words, so that an English question finds its article in a Korean contract. */
const byWord: ReadonlyMap<string, ReadonlySet<string>> = toMap();

/**
 * Returns the Korean contract words for an English word in any form: `delays` → `지체`, `지연`, …. Returns nothing for other words.
 */
export function koreanWords(word: string): readonly string[] {
  const lower = word.toLowerCase();
  if (!/^[a-z]{2,}$/.test(lower)) return [];
  const forms = [lower, lower.replace(/(?:s|d)$/, ''), lower.replace(/(?:es|ed|er|or|ing)$/, ''), lower.replace(/(?:ing|ed)$/, 'e')];
  const plain = [...forms, lower.replace(/ies$/, 'y'), lower.replace(/([b-df-hj-np-tv-z])\1(?:ing|ed)$/, '$1')];
  return [...(plain.map((form) => byWord.get(form)).find((words) => words !== undefined) ?? [])];
}

function toMap(): ReadonlyMap<string, ReadonlySet<string>> {
  const map = new Map<string, Set<string>>();
  for (const [english = '', korean = ''] of table)
    for (const word of english.split(' ')) map.set(word, new Set([...(map.get(word) ?? []), ...korean.split(' ')]));
  return map;
}
