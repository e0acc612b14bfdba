import { type AskedWord, askedWords, relatedWords } from 'agent-machines/contracts';
import { searchTokens } from 'agent-machines/text';

/** The share of a word's letter pairs that counts as a match for the word. */
const sameWord = 0.6;

/** How much of the question's subject a text covers, in the question's words or in synonyms: 0 to 1. */
export function questionCoverage(question: string, text: string): number {
  const asked = askedWords(question);
  const words = asked.length > 0 ? asked : [{ forms: question.split(/\s+/), weight: 1 }];
  const tokens = new Set(searchTokens(text));
  const isThere = ({ forms }: AskedWord): boolean => forms.some((form) => hasWord(form, tokens) || hasRelated(form, text));
  const sum = (some: readonly AskedWord[]): number => some.reduce((total, { weight }) => total + weight, 0);
  return sum(words.filter(isThere)) / sum(words);
}

function hasWord(word: string, tokens: ReadonlySet<string>): boolean {
  const parts = searchTokens(word);
  return parts.length > 0 && parts.filter((part) => tokens.has(part)).length / parts.length >= sameWord;
}

const hasRelated = (word: string, text: string): boolean => [...relatedWords(word)].some((other) => text.includes(other));
