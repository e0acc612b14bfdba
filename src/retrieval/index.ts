export { searchTokens } from '../util/search-tokens.ts';
export { cutAtSentence, splitSentences } from '../util/sentences.ts';
export { type MemoryIndexOptions, memoryIndex } from './adapters/memory-index.ts';
export {
  type ArticleHit,
  type ArticleIndex,
  type ArticleIndexOptions,
  type ArticleSearchOptions,
  createArticleIndex,
  defaultWeights,
  type SignalWeights,
} from './article-index.ts';
export { type ArticleRetrieverOptions, articleRetriever } from './article-retriever.ts';
export type { SignalName } from './article-signals.ts';
export { type Bm25Hit, type Bm25Index, type Bm25Options, createBm25Index } from './bm25.ts';
export { bm25Retriever } from './bm25-retriever.ts';
export type { ArticleChange } from './contract/article-changes.ts';
export { type ArticleName, type ArticlePair, type ContractComparison, compareContracts } from './contract/compare-contracts.ts';
export type {
  Article,
  Chapter,
  ContractDocument,
  ContractItem,
  ContractParagraph,
  ContractPart,
  ContractWarning,
  CrossReference,
} from './contract/contract-document.ts';
export { parseContract } from './contract/parse-contract.ts';
export { printContract } from './contract/print-contract.ts';
export type { TextDocument } from './document.ts';
export { reciprocalRankFusion, type Signal, weightedFusion } from './fusion.ts';
export { type HashedEmbedderOptions, hashedEmbedder } from './hashed-embedder.ts';
export { type HttpEmbedderOptions, httpEmbedder } from './http-embedder.ts';
export { type DocumentPassage, markdownPassages } from './markdown-passages.ts';
export { contentWords } from './query-words.ts';
export { relatedWords } from './related-words.ts';
export type { Tokenizer } from './tokenizer.ts';
