import { chromaIndex } from 'agent-machines/search/chroma';
import { createVectorStore } from 'agent-machines/search/stores';
import { vectorIndexContract } from 'agent-machines/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { embedder, longTermMemoryCases } from '../contract/long-term-memory-cases.ts';
import { vectorStoreCases } from '../contract/vector-store-cases.ts';
import { opensearchServer } from '../fixtures/opensearch-server.ts';
import { type ChromaServer, chromaServer } from './chroma/chroma-server.ts';
import { importChroma } from './chroma/import-chroma.ts';
import { installFolder } from './install-folder.ts';

vi.setConfig({ testTimeout: 60_000 });
let server: ChromaServer;
beforeAll(async () => {
  installFolder('chroma');
  server = await chromaServer();
}, 300_000);
afterAll(() => server[Symbol.asyncDispose]());

describe('vectorIndexContract: chromaIndex on a Chroma server', () => {
  const cases = vectorIndexContract((collection, embedder) => chromaIndex({ url: server.url, collection, embedder, chroma: importChroma }));
  for (const { name, run } of cases) it(name, run);
});

longTermMemoryCases({
  name: 'chromaIndex on a Chroma server',
  open: (collection) => chromaIndex({ url: server.url, collection, embedder, chroma: importChroma }),
  persistent: true,
  numRuns: 4,
});

let places = 0;
vectorStoreCases('chroma', () => ({ type: 'chroma', url: server.url, collection: `store-${places++}`, chroma: importChroma }));

describe('createVectorStore', () => {
  it('says that no Chroma server is there', async () => {
    const gone = await opensearchServer();
    await gone[Symbol.asyncDispose]();
    const store = createVectorStore({ type: 'chroma', url: gone.url, collection: 'gone', chroma: importChroma });
    await expect(store).rejects.toMatchObject({ code: 'INDEX_UNAVAILABLE', retryable: true });
    await expect(createVectorStore({ type: 'chroma', url: 'nowhere', collection: 'x', chroma: importChroma })).rejects.toMatchObject({
      code: 'OPTION_INVALID',
    });
  });

  it('refuses a collection of another program', async () => {
    const { ChromaClient } = await importChroma();
    const client = new ChromaClient({ host: '127.0.0.1', port: Number(new URL(server.url).port), ssl: false, headers: {} });
    await (client as unknown as { createCollection(options: object): Promise<unknown> }).createCollection({
      name: 'theirs',
      embeddingFunction: null,
    });
    const store = createVectorStore({ type: 'chroma', url: server.url, collection: 'theirs', chroma: importChroma });
    await expect(store).rejects.toMatchObject({ code: 'INDEX_CORRUPT' });
  });
});
