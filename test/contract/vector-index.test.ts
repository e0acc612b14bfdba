import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { VectorIndex } from 'agent-machines';
import { chromaIndex, memoryIndex } from 'agent-machines/search';
import { opensearchIndex, sqliteIndex } from 'agent-machines/search/node';
import { vectorIndexContract } from 'agent-machines/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromaInMemory } from '../fixtures/chroma-package.ts';
import { type OpensearchServer, opensearchServer } from '../fixtures/opensearch-server.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'vector-index-contract-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('vectorIndexContract: memoryIndex', () => {
  const cases = vectorIndexContract(async (_place, embedder) => memoryIndex({ embedder }), { persistent: false });
  for (const { name, run } of cases) it(name, run);
});

describe.each(['sqlite-vec', 'js'] as const)('vectorIndexContract: sqliteIndex with %s', (compare) => {
  const cases = vectorIndexContract((place, embedder) => sqliteIndex({ path: join(folder, `${compare}-${place}.db`), embedder, compare }));
  for (const { name, run } of cases) it(name, run);
});

// on a real server: in test/system
describe('vectorIndexContract: chromaIndex with a package in memory', () => {
  const chroma = chromaInMemory();
  const cases = vectorIndexContract((place, embedder) => chromaIndex({ collection: place, embedder, chroma }));
  for (const { name, run } of cases) it(name, run);
});

describe("vectorIndexContract: opensearchIndex on a server that speaks OpenSearch's subset", () => {
  let server: OpensearchServer;
  beforeAll(async () => {
    server = await opensearchServer();
  });
  afterAll(() => server[Symbol.asyncDispose]());
  const cases = vectorIndexContract((place, embedder) => opensearchIndex({ url: server.url, index: place, embedder }));
  for (const { name, run } of cases) it(name, run);
});

/** What an index must not do, as changes of one that is right. */
const wrongs: Readonly<Record<string, (right: VectorIndex) => Partial<VectorIndex>>> = {
  'takes no notice of the filter': (right) => ({ search: (vector, { filter: _, ...options }) => right.search(vector, options) }),
  'filters by one name only': (right) => ({
    search: (vector, { filter = {}, ...options }) =>
      right.search(vector, { ...options, filter: Object.fromEntries(Object.entries(filter).slice(0, 1)) }),
  }),
  'filters what it has found': (right) => ({
    search: async (vector, { filter = {}, ...options }) =>
      (await right.search(vector, options)).filter(({ metadata }) =>
        Object.entries(filter).every(([name, value]) => metadata[name] === value),
      ),
  }),
  'takes texts for numbers': (right) => ({
    upsert: (entries, options) =>
      right.upsert(
        entries.map((entry) => ({
          ...entry,
          metadata: Object.fromEntries(Object.entries(entry.metadata).map(([name, value]) => [name, String(value)])),
        })),
        options,
      ),
    search: (vector, { filter = {}, ...options }) =>
      right.search(vector, {
        ...options,
        filter: Object.fromEntries(Object.entries(filter).map(([name, value]) => [name, String(value)])),
      }),
  }),
  'gives the worst first': (right) => ({ search: async (...args) => [...(await right.search(...args))].reverse() }),
  'gives distances': (right) => ({
    search: async (...args) => (await right.search(...args)).map((hit) => ({ ...hit, score: 1 - hit.score })),
  }),
  'sorts ties in its own way': (right) => ({
    search: async (...args) => [...(await right.search(...args))].sort((a, b) => b.score - a.score || (a.id < b.id ? 1 : -1)),
  }),
  'cuts before it sorts ties': (right) => ({
    search: async (vector, options) =>
      [...(await right.search(vector, { ...options, limit: 10_000 }))]
        .sort((a, b) => b.score - a.score || (a.id < b.id ? 1 : -1))
        .slice(0, options.limit)
        .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1)),
  }),
  'finds one too many': (right) => ({ search: (vector, options) => right.search(vector, { ...options, limit: options.limit + 1 }) }),
  'takes every limit': (right) => ({
    search: (vector, options) => right.search(vector, { ...options, limit: Math.max(1, Math.trunc(options.limit) || 1) }),
  }),
  'misses one of a thousand': (right) => ({
    search: async (...args) => {
      const hits = await right.search(...args);
      return (await right.count()) < 1_000 || hits.length < 2 ? hits : hits.slice(1);
    },
  }),
  'merges metadata': (right) => ({
    upsert: async (entries, options) => {
      const before = new Map((await right.get(entries.map(({ id }) => id || '-'))).map((entry) => [entry.id, entry.metadata]));
      await right.upsert(
        entries.map((entry) => ({ ...entry, metadata: { ...before.get(entry.id), ...entry.metadata } })),
        options,
      );
    },
  }),
  'writes one entry after the other': (right) => ({
    upsert: async (entries, options) => {
      for (const entry of entries) await right.upsert([entry], options);
    },
  }),
  'normalises text': (right) => ({
    upsert: (entries, options) =>
      right.upsert(
        entries.map((entry) => ({ ...entry, text: entry.text.normalize() })),
        options,
      ),
  }),
  'normalises ids': (right) => ({
    upsert: (entries, options) =>
      right.upsert(
        entries.map((entry) => ({ ...entry, id: entry.id.trim() || (entry.id && '-') })),
        options,
      ),
  }),
  'forgets metadata': (right) => ({ get: async (...args) => (await right.get(...args)).map((entry) => ({ ...entry, metadata: {} })) }),
  'gives entries in its own order': (right) => ({ get: async (...args) => [...(await right.get(...args))].reverse() }),
  'removes nothing': () => ({ remove: async () => {} }),
  'counts zero vectors for nothing': (right) => ({
    upsert: (entries, options) =>
      right.upsert(
        entries.filter(({ vector }) => vector.some((value) => value !== 0)),
        options,
      ),
  }),
  'goes on after close': () => ({ close: async () => {} }),
  'goes on after an abort': (right) => ({ upsert: (entries) => right.upsert(entries), remove: (ids) => right.remove(ids) }),
};

describe('vectorIndexContract', () => {
  it.each(Object.entries(wrongs))('detects an index that %s', async (_name, change) => {
    const cases = vectorIndexContract(
      async (_place, embedder) => {
        const right = memoryIndex({ embedder });
        return { ...right, ...change(right) };
      },
      { persistent: false },
    );
    const outcomes = await Promise.allSettled(cases.map(({ run }) => run()));
    expect(outcomes.some(({ status }) => status === 'rejected')).toBe(true);
  });

  it('detects an index that opens for every embedder, and an empty one', async () => {
    const failed = async (open: Parameters<typeof vectorIndexContract>[0]): Promise<readonly string[]> => {
      const cases = vectorIndexContract(open);
      const outcomes = await Promise.allSettled(cases.map(({ run }) => run()));
      return cases.filter((_, i) => outcomes[i]?.status === 'rejected').map(({ name }) => name);
    };
    expect(await failed(async (_place, embedder) => memoryIndex({ embedder }))).toEqual([
      'keeps all entries when it is opened again',
      'refuses another embedder and names both',
      'remembers its embedder even if it is empty',
    ]);
  });

  it('closes everything that a case opened, also after a failure', async () => {
    let open = 0;
    const cases = vectorIndexContract(
      async (_place, embedder) => {
        open++;
        return { ...memoryIndex({ embedder }), count: async () => -1, close: async () => void open-- };
      },
      { persistent: false },
    );
    await Promise.allSettled(cases.filter(({ name }) => !name.includes('closes twice')).map(({ run }) => run()));
    expect(open).toBe(0);
  });
});
