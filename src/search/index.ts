export { type MemoryIndexOptions, memoryIndex } from './adapters/memory-index.ts';
export { type Bm25Hit, type Bm25Index, type Bm25Options, createBm25Index } from './bm25.ts';
export { bm25Retriever } from './bm25-retriever.ts';
export { reciprocalRankFusion, type Signal, weightedFusion } from './fusion.ts';
export { type HashedEmbedderOptions, hashedEmbedder } from './hashed-embedder.ts';
export { type HttpEmbedderOptions, httpEmbedder } from './http-embedder.ts';
export { type DocumentPassage, markdownPassages } from './markdown-passages.ts';
