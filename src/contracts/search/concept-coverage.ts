import { contentWords } from '../../core/text/content-words.ts';
import type { Tokenizer } from '../../core/text/tokenizer.ts';
import { relatedWords } from './related-words.ts';
import type { SearchedDocument } from './searched-document.ts';

/** The tokens for one word of a question. */
export interface Concept {
  /** Weight; lower for a question word. */
  readonly weight: number;
  readonly own: readonly string[];
  /** Tokens of each contract word with the same meaning. */
  readonly related: readonly (readonly string[])[];
}

/**
 * `relatedMatch`: weight of a related word. `inTitle`: extra weight of a word in the title. `askingWeight`: weight of `언제까지` compared with
 * `보증금`.
 */
const relatedMatch = 0.6;
const inTitle = 0.5;
const askingWeight = 0.5;

/** Returns the words of a question, each with its contract synonyms. */
export function conceptsOf(
  question: string,
  { tokenizer, related }: { readonly tokenizer: Tokenizer; readonly related: boolean },
): Concept[] {
  const content = new Set(contentWords(question).split(' '));
  const words = question.split(/[^\p{L}\p{M}\p{N}]+/u).filter((word) => word !== '');
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
 * Returns each article's coverage of the question, for all documents in sequence. Every word counts once, by its best form and its rarity.
 * So a word with many forms cannot outweigh the others.
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
  // squared, because half of a word's letter pairs often belong to another word
  matchTokens(own, document, (share) => share ** 2, matches);
  for (const tokens of related) matchTokens(tokens, document, (share) => (share === 1 ? relatedMatch : 0), matches);
}

/** Raises the matches of articles by their share of the tokens. */
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
