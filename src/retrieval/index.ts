export { searchTokens } from '../util/search-tokens.ts';
export { cutAtSentence, splitSentences } from '../util/sentences.ts';
export { type Bm25Hit, type Bm25Index, type Bm25Options, createBm25Index } from './bm25.ts';
export { bm25Retriever } from './bm25-retriever.ts';
export type { TextDocument } from './document.ts';
export { type DocumentPassage, markdownPassages } from './markdown-passages.ts';
export { contentWords } from './query-words.ts';
