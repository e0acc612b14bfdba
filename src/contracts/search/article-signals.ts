import type { Embedder } from '../../core/ports/embedder.ts';
import type { Tokenizer } from '../../core/text/tokenizer.ts';
import { type FieldIndex, type FieldStatistics, rarity } from '../../search/rank/field-index.ts';
import { maxQuestionChars } from './max-question-chars.ts';
import { foldLabel, type SearchedArticle, type SearchedDocument } from './searched-document.ts';
import type { ContractTopic } from './topics/contract-topic.ts';

/**
 * The search signals.
 *
 * - `words`: BM25 of the whole article.
 * - `passages`: BM25 of its best passage.
 * - `title`: overlap of title and question.
 * - `coverage`: number of the question's words in the article, in any form, weighted by rarity.
 * - `paragraphs`: share of the question in its best paragraph, weighted by rarity.
 * - `topics`: wording that settles common contract topics.
 * - `vectors`: similarity of vectors.
 * - `label`: the question names the article's label.
 */
export type SignalName = 'words' | 'passages' | 'title' | 'coverage' | 'paragraphs' | 'topics' | 'vectors' | 'label';

export interface ArticleSignalsOptions {
  readonly embedder: Embedder | undefined;
  readonly tokenizer: Tokenizer;
  readonly relatedWeight: number;
  /** Topics of contracts, with the wording that settles them. */
  readonly topics: readonly ContractTopic[];
  readonly signal: AbortSignal | undefined;
}

/** Signal scores for the articles of all documents, in sequence. */
export interface ArticleSignals {
  readonly scores: Readonly<Record<SignalName, Float64Array>>;
  /** The best passage of each article, by its words; by its vector if no word matches. */
  readonly passages: readonly ({ readonly text: string; readonly score: number } | undefined)[];
}

/** Computes all signals for one question. */
export async function articleSignals(
  question: string,
  documents: readonly SearchedDocument[],
  { embedder, tokenizer, relatedWeight, topics, signal }: ArticleSignalsOptions,
): Promise<ArticleSignals> {
  // imported lazily: they read tables that only a question needs
  const { conceptCoverage, conceptsOf } = await import('./concept-coverage.ts');
  const { questionTerms } = await import('./question-terms.ts');
  const { questionConcepts } = await import('./question-concepts.ts');
  const { questionTopics } = await import('./question-topics.ts');
  const { scorePassages } = await import('./score-passages.ts');
  const terms = questionTerms(question, { tokenizer, relatedWeight });
  const statistics = together(documents.map(({ words }) => words));
  const passageStatistics = together(documents.map(({ passages }) => passages));
  const [vector] = embedder ? await embedder.embed([question], { purpose: 'query', ...(signal ? { signal } : {}) }) : [];

  const nearness = vector && nearnessTo(vector);

  const size = statistics.size;
  const scores = {
    words: new Float64Array(size),
    passages: new Float64Array(size),
    title: new Float64Array(size),
    coverage: conceptCoverage(conceptsOf(question, { tokenizer, related: relatedWeight > 0 }), documents),
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
  const passages: { text: string; score: number }[] = [];
  let offset = 0;
  for (const each of documents) {
    scores.words.set(each.words.score(terms, statistics), offset);
    const bm25 = each.passages.score(terms, passageStatistics);
    for (const [i, text] of each.passageTexts.entries()) {
      const at = offset + (each.articleOf[i] ?? 0);
      const near = nearness ? nearness(each.vectors[i]) : 0;
      scores.passages[at] = Math.max(scores.passages[at] ?? 0, bm25[i] ?? 0);
      scores.vectors[at] = Math.max(scores.vectors[at] ?? 0, near);
      const score = (bm25[i] ?? 0) + near;
      if (score > (passages[at]?.score ?? Number.NEGATIVE_INFINITY)) passages[at] = { text, score };
    }
    for (const [i, { nearness, dealsWith }] of scorePassages(each.paragraphs, searchQuestion).entries()) {
      const at = offset + (each.paragraphs[i]?.articleIndex ?? 0);
      scores.paragraphs[at] = Math.max(scores.paragraphs[at] ?? 0, nearness);
      scores.topics[at] = Math.max(scores.topics[at] ?? 0, dealsWith);
    }
    scores.title.set(titleOverlap(terms, each.articles, statistics), offset);
    scores.label.set(labelsNamed(question, each.articles), offset);
    offset += each.articles.length;
  }
  return { scores, passages };
}

/** Combines the statistics of several indexes, so rarity counts over all of them. */
function together(indexes: readonly FieldIndex[]): FieldStatistics {
  const frequencies = new Map<string, number>(); // a cache: every document needs the same frequencies
  const sum = (of: (index: FieldIndex) => number): number => indexes.reduce((sum, index) => sum + of(index), 0);
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
function titleOverlap(terms: ReadonlyMap<string, number>, articles: readonly SearchedArticle[], statistics: FieldStatistics): Float64Array {
  const rarities = new Map<string, number>();
  const rarityOf = (token: string): number => {
    const known = rarities.get(token) ?? rarity(token, statistics);
    rarities.set(token, known);
    return known;
  };
  let asked = 0;
  for (const [token, weight] of terms) asked += weight * rarityOf(token);
  const overlaps = new Float64Array(articles.length);
  for (const [i, { titleTokens }] of articles.entries()) {
    let common = 0;
    let whole = 0;
    for (const token of titleTokens) {
      whole += rarityOf(token);
      common += (terms.get(token) ?? 0) * rarityOf(token);
    }
    if (common > 0) overlaps[i] = common / Math.sqrt(whole * asked);
  }
  return overlaps;
}

/** Returns 1 for an article whose label is in the question: `제5조` or `5조`. `제5조` does not match `제5조의2`, `15조` or `5조 원`. */
function labelsNamed(question: string, articles: readonly SearchedArticle[]): Float64Array {
  const text = foldLabel(question);
  return Float64Array.from(articles, ({ label }) => {
    if (!/\d/.test(label)) return 0; // `별표` and `부칙` are ordinary words
    const wanted = label.replace(/^제/, '');
    for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
      const end = at + wanted.length;
      if (!/\d/.test(text.charAt(at - 1)) && !/^(?:의?\d|\.\d|[원억])/.test(text.slice(end, end + 2))) return 1;
    }
    return 0;
  });
}

/** Returns a function that measures the similarity to one vector. Skips the zero dimensions; a hashed question has mostly zeros. */
function nearnessTo(vector: Float32Array): (other: Float32Array | undefined) => number {
  const dimensions = [...vector.keys()].filter((dimension) => vector[dimension] !== 0);
  return (other) => {
    let sum = 0;
    for (const dimension of dimensions) sum += (vector[dimension] ?? 0) * (other?.[dimension] ?? 0);
    return sum;
  };
}
