export { type MemoryIndexOptions, memoryIndex } from './indexes/memory-index.ts';
export { type Bm25Hit, type Bm25Index, type Bm25Options, createBm25Index } from './rank/bm25.ts';
export { bm25Retriever } from './rank/bm25-retriever.ts';
export { reciprocalRankFusion, type Signal, weightedFusion } from './rank/fusion.ts';
export { type HashedEmbedderOptions, hashedEmbedder } from './rank/hashed-embedder.ts';
export { type HttpEmbedderOptions, httpEmbedder } from './rank/http-embedder.ts';
export { type DocumentPassage, markdownPassages } from './rank/markdown-passages.ts';
