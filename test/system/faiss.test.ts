import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createVectorStore, type FaissPackage, faissIndex } from 'agent-machines/search/node';
import { vectorIndexContract } from 'agent-machines/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { buildFaiss, importFaiss } from './build-faiss.ts';

vi.setConfig({ testTimeout: 60_000 });
const embedder = { name: 'example', dimensions: 3 };
const faiss = (): Promise<FaissPackage> => importFaiss()?.() ?? Promise.reject(new Error('faiss-node was not built'));

let folder = '';
beforeAll(() => {
  buildFaiss();
  folder = mkdtempSync(join(tmpdir(), 'faiss-'));
}, 300_000);
afterAll(() => rmSync(folder, { recursive: true }));

const entry = (id: string, ...numbers: readonly number[]) => ({
  id,
  vector: Float32Array.from(numbers),
  text: `text of ${id}`,
  metadata: {},
});

describe('vectorIndexContract: faissIndex on faiss-node', () => {
  const cases = vectorIndexContract((place, embedder) => faissIndex({ indexPath: join(folder, place), embedder, faiss }));
  for (const { name, run } of cases) it(name, run);
});

describe('faissIndex', () => {
  it('leaves two files after any writes', async () => {
    const place = mkdtempSync(join(folder, 'two-'));
    const index = await faissIndex({ indexPath: join(place, 'contracts.faiss'), embedder, faiss });
    for (const id of ['a', 'b', 'c']) await index.upsert([entry(id, 1, 2, 3)]);
    await index.remove(['b']);
    expect(readdirSync(place).sort()).toEqual(['contracts.faiss.5', 'contracts.faiss.json']);
  });

  it('leaves no byte of a removed text', async () => {
    const place = mkdtempSync(join(folder, 'removed-'));
    const index = await faissIndex({ indexPath: join(place, 'index'), embedder, faiss });
    const bytes = (): string =>
      readdirSync(place)
        .map((name) => readFileSync(join(place, name), 'latin1'))
        .join('');
    await index.upsert([entry('a', 1, 0, 0), entry('NEEDLE', 0, 1, 0), entry('zero NEEDLE', 0, 0, 0), entry('b', 0, 0, 1)]);
    expect(bytes()).toContain('text of NEEDLE');
    await index.remove(['NEEDLE', 'zero NEEDLE']);
    expect(bytes()).not.toContain('NEEDLE');
    expect(await index.count()).toBe(2);
  });

  it('has the whole last write after a later one was cut off', async () => {
    const indexPath = join(mkdtempSync(join(folder, 'cut-')), 'index');
    const index = await faissIndex({ indexPath, embedder, faiss });
    await index.upsert([entry('a', 1, 0, 0)]);
    await index.close();
    writeFileSync(`${indexPath}.3`, 'half of a file of vec');
    writeFileSync(`${indexPath}.json.new`, '{"format":"agent-mach');
    const again = await faissIndex({ indexPath, embedder, faiss });
    expect(await again.search(Float32Array.of(1, 0, 0), { limit: 5 })).toMatchObject([{ id: 'a', score: 1 }]);
    await again.upsert([entry('b', 1, 1, 0)]);
    expect(await again.count()).toBe(2);
  });

  it('is unchanged after a failed write', async () => {
    const indexPath = join(mkdtempSync(join(folder, 'fails-')), 'index');
    const index = await faissIndex({ indexPath, embedder, faiss });
    await index.upsert([entry('a', 1, 0, 0)]);
    mkdirSync(`${indexPath}.json.new`); // the manifest has no place to be written to
    await expect(index.upsert([entry('a', 0, 1, 0), entry('b', 0, 1, 0)])).rejects.toMatchObject({ code: 'INDEX_UNAVAILABLE' });
    expect(await index.search(Float32Array.of(1, 0, 0), { limit: 5 })).toMatchObject([{ id: 'a', score: 1 }]);
    rmSync(`${indexPath}.json.new`, { recursive: true });
    await index.upsert([entry('b', 0, 1, 0)]);
    expect(await index.count()).toBe(2);
  });

  it.each([
    ['vectors that were changed', (path: string) => writeFileSync(`${path}.2`, 'x')],
    ['vectors that are missing', (path: string) => rmSync(`${path}.2`)],
    ['a manifest that is not JSON', (path: string) => writeFileSync(`${path}.json`, '{')],
    ['a manifest of another program', (path: string) => writeFileSync(`${path}.json`, '{"format":"other"}')],
    [
      'fewer entries than vectors',
      (path: string) => writeFileSync(`${path}.json`, JSON.stringify({ ...JSON.parse(readFileSync(`${path}.json`, 'utf8')), rows: [] })),
    ],
  ])('refuses %s', async (_name, damage) => {
    const indexPath = join(mkdtempSync(join(folder, 'damaged-')), 'index');
    const index = await faissIndex({ indexPath, embedder, faiss });
    await index.upsert([entry('a', 1, 0, 0)]);
    await index.close();
    damage(indexPath);
    await expect(faissIndex({ indexPath, embedder, faiss })).rejects.toMatchObject({ code: 'INDEX_CORRUPT' });
  });

  it('backs createVectorStore', async () => {
    const store = await createVectorStore({ type: 'faiss', indexPath: join(folder, 'store'), faiss });
    await store.add([
      { source: 'a.md', heading: '제1조(목적)', text: '이 계약의 목적' },
      { source: 'a.md', heading: '제2조(손해배상)', text: '손해를 배상한다' },
    ]);
    expect(await store.search('손해배상', { limit: 1 })).toMatchObject([{ source: 'a.md', heading: '제2조(손해배상)' }]);
    await store.close();
  });
});
