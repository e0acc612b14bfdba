import { type FieldStatistics, rarity } from '../../search/rank/field-index.ts';
import type { Article } from '../contract-document.ts';
import type { IndexedContract } from './indexed-contract.ts';
import { maxQuestionChars } from './max-question-chars.ts';
import { questionConcepts } from './question-concepts.ts';
import { questionTerms } from './question-terms.ts';
import { questionTopics } from './question-topics.ts';
import { type ScoredPassage, scorePassages } from './score-passages.ts';
import type { SearchedContract } from './searched-contract.ts';
import type { ContractTopic } from './topics/contract-topic.ts';
import { wordForm } from './word-form.ts';

/**
 * The search signals.
 *
 * - `words`: BM25 of the whole article.
 * - `forms`: BM25 of other forms of the words.
 * - `title`: overlap of title and question.
 * - `paragraphs`: share of the question in its best paragraph, weighted by rarity.
 * - `topics`: wording that settles common contract topics.
 * - `vectors`: similarity of vectors. Only with an embedder.
 * - `label`: the question names the article's label.
 */
export type SignalName = 'words' | 'forms' | 'title' | 'paragraphs' | 'topics' | 'vectors' | 'label';

export interface ArticleSignalsOptions {
  readonly relatedWeight: number;
  /** Topics of contracts, with the wording that settles them. */
  readonly topics: readonly ContractTopic[];
  /** Vector of the question. */
  readonly vector?: Float32Array | undefined;
  /** Passages of the only document, if they have been scored for the question already. Default: scored here, for the topics of the table. */
  readonly scored?: readonly ScoredPassage[] | undefined;
}

/** Signal scores for the articles of all documents, in sequence. */
export interface ArticleSignals {
  readonly scores: Readonly<Record<SignalName, Float64Array>>;
  /** Weight of each token of the question, and its rarity in these documents. */
  readonly terms: ReadonlyMap<string, number>;
  readonly statistics: FieldStatistics;
  readonly vector: Float32Array | undefined;
}

/** Computes all signals for one question. */
export function articleSignals(
  question: string,
  documents: readonly SearchedContract[],
  { relatedWeight, topics, vector, scored }: ArticleSignalsOptions,
): ArticleSignals {
  const tokenizer = documents[0]?.contract.tokenizer;
  const terms = questionTerms(question, { ...(tokenizer ? { tokenizer } : {}), relatedWeight });
  const formTerms = new Map([...terms].sort(([, one], [, other]) => one - other).map(([token, weight]) => [wordForm(token), weight]));
  const statistics = together(documents.map(({ words }) => words));
  const formStatistics = together(documents.map(({ forms }) => forms));
  const size = statistics.size;
  const scores = {
    words: new Float64Array(size),
    forms: new Float64Array(size),
    title: new Float64Array(size),
    paragraphs: new Float64Array(size),
    topics: new Float64Array(size),
    vectors: new Float64Array(size),
    label: new Float64Array(size),
  };
  const beginning = question.slice(0, maxQuestionChars);
  // labels contain numbers as well
  const concepts = questionConcepts(beginning, tokenizer).filter(({ word }) => /\p{L}/u.test(word));
  const searchQuestion = {
    question: beginning,
    concepts: relatedWeight > 0 ? concepts : concepts.map((concept) => ({ ...concept, related: [] })),
    topics: questionTopics(beginning, topics),
  };
  let offset = 0;
  for (const { contract, words, forms, vectors } of documents) {
    forms.score(formTerms, formStatistics, { scores: scores.forms, offset });
    words.score(terms, statistics, { scores: scores.words, offset });
    for (const { place, nearness, dealsWith } of scored ?? scorePassages(contract, searchQuestion)) {
      const at = offset + (contract.articleOf[place] ?? 0);
      scores.paragraphs[at] = Math.max(scores.paragraphs[at] ?? 0, nearness);
      scores.topics[at] = Math.max(scores.topics[at] ?? 0, dealsWith);
    }
    if (vector && vectors) scores.vectors.set(vectors.nearness(vector), offset);
    scores.title.set(titleOverlap(terms, contract, statistics), offset);
    scores.label.set(labelsNamed(question, contract.articles), offset);
    offset += contract.articles.length;
  }
  return { scores, terms, statistics, vector };
}

/** Combines the statistics of several indexes, so rarity counts over all of them. */
function together(indexes: readonly FieldStatistics[]): FieldStatistics {
  const frequencies = new Map<string, number>(); // a cache: every document needs the same frequencies
  const sum = (of: (index: FieldStatistics) => number): number => indexes.reduce((sum, index) => sum + of(index), 0);
  return {
    size: sum(({ size }) => size),
    totalLength: sum(({ totalLength }) => totalLength),
    frequency(token) {
      const frequency = frequencies.get(token) ?? sum((index) => index.frequency(token));
      frequencies.set(token, frequency);
      return frequency;
    },
  };
}

/** Returns the geometric mean of the title's share in the question and the question's share in the title. */
function titleOverlap(
  terms: ReadonlyMap<string, number>,
  { articles, titles, tokenizer }: IndexedContract,
  statistics: FieldStatistics,
): Float64Array {
  let asked = 0;
  const overlaps = new Float64Array(articles.length);
  for (const [token, weight] of terms) {
    const worth = weight * rarity(token, statistics);
    asked += worth;
    const list = titles.of(token);
    for (let i = 0; i < list.length; i += 2) overlaps[list[i] ?? 0] = (overlaps[list[i] ?? 0] ?? 0) + worth;
  }
  for (const [place, common] of overlaps.entries()) {
    if (common === 0) continue;
    const title = new Set(tokenizer(articles[place]?.title ?? ''));
    const whole = [...title].reduce((sum, token) => sum + rarity(token, statistics), 0);
    overlaps[place] = common / Math.sqrt(whole * asked);
  }
  return overlaps;
}

/** Returns 1 for an article whose label is in the question: `제5조` or `5조`. `제5조` does not match `제5조의2`, `15조` or `5조 원`. */
function labelsNamed(question: string, articles: readonly Article[]): Float64Array {
  const named = new Float64Array(articles.length);
  const text = foldLabel(question);
  if (!/\d/.test(text)) return named; // `별표` and `부칙` are ordinary words
  for (const [place, { label }] of articles.entries()) {
    const wanted = foldLabel(label).replace(/^제/, '');
    if (!/\d/.test(wanted)) continue;
    for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
      const end = at + wanted.length;
      if (!/\d/.test(text.charAt(at - 1)) && !/^(?:의?\d|\.\d|[원억])/.test(text.slice(end, end + 2))) named[place] = 1;
    }
  }
  return named;
}

/** Normalizes spacing and spelling of labels such as `별지 제1호` and `Article 5`. */
const foldLabel = (text: string): string => text.normalize('NFKC').toLowerCase().replace(/\s+/g, '');
