import { askedWords } from 'agent-machines/contracts';
import type { CatalogueEntry } from './catalogue.ts';
import { escaped } from './stretches.ts';

/** Words that stand in most titles, and name no kind of contract. */
const general = new Set(
  '계약 계약서 약정서 합의서 표준 관한 대한 agreement contract the and for with this standard form between of to in by deed'.split(' '),
);
/** A word in front of `계약` that names no kind: `이 계약`, `어느 계약`. */
const pointing =
  /^(?:이|그|저|본|위|각|전|재|새|두|세|네|몇|이번|해당|어느|어떤|무슨|모든|전체|같은|다른|우리|내|제|저희|모두|각각|여러|이런|그런|하나의|당사자|신규|기존|현재)$/u;
const bareKinds = 'lease|sublease|nda|licen[cs]e|loan|tenancy|franchise|employment|guarant[yee]+|sow';
const documents = 'agreement|contract|lease|deed|terms';
const inEnglish = new RegExp(
  String.raw`\b([a-z]+(?:[ -][a-z]+)?)\s+(?:${documents})s?\b|\b(?:in|under|from|by|of|does|is|the|our|my|which|each|all)\s+(${bareKinds})s?\b`,
  'giu',
);
const inKorean = /([가-힣]{1,12})\s?(?:계약서|계약|약정서|합의서)/gu;

const fold = (text: string): string => text.normalize('NFKC').toLowerCase();
const spaceless = (text: string): string => fold(text).replaceAll(/[^\p{L}\p{N}]+/gu, '');
/** Words of a text between blanks, with hyphens and dots as blanks. */
const spaced = (text: string): string => ` ${fold(text).replaceAll(/[^\p{L}\p{N}]+/gu, ' ')} `;

const isKoreanWord = (word: string): boolean => /[가-힣]/u.test(word);

/** True if the question has the words: between blanks, or anywhere in Korean, where particles follow. */
function says(question: string, words: string): boolean {
  const wanted = spaced(words).trim();
  if (wanted.length < 2) return false;
  if (isKoreanWord(wanted)) return new RegExp(`(?<![가-힣\\p{N}])${escaped(wanted)}(?!\\p{N})`, 'u').test(spaced(question));
  return new RegExp(`(?<![\\p{L}\\p{N}])${escaped(wanted)}(?![a-z\\p{N}])`, 'u').test(spaced(question));
}

/**
 * Returns the contracts that a question names: by name, party or kind (`in the lease with Kim`, `공급계약에서`). Empty if it names none. A party
 * of most contracts, such as the user's own company, names none.
 */
export function contractsNamed(question: string, catalogue: readonly CatalogueEntry[]): readonly string[] {
  const byName = longestNames(catalogue.filter(({ name }) => says(question, name)));
  if (byName.length > 0) return byName.map(({ name }) => name);
  const byParty = byPartyOf(question, catalogue);
  const byKind = byKindOf(question, catalogue);
  const both = byKind.filter((entry) => byParty.includes(entry));
  const found = both.length > 0 ? both : [...new Set([...byParty, ...byKind])];
  return found.length === catalogue.length ? [] : found.map(({ name }) => name);
}

/** `lease-2024-b` names one contract and not also `lease-2024`. */
const longestNames = (found: readonly CatalogueEntry[]): readonly CatalogueEntry[] =>
  found.filter(({ name }) => !found.some((other) => other.name !== name && spaced(other.name).includes(spaced(name).trimEnd())));

const legalForm = /주식회사|유한회사|㈜|\(주\)|\b(?:inc|ltd|llc|llp|corp|corporation|co|company|gmbh|plc|limited|lp|the|and|of)\b\.?/giu;
const minParty = { korean: 2, english: 3 };
/** Share of the contracts with a party, from which its name tells none apart. */
const maxShare = 0.5;

function byPartyOf(question: string, catalogue: readonly CatalogueEntry[]): readonly CatalogueEntry[] {
  const names = catalogue.map(({ parties }) => parties.flatMap(({ name }) => (name === undefined ? [] : partyWords(name))));
  const count = new Map<string, number>();
  for (const words of names) for (const word of new Set(words)) count.set(word, (count.get(word) ?? 0) + 1);
  const tells = (word: string): boolean => catalogue.length <= 2 || (count.get(word) ?? 0) < catalogue.length * maxShare;
  return catalogue.filter((_, index) => names[index]?.some((word) => tells(word) && says(question, word)));
}

/** The whole name, its words, and in English the words of two or more. */
function partyWords(name: string): readonly string[] {
  const plain = fold(name).replaceAll(legalForm, ' ');
  const words = spaced(plain)
    .trim()
    .split(' ')
    .filter((word) => word.length >= (isKoreanWord(word) ? minParty.korean : minParty.english) && !general.has(word));
  return [...new Set([spaceless(plain), ...words])].filter((word) => word.length >= 2);
}

function byKindOf(question: string, catalogue: readonly CatalogueEntry[]): readonly CatalogueEntry[] {
  const asked = [
    ...Array.from(fold(question).matchAll(inEnglish), ([whole, kind = '', bare = '']) => (bare || `${kind} ${whole}`).split(/[ -]+/)),
    ...Array.from(question.normalize('NFKC').matchAll(inKorean), ([, kind = '']) => [kind]),
  ]
    .flat()
    .map((word) => word.replace(/(?<=[a-z]{3})s$/u, ''))
    .filter((word) => word.length >= 2 && !general.has(word) && !pointing.test(word));
  if (asked.length === 0) return [];
  return catalogue.filter(({ name, title }) => {
    const heading = `${name} ${title}`;
    const words = spaced(heading).trim().split(' ');
    const whole = spaceless(heading);
    return asked.some((kind) => (isKoreanWord(kind) ? isKindIn(kind, whole) : words.some((word) => word === kind || word === `${kind}s`)));
  });
}

/** `부품공급` and `공급` name `물품공급계약서`; a single syllable names nothing. */
const isKindIn = (kind: string, title: string): boolean =>
  title.includes(kind) || (kind.length >= 4 && [kind.slice(0, 2), kind.slice(-2)].every((piece) => title.includes(piece)));

const koreanNaming = /(?:[가-힣]{1,10}\s)?[가-힣]{1,12}\s?(?:계약서|계약|약정서|합의서)(?:에서는|에서|에는|에|의|은|는|상)\s*,?\s/gu;
const englishNaming = new RegExp(
  String.raw`\b(?:in|under|of|from|by|with)\s(?:the|our|my)\s(?:[a-z]+[ -]){0,2}?(?:${documents}|${bareKinds})\b(?:\s(?:with|of)(?:\s[A-Z][\w.&'-]*)+)?,?`,
  'gu',
);

/** The question without the words that only name its contract: `In the lease, when is the rent due?` leaves `when is the rent due?` */
export function withoutNames(question: string, names: readonly string[]): string {
  const text = question.normalize('NFKC');
  const bare = names.reduce(
    (rest, name) => rest.replace(new RegExp(`(?<![\\p{L}\\p{N}])${escaped(name)}(?![a-z\\p{N}])(?:에서|의|은|는)?,?`, 'giu'), ' '),
    text,
  );
  const rest = bare
    .replace(/^[A-Z](?=n |nder |f |rom )/u, (letter) => letter.toLowerCase())
    .replace(/^[\s:,]+/u, '')
    .replace(englishNaming, ' ')
    .replace(koreanNaming, ' ')
    .replace(/\s+/gu, ' ')
    .trim();
  return askedWords(rest).length === 0 ? text : rest;
}
