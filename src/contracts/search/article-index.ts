import type { Embedder } from '../../core/ports/embedder.ts';
import { searchTokens } from '../../core/text/search-tokens.ts';
import type { Tokenizer } from '../../core/text/tokenizer.ts';
import { checkInteger } from '../../core/util/check-integer.ts';
import { optionInvalid } from '../../core/util/check-options.ts';
import { reciprocalRankFusion, weightedFusion } from '../../search/rank/fusion.ts';
import type { Article, ContractDocument } from '../contract-document.ts';
import { articleScores, defaultWeights, type SignalWeights, vectorWeight } from './article-scores.ts';
import type { ArticleSignals } from './article-signals.ts';
import { bestPassage } from './best-passage.ts';
import { indexedContract } from './indexed-contract.ts';
import { passageVectors } from './passage-vectors.ts';
import { defaultScoring, type SearchedContract, searchedContract } from './searched-contract.ts';

export interface ArticleIndexOptions {
  /** Fusion of the signals: by scores, or by ranks alone (k = 60). @default 'weighted' */
  readonly fusion?: 'weighted' | 'rrf';
  /** Weight of each signal; 0 disables it. Default: `defaultWeights`; with an `embedder`, `vectors` is 1. */
  readonly weights?: Partial<SignalWeights>;
  /** Adds the similarity of vectors. Default: none. */
  readonly embedder?: Embedder;
  /** @default searchTokens */
  readonly tokenizer?: Tokenizer;
  /** BM25 saturation: higher values give repeated words more weight. @default 1.2 */
  readonly k1?: number;
  /** BM25 length normalization, from 0 to 1: higher values penalize long articles more. @default 0.75 */
  readonly b?: number;
  /** Weight of a title word, relative to a word of the text. @default 3 */
  readonly titleWeight?: number;
  /** Weight of contract words with the same meaning as a word of the question; 0 disables them. @default 0.5 */
  readonly relatedWeight?: number;
  readonly signal?: AbortSignal;
}

export interface ArticleSearchOptions {
  /** Maximum number of articles, at least 1. */
  readonly limit: number;
  /** Names of the documents to search. Default: all. */
  readonly documents?: readonly string[];
  readonly signal?: AbortSignal;
}

export interface ArticleHit {
  /** The document's name. */
  readonly document: string;
  readonly article: Article;
  /** Relevance; higher is better. Comparable only within one result. */
  readonly score: number;
  /** The best matching passage of the article, verbatim. Empty for an article without title and text. */
  readonly passage: string;
}

/** Finds the articles of contracts that answer a question. */
export interface ArticleIndex {
  readonly documents: readonly ContractDocument[];
  /**
   * Returns the best articles, best first; ties are in document order. Several questions are rewordings of one.
   * @throws {WorkflowError} `OPTION_INVALID` for a `limit` out of range or a document that is not in the index. Errors of the embedder pass
   * through.
   */
  search(question: string | readonly string[], options: ArticleSearchOptions): Promise<readonly ArticleHit[]>;
}

/**
 * Indexes the articles of contracts, in memory. Word rarity is computed over the documents of each search.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for an option out of range, or two documents with the same name. Errors of the embedder pass
 * through.
 * @example
 * const index = await createArticleIndex([await loadContract('lease.docx')]);
 * const [best] = await index.search('보증금은 언제 돌려받아?', { limit: 3 });
 */
export async function createArticleIndex(documents: readonly ContractDocument[], options: ArticleIndexOptions = {}): Promise<ArticleIndex> {
  const { fusion = 'weighted', relatedWeight = 0.5, tokenizer = searchTokens, signal } = options;
  const { k1 = defaultScoring.k1, b = defaultScoring.b, titleWeight = defaultScoring.titleWeight } = options;
  const weights: SignalWeights = { ...defaultWeights, ...(options.embedder ? { vectors: vectorWeight } : {}), ...options.weights };
  for (const [name, weight] of Object.entries({ ...weights, k1, titleWeight, relatedWeight })) {
    requireOption(name, Number.isFinite(weight) && weight >= 0, '0 or more');
  }
  requireOption('b', b >= 0 && b <= 1, '0 to 1');
  requireOption('fusion', fusion === 'weighted' || fusion === 'rrf', "'weighted' or 'rrf'");
  requireOption('documents', new Set(documents.map(({ name }) => name)).size === documents.length, 'documents with different names');

  const topics = weights.topics === 0 ? [] : (await import('./topics/contract-topics.ts')).contractTopics;
  const embedder = weights.vectors === 0 ? undefined : options.embedder;
  const scoring = { k1, b, titleWeight };
  const searched = new Map<string, SearchedContract>();
  for (const document of documents) {
    signal?.throwIfAborted();
    const contract = indexedContract(document, tokenizer);
    const vectors = embedder && (await passageVectors(contract.articles, { embedder, signal }));
    searched.set(document.name, searchedContract(contract, scoring, vectors));
  }
  signal?.throwIfAborted();

  const chosen = (names: readonly string[] | undefined): readonly SearchedContract[] =>
    [...new Set(names ?? searched.keys())].map((name) => {
      const document = searched.get(name);
      if (document) return document;
      throw optionInvalid(`The document "${name}" is not in the index.`, `Use one of: ${[...searched.keys()].join(', ')}.`);
    });
  const fuse = fusion === 'rrf' ? reciprocalRankFusion : weightedFusion;

  return {
    documents,
    async search(question, { limit, documents: names, signal }) {
      checkInteger('limit', limit, { min: 1 });
      signal?.throwIfAborted();
      const within = chosen(names);
      const candidates = within.flatMap((searched) => searched.contract.articles.map((article, place) => ({ searched, article, place })));
      const articles = candidates.map(({ article }) => article);
      const scores = new Float64Array(candidates.length);
      // imported lazily: they read tables that only a question needs
      const { articleSignals } = await import('./article-signals.ts');
      const asked: ArticleSignals[] = [];
      for (const text of typeof question === 'string' ? [question] : question) {
        const [vector] = embedder ? await embedder.embed([text], { purpose: 'query', ...(signal ? { signal } : {}) }) : [];
        const signals = articleSignals(text, within, { relatedWeight, topics, vector });
        for (const [i, score] of articleScores(signals, articles, { weights, fuse }).entries()) scores[i] = (scores[i] ?? 0) + score;
        asked.push(signals);
      }
      return candidates
        .map((candidate, i) => ({ candidate, score: scores[i] ?? 0, i }))
        .filter(({ score }) => score > 0)
        .sort((left, right) => right.score - left.score || left.i - right.i)
        .slice(0, limit)
        .map(({ candidate: { searched, article, place }, score }) => ({
          document: searched.contract.document.name,
          article,
          score,
          passage: bestPassage(searched, place, asked),
        }));
    },
  };
}

function requireOption(name: string, ok: boolean, range: string): void {
  if (ok) return;
  throw optionInvalid(`The option "${name}" of the article index is invalid.`, `Use ${range}.`);
}
