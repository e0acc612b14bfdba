import { contentWords } from '../../text/query-words.ts';
import type { Tokenizer } from '../../text/tokenizer.ts';
import { relatedWords } from './related-words.ts';
import type { SearchedDocument } from './searched-document.ts';

/** What one word of a question stands for, in tokens. */
export interface Concept {
  /** How much it counts: less for a word that only asks. */
  readonly weight: number;
  readonly own: readonly string[];
  /** Each of the words of contracts that mean the same. */
  readonly related: readonly (readonly string[])[];
}

/** How much a related word counts beside the word itself, and what a word adds by standing in the title too; `언제까지` beside `보증금`. */
const relatedMatch = 0.6;
const inTitle = 0.5;
const askingWeight = 0.5;

/** The words of a question, each with what it may be called in a contract. */
export function conceptsOf(query: string, { tokenizer, related }: { readonly tokenizer: Tokenizer; readonly related: boolean }): Concept[] {
  const content = new Set(contentWords(query).split(' '));
  const words = query.split(/[^\p{L}\p{M}\p{N}]+/u).filter((word) => word !== '');
  return [...new Set(words)].map((word) => {
    const stem = contentWords(word);
    return {
      weight: content.has(stem) ? 1 : askingWeight,
      own: [...new Set(tokenizer(stem))],
      related: related ? [...relatedWords(word)].map((other) => [...new Set(tokenizer(other))]) : [],
    };
  });
}

/**
 * How much of what a question asks about each article has, one document behind the other. Every word counts once, by the best of
 * its forms and as much as it is rare, so that one word with many forms cannot outweigh the others.
 */
export function conceptCoverage(concepts: readonly Concept[], documents: readonly SearchedDocument[]): Float64Array {
  const size = documents.reduce((sum, { articles }) => sum + articles.length, 0);
  const coverage = new Float64Array(size);
  for (const concept of concepts) {
    const matches = new Float64Array(size);
    let offset = 0;
    for (const document of documents) {
      matchConcept(concept, document, matches.subarray(offset, offset + document.articles.length));
      offset += document.articles.length;
    }
    const having = matches.reduce((sum, match) => sum + Math.min(1, match), 0);
    if (having === 0) continue;
    const worth = concept.weight * Math.log(1 + (size - having + 0.5) / (having + 0.5));
    for (let i = 0; i < size; i++) coverage[i] = (coverage[i] ?? 0) + worth * (matches[i] ?? 0);
  }
  return coverage;
}

function matchConcept({ own, related }: Concept, document: SearchedDocument, matches: Float64Array): void {
  // squared: half of a word's pairs are often those of another word
  matchTokens(own, document, (share) => share ** 2, matches);
  for (const tokens of related) matchTokens(tokens, document, (share) => (share === 1 ? relatedMatch : 0), matches);
}

/** Raises the matches of the articles that have the tokens, by the share of them that an article has. */
function matchTokens(
  tokens: readonly string[],
  { articles, words }: SearchedDocument,
  worth: (share: number) => number,
  matches: Float64Array,
): void {
  const counts = new Map<number, number>();
  for (const token of tokens) for (const place of words.documentsWith(token)) counts.set(place, (counts.get(place) ?? 0) + 1);
  for (const [place, count] of counts) {
    const title = articles[place]?.titleTokens;
    const titled = tokens.filter((token) => title?.has(token)).length;
    const match = worth(count / tokens.length) + inTitle * worth(titled / tokens.length);
    matches[place] = Math.max(matches[place] ?? 0, match);
  }
}
