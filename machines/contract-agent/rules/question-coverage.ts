import { type AskedWord, askedWords, relatedWords } from 'agent-machines/contracts';
import { searchTokens } from 'agent-machines/search';

/** Minimum share of equal letter pairs for two words to match. */
const sameWord = 0.6;

/** Returns the share of the question's subject that a text covers, with the same words or synonyms: 0 to 1. */
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
