export * from './citations/index.ts';
export type { ArticleChange } from './compare/article-changes.ts';
export { type ArticleName, type ArticlePair, type ContractComparison, compareContracts } from './compare/compare-contracts.ts';
export { type ContractValue, type ContractValueType, contractValues } from './compare/contract-values.ts';
export type { MaterialTopic } from './compare/material-changes.ts';
export type {
  Article,
  ArticlePart,
  Chapter,
  ContractDocument,
  ContractItem,
  ContractParagraph,
  ContractPart,
  ContractWarning,
  CrossReference,
} from './contract-document.ts';
export type { ContractAmount } from './facts/contract-amounts.ts';
export type { ContractDate } from './facts/contract-dates.ts';
export { type ContractFacts, contractFacts } from './facts/contract-facts.ts';
export type { ContractParty } from './facts/contract-parties.ts';
export { parseContract } from './parse/parse-contract.ts';
export { printContract } from './print-contract.ts';
export * from './review/index.ts';
export {
  type AnswerFinder,
  type AnswerFinderOptions,
  type ContractVerdict,
  createAnswerFinder,
  type FindOptions,
  type FoundAnswer,
  type FoundPassage,
  type PassageReason,
} from './search/answer-finder.ts';
export {
  type ArticleHit,
  type ArticleIndex,
  type ArticleIndexOptions,
  type ArticleSearchOptions,
  createArticleIndex,
} from './search/article-index.ts';
export { type ArticleRetrieverOptions, articleRetriever } from './search/article-retriever.ts';
export { defaultWeights, type SignalWeights } from './search/article-scores.ts';
export type { SignalName } from './search/article-signals.ts';
export { type AskedWord, askedWords } from './search/asked-words.ts';
export { type ConfirmingText, confirmValue, type ValueConfirmation } from './search/confirm-value.ts';
export type { ContractPassage } from './search/contract-passages.ts';
export type { ContractException, ShownText } from './search/exceptions.ts';
export { relatedWords } from './search/related-words.ts';
export type { ContractTopic } from './search/topics/contract-topic.ts';
