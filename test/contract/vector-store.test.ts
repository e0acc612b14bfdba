import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createVectorStore, type VectorStore, type VectorStoreOptions } from 'agent-machines/search/stores';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ChromaServer, chromaServer } from '../fixtures/chroma-server.ts';
import { type OpensearchServer, opensearchServer } from '../fixtures/opensearch-server.ts';

let folder = '';
let chroma: ChromaServer;
let opensearch: OpensearchServer;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'vector-store-'));
  [chroma, opensearch] = await Promise.all([chromaServer(), opensearchServer()]);
}, 60_000);
afterAll(async () => {
  await Promise.all([chroma[Symbol.asyncDispose](), opensearch[Symbol.asyncDispose]()]);
  rmSync(folder, { recursive: true });
});

let places = 0;
const types: Readonly<Record<VectorStoreOptions['type'], (() => VectorStoreOptions) | undefined>> = {
  memory: () => ({ type: 'memory' }),
  sqlite: () => ({ type: 'sqlite', path: join(folder, `${places++}.db`) }),
  chroma: () => ({ type: 'chroma', url: chroma.url, collection: `store-${places++}` }),
  opensearch: () => ({ type: 'opensearch', url: opensearch.url, index: `store-${places++}` }),
  faiss: undefined, // in test/system
};

const contract = [
  { source: '용역계약서.md', heading: '제1조(목적)', text: '이 계약은 용역의 제공에 관한 사항을 정함을 목적으로 한다.' },
  { source: '용역계약서.md', heading: '제2조(계약기간)', text: '계약기간은 2026년 1월 1일부터 1년으로 한다.' },
  {
    source: '용역계약서.md',
    heading: '제3조(손해배상)',
    text: '갑 또는 을이 계약을 위반하여 상대방에게 손해를 입힌 때에는 배상하여야 한다.',
  },
  {
    source: 'nda.md',
    heading: 'Article 4 (Return of materials)',
    text: 'The recipient shall return all confidential materials within ten days.',
  },
];

const made = Object.entries(types).flatMap(([name, options]) => (options ? [{ name, options }] : []));
describe.each(made)('createVectorStore: $name', ({ options }) => {
  let store: VectorStore;
  beforeEach(async () => {
    store = await createVectorStore(options());
  });
  afterEach(() => store.close());
  const headings = async (query: string, limit = 1, skip = 0) => (await store.search(query, { limit, skip })).map(({ heading }) => heading);

  it('finds the passage that a question is about, with its source', async () => {
    await store.add(contract);
    expect(await store.count()).toBe(4);
    expect(await headings('계약기간은 언제까지야?')).toEqual(['제2조(계약기간)']);
    expect(await headings('손해배상')).toEqual(['제3조(손해배상)']);
    const [passage] = await store.search('return of confidential materials', { limit: 1 });
    expect(passage).toEqual({ ...contract[3], score: expect.any(Number) });
    expect(passage?.score).toBeGreaterThan(0);
  });

  it('finds by the heading, too', async () => {
    await store.add([
      { source: 'a', heading: '제7조(양도금지)', text: '본문' },
      { source: 'a', heading: '제8조(관할)', text: '본문' },
    ]);
    expect(await headings('관할', 1)).toEqual(['제8조(관할)']);
  });

  it('leaves out the first when it is told to', async () => {
    await store.add(contract);
    const all = await headings('계약 손해 목적', 10);
    expect(all.length).toBeGreaterThanOrEqual(3);
    expect([...(await headings('계약 손해 목적', 2)), ...(await headings('계약 손해 목적', 8, 2))]).toEqual(all);
  });

  it('replaces all that a source had', async () => {
    await store.add(contract);
    await store.add([{ source: '용역계약서.md', heading: '제1조(정의)', text: '용어의 정의' }]);
    expect(await store.count()).toBe(2);
    expect(await headings('손해배상 계약기간', 10)).not.toContain('제3조(손해배상)');
    expect(await headings('용어의 정의')).toEqual(['제1조(정의)']);
  });

  it('removes all of a source, however many there are', async () => {
    const many = Array.from({ length: 450 }, (_, i) => ({ source: 'many', heading: `제${i + 1}조`, text: `지체상금 ${i}` }));
    await store.add([...contract, ...many]);
    await store.remove(['many', 'unknown']);
    expect(await store.count()).toBe(4);
    expect(await headings('지체상금', 5)).not.toContain('제1조');
  });

  it('breaks ties by the order in the document', async () => {
    // white space counts for nothing, but tells them apart
    const same = Array.from({ length: 12 }, (_, i) => ({ source: 'a', heading: '', text: `삭제${' '.repeat(i)}` }));
    await store.add([...same, { source: 'a', heading: '', text: '다른 말' }]);
    const found = await store.search('삭제', { limit: 12 });
    expect(found.map(({ text }) => text)).toEqual(same.map(({ text }) => text));
  });

  it('finds nothing in an empty store, nor for words that nothing has', async () => {
    expect(await store.search('계약기간', { limit: 3 })).toEqual([]);
    await store.add(contract);
    await store.remove(['용역계약서.md', 'nda.md']);
    expect(await store.search('계약기간', { limit: 3 })).toEqual([]);
  });

  it('refuses a limit out of range', async () => {
    await store.add(contract);
    for (const limit of [0, -1, 1.5]) await expect(store.search('계약', { limit })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    await expect(store.search('계약', { limit: 1, skip: -1 })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
  });

  it('heeds an abort', async () => {
    const signal = AbortSignal.abort('no more');
    await expect(store.add(contract, { signal })).rejects.toBe('no more');
    await expect(store.search('계약', { limit: 1, signal })).rejects.toBe('no more');
    await expect(store.remove(['a'], { signal })).rejects.toBe('no more');
    expect(await store.count()).toBe(0);
  });

  it('refuses everything after close', async () => {
    await store.add(contract);
    await store.close();
    await store.close();
    const calls = [() => store.add(contract), () => store.remove(['a']), () => store.search('a', { limit: 1 }), () => store.count()];
    for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'INDEX_CLOSED' });
  });
});

describe('createVectorStore', () => {
  it('refuses a type that it does not know', async () => {
    const unknown = { type: 'postgres' } as unknown as VectorStoreOptions;
    await expect(createVectorStore(unknown)).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      message: expect.stringContaining('postgres'),
    });
  });

  it('has everything when a file is opened again, and refuses another embedder', async () => {
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

  it('says as a retriever does that it cannot be reached', async () => {
    const server = await opensearchServer();
    const store = await createVectorStore({ type: 'opensearch', url: server.url, index: 'gone', client: { maxRetries: 0 } });
    await server[Symbol.asyncDispose]();
    await expect(store.search('계약', { limit: 1 })).rejects.toMatchObject({ code: 'RETRIEVER_UNAVAILABLE', retryable: true });
    await store.close();
  });

  it('says that no Chroma server is there', async () => {
    const server = await opensearchServer();
    await server[Symbol.asyncDispose]();
    const store = createVectorStore({ type: 'chroma', url: server.url, collection: 'gone' });
    await expect(store).rejects.toMatchObject({ code: 'INDEX_UNAVAILABLE', retryable: true });
    await expect(createVectorStore({ type: 'chroma', url: 'nowhere', collection: 'x' })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
  });

  it('refuses a collection of another program', async () => {
    const { ChromaClient } = await import('chromadb');
    const client = new ChromaClient({ host: '127.0.0.1', port: Number(new URL(chroma.url).port), ssl: false });
    await client.createCollection({ name: 'theirs', embeddingFunction: null });
    const store = createVectorStore({ type: 'chroma', url: chroma.url, collection: 'theirs' });
    await expect(store).rejects.toMatchObject({ code: 'INDEX_CORRUPT' });
  });
});
