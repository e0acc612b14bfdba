import { koreanWords } from './korean-words.ts';
import { legalWords } from './legal-words.ts';

const maxKeyChars = Math.max(...legalWords.flatMap(({ everyday, legal }) => `${everyday} ${legal}`.split(' ').map(({ length }) => length)));
const hangul = /^[가-힣]+$/;
const particle = /(?:에서|으로|까지|부터|한테|[은는이가을를의에로와과도만])$/;

const related: ReadonlyMap<string, ReadonlySet<string>> = toRelated();

/**
 * Returns the contract words for the everyday words of a question: `돈` → `대금`, `그만두면` → `해지`, `bankrupt` → `파산`. Each word once, in the order of
 * `legal-words.ts`.
 */
export function relatedWords(question: string): ReadonlySet<string> {
  const found = new Set<string>();
  const words = question
    .normalize('NFKC')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
  for (const [i, word] of words.entries()) {
    for (const other of koreanWords(word)) found.add(other);
    for (const key of [...keysOf(word), ...keysOf((words[i - 1] ?? '') + word)]) {
      for (const other of related.get(key) ?? []) found.add(other);
    }
  }
  return found;
}

/** Returns the list entries in a word: the word with and without its particle, and in Korean its longest parts of two or more syllables. */
function keysOf(word: string): readonly string[] {
  const keys = [word, word.replace(particle, '')].filter((key) => related.has(key));
  if (!hangul.test(word)) return keys;
  for (let start = 0, covered = 0; start < word.length - 1; start++) {
    for (let end = Math.min(word.length, start + maxKeyChars); end >= start + 2 && end > covered; end--) {
      if (!related.has(word.slice(start, end))) continue;
      keys.push(word.slice(start, end));
      covered = end;
    }
  }
  return keys;
}

function toRelated(): ReadonlyMap<string, ReadonlySet<string>> {
  const map = new Map<string, Set<string>>();
  for (const { everyday, legal } of legalWords) {
    const words = legal.split(' ');
    for (const key of [...everyday.split(' '), ...words]) {
      const others = map.get(key) ?? new Set();
      for (const word of words) if (word !== key) others.add(word);
      map.set(key, others);
    }
  }
  return map;
}
