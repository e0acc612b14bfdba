import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@opensearch-project/opensearch';
import type { VectorIndex } from 'agent-machines';
import { chromaIndex, transformersEmbedder } from 'agent-machines/search';
import { type FaissPackage, faissIndex, opensearchIndex } from 'agent-machines/search/node';
import { afterAll, expect, it } from 'vitest';
import { chromaInMemory } from '../../../fixtures/chroma-package.ts';
import { opensearchServer } from '../../../fixtures/opensearch-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'handed-in-'));
afterAll(() => rmSync(folder, { recursive: true }));
const embedder = { name: 'example', dimensions: 2 };

/** Holds that an index keeps and finds. */
async function checkIndex(index: VectorIndex): Promise<void> {
  await index.upsert([
    { id: 'a', text: 'one', metadata: {}, vector: Float32Array.of(1, 0) },
    { id: 'b', text: 'two', metadata: {}, vector: Float32Array.of(0, 1) },
  ]);
  expect(await index.search(Float32Array.of(0, 2), { limit: 1 })).toMatchObject([{ id: 'b', text: 'two', score: 1 }]);
  await index.close();
}

/** As much of FAISS as is used. */
class IndexFlatIP {
  rows: (readonly number[])[] = [];
  readonly #dimensions: number;
  constructor(dimensions: number) {
    this.#dimensions = dimensions;
  }
  static read(path: string): IndexFlatIP {
    const { rows, dimensions } = JSON.parse(readFileSync(path, 'utf8'));
    return Object.assign(new IndexFlatIP(dimensions), { rows });
  }
  ntotal = (): number => this.rows.length;
  getDimension = (): number => this.#dimensions;
  add = (row: readonly number[]): void => void this.rows.push(row);
  write = (path: string): void => writeFileSync(path, JSON.stringify({ rows: this.rows, dimensions: this.#dimensions }));
  removeIds(gone: readonly number[]): number {
    this.rows = this.rows.filter((_, place) => !gone.includes(place));
    return gone.length;
  }
  search(query: readonly number[], count: number): { labels: number[]; distances: number[] } {
    const scores = this.rows.map((row) => row.reduce((sum, value, i) => sum + value * (query[i] ?? 0), 0));
    const labels = [...scores.keys()].sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0)).slice(0, count);
    return { labels, distances: labels.map((label) => scores[label] ?? 0) };
  }
}

it.each([
  ['as it is', { IndexFlatIP }],
  ['as an import has it', { default: { IndexFlatIP } }],
  ['as what imports it', async () => ({ IndexFlatIP })],
] as readonly (readonly [string, FaissPackage])[])('faissIndex uses its package %s', async (name, faiss) => {
  await checkIndex(await faissIndex({ indexPath: join(folder, name), embedder, faiss }));
});

it('chromaIndex uses the given package or client', async () => {
  const chroma = await chromaInMemory()();
  await checkIndex(await chromaIndex({ collection: 'of-package', embedder, chroma }));
  const client = new chroma.ChromaClient({ host: 'localhost', port: 1, ssl: false, headers: {} });
  await checkIndex(await chromaIndex({ collection: 'of-client', embedder, client }));
});

it('opensearchIndex uses the given client, and leaves it open', async () => {
  await using server = await opensearchServer();
  const client = new Client({ node: server.url, maxRetries: 0 });
  await checkIndex(await opensearchIndex({ index: 'contracts', embedder, client }));
  const again = await opensearchIndex({ index: 'contracts', embedder, client });
  expect(await again.count()).toBe(2);
  await client.close();
});

it('opensearchIndex requires the address of the cluster', async () => {
  const refused = { code: 'OPTION_INVALID', data: { option: 'url' } };
  await expect(opensearchIndex({ index: 'contracts', embedder })).rejects.toMatchObject(refused);
});

it('transformersEmbedder uses the given package', async () => {
  const asked: unknown[] = [];
  const transformers = {
    env: { localModelPath: '', allowLocalModels: false, allowRemoteModels: true },
    pipeline: async (...args: readonly unknown[]) => {
      asked.push(...args);
      return async (texts: string[]) => ({ dims: [texts.length, 2], data: texts.flatMap(() => [3, 4]) });
    },
  };
  const [vector] = await transformersEmbedder({ transformers, modelPath: '/models', model: 'm', dimensions: 2 }).embed(['a']);
  expect([...(vector ?? [])]).toEqual([expect.closeTo(0.6), expect.closeTo(0.8)]);
  expect(asked).toEqual(['feature-extraction', 'm', {}]);
  expect(transformers.env).toEqual({ localModelPath: '/models', allowLocalModels: true, allowRemoteModels: false });
});
