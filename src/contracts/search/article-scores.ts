import { type Signal, weightedFusion } from '../../search/rank/fusion.ts';
import type { Article, ContractPart } from '../contract-document.ts';
import type { ArticleSignals, SignalName } from './article-signals.ts';

export type SignalWeights = Readonly<Record<SignalName, number>>;

/** Tuned on one half of the shipped questions and of those on public contracts. See `npm run eval -- retrieval`. */
export const defaultWeights: SignalWeights = {
  words: 1,
  forms: 0.2,
  title: 0.5,
  paragraphs: 0.6,
  topics: 1,
  vectors: 0,
  label: 4,
};

const rankOfPart: Readonly<Record<ContractPart, number>> = {
  body: 1,
  addenda: 0.7,
  exhibit: 0.9,
  preamble: 0.5,
  signatures: 0.5,
  contents: 0,
  chapter: 0,
  paragraph: 1,
};

/** Factor of an article's score. Questions are mostly about the body, and about a deleted article only if they name its number. */
const rankOf = ({ part, deleted }: Article, isNamed: boolean): number => (deleted && !isNamed ? 0.7 : 1) * rankOfPart[part];

export interface ArticleScoresOptions {
  readonly weights?: SignalWeights;
  readonly fuse?: (signals: readonly Signal[]) => Float64Array;
}

/** Weight of vectors, with an embedder. */
export const vectorWeight = 1;

/** Combines the signals of each article to its score. */
export function articleScores(
  { scores }: ArticleSignals,
  articles: readonly Article[],
  { weights = defaultWeights, fuse = weightedFusion }: ArticleScoresOptions = {},
): Float64Array {
  const fused = fuse(Object.entries(scores).map(([name, each]) => ({ scores: each, weight: weights[name as SignalName] })));
  return fused.map((score, i) => {
    const article = articles[i];
    return article === undefined ? 0 : score * rankOf(article, (scores.label[i] ?? 0) > 0);
  });
}
