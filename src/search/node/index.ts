export * from '../indexes/faiss-index.ts';
export * from '../indexes/opensearch-index.ts';
export * from '../indexes/sqlite-index.ts';
export * from '../indexes/vector-store.ts';
