import { opensearchIndex } from 'agent-machines/search/node';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type OpensearchServer, opensearchServer } from '../../../fixtures/opensearch-server.ts';

const embedder = { name: 'example', dimensions: 2 };
const entry = (id: string, text = '') => ({ id, text, metadata: {}, vector: Float32Array.of(1, 0) });
// the client's own retries would only make the tests slow
const clientOptions = { maxRetries: 0 };

let server: OpensearchServer;
beforeEach(async () => {
  server = await opensearchServer();
});
afterEach(() => server[Symbol.asyncDispose]());
const open = (index = 'contracts') => opensearchIndex({ url: server.url, index, embedder, clientOptions });

it('creates an index with the dimensions of the embedder', async () => {
  await open();
  const { contracts } = (await (await fetch(`${server.url}/contracts/_mapping`)).json()) as Record<string, { mappings: object }>;
  expect(contracts?.mappings).toMatchObject({
    _meta: { embedder: 'example', dimensions: 2 },
    properties: { vector: { type: 'knn_vector', dimension: 2 } },
  });
});

it('refuses an index of another program', async () => {
  await fetch(`${server.url}/contracts`, { method: 'PUT', body: JSON.stringify({ mappings: { properties: {} } }) });
  await expect(open()).rejects.toMatchObject({ code: 'INDEX_CORRUPT' });
});

it('refuses a name permanently if the server refuses it', async () => {
  await expect(open('Contracts')).rejects.toMatchObject({ code: 'INDEX_UNAVAILABLE', retryable: false });
});

it('sends user and password', async () => {
  await using guarded = await opensearchServer({ auth: `Basic ${btoa('user:secret')}` });
  const at = { url: guarded.url, index: 'contracts', embedder, clientOptions };
  await expect(opensearchIndex(at)).rejects.toMatchObject({ code: 'INDEX_UNAVAILABLE', retryable: false });
  const index = await opensearchIndex({ ...at, auth: { username: 'user', password: 'secret' } });
  expect(await index.count()).toBe(0);
});

it.each([
  [503, true],
  [429, true],
  [403, false],
  [500, false],
])('reports for status %i if a retry may help', async (status, retryable) => {
  const index = await open();
  server.failNext(status, { error: { type: 'x', reason: 'no' }, status });
  await expect(index.search(Float32Array.of(1, 0), { limit: 1 })).rejects.toMatchObject({ code: 'INDEX_UNAVAILABLE', retryable });
});

it('is temporarily unavailable if no server listens', async () => {
  const gone = await opensearchServer();
  const index = await opensearchIndex({ url: gone.url, index: 'contracts', embedder, clientOptions });
  await gone[Symbol.asyncDispose]();
  await expect(index.count()).rejects.toMatchObject({ code: 'INDEX_UNAVAILABLE', retryable: true });
});

it('names the entry of a bulk that was refused, although the request succeeded', async () => {
  const index = await open();
  server.failNext(200, {
    errors: true,
    items: [{ index: { _id: 'a', status: 201 } }, { index: { _id: 'b', status: 429, error: { reason: 'queue is full' } } }],
  });
  await expect(index.upsert([entry('a'), entry('b')])).rejects.toMatchObject({
    code: 'INDEX_UNAVAILABLE',
    message: expect.stringContaining('b: queue is full'),
    retryable: true,
  });
});

it('splits a long bulk into several requests', async () => {
  const index = await open();
  await index.upsert(Array.from({ length: 5 }, (_, i) => entry(`e${i}`, '가'.repeat(1_000_000))));
  expect(server.requests.filter((request) => request.endsWith('_bulk')).length).toBe(3);
  expect(await index.count()).toBe(5);
});

it('stops a request at an abort, with its reason', async () => {
  const index = await open();
  server.hang();
  const abort = new AbortController();
  const reason = new Error('enough');
  const searching = index.search(Float32Array.of(1, 0), { limit: 1, signal: abort.signal });
  abort.abort(reason);
  await expect(searching).rejects.toBe(reason);
});
