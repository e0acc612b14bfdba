import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createVectorStore, type VectorStoreOptions } from 'agent-machines/search/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromaInMemory } from '../fixtures/chroma-package.ts';
import { type OpensearchServer, opensearchServer } from '../fixtures/opensearch-server.ts';
import { contract, vectorStoreCases } from './vector-store-cases.ts';

let folder = '';
let opensearch: OpensearchServer;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'vector-store-'));
  opensearch = await opensearchServer();
});
afterAll(async () => {
  await opensearch[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

let places = 0;
vectorStoreCases('memory', () => ({ type: 'memory' }));
vectorStoreCases('sqlite', () => ({ type: 'sqlite', path: join(folder, `${places++}.db`) }));
vectorStoreCases('opensearch', () => ({ type: 'opensearch', url: opensearch.url, index: `store-${places++}` }));
const chroma = chromaInMemory();
vectorStoreCases('chroma, its package in memory', () => ({ type: 'chroma', collection: `store-${places++}`, chroma }));
// FAISS and a real Chroma server: in test/system

describe('createVectorStore', () => {
  it('rejects an unknown type', async () => {
    const unknown = { type: 'postgres' } as unknown as VectorStoreOptions;
    await expect(createVectorStore(unknown)).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      message: expect.stringContaining('postgres'),
    });
  });

  it('has every passage after a file is reopened, and rejects another embedder', async () => {
    const options = { type: 'sqlite', path: join(folder, 'again.db') } as const;
    const store = await createVectorStore(options);
    await store.add(contract);
    const before = await store.search('손해배상', { limit: 2 });
    await store.close();
    const again = await createVectorStore(options);
    expect(await again.search('손해배상', { limit: 2 })).toEqual(before);
    await again.close();
    const other = { name: 'other', dimensions: 3, embed: async () => [] };
    await expect(createVectorStore({ ...options, embedder: other })).rejects.toMatchObject({ code: 'INDEX_OF_OTHER_EMBEDDER' });
  });

  it('reports an unavailable index as a retriever does', async () => {
    const server = await opensearchServer();
    const store = await createVectorStore({ type: 'opensearch', url: server.url, index: 'gone', clientOptions: { maxRetries: 0 } });
    await server[Symbol.asyncDispose]();
    await expect(store.search('계약', { limit: 1 })).rejects.toMatchObject({ code: 'RETRIEVER_UNAVAILABLE', retryable: true });
    await store.close();
  });
});
