import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromaIndex } from 'agent-machines/search';
import { createVectorStore, faissIndex } from 'agent-machines/search/node';
import { afterAll, expect, it } from 'vitest';
import { optionalPackage } from '../../../../src/core/util/optional-package.ts';

const folder = mkdtempSync(join(tmpdir(), 'optional-package-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('names the command that installs a missing package', async () => {
  const missing = 'no-such-package-here';
  const loading = optionalPackage(missing, () => import(missing));
  await expect(loading).rejects.toMatchObject({
    code: 'ADAPTER_MISSING',
    hint: 'Run: npm install no-such-package-here',
    data: { package: 'no-such-package-here' },
  });
});

it('returns the loaded module', async () => {
  expect(await optionalPackage('x', async () => 'loaded')).toBe('loaded');
});

// `faiss-node` has no binary for every machine and is not among the package's development dependencies: see test/system
it('reports a missing faiss-node for faissIndex and its store', async () => {
  const expected = { code: 'ADAPTER_MISSING', hint: 'Run: npm install faiss-node' };
  const indexPath = join(folder, 'index');
  await expect(faissIndex({ indexPath, embedder: { name: 'e', dimensions: 3 } })).rejects.toMatchObject(expected);
  await expect(createVectorStore({ type: 'faiss', indexPath })).rejects.toMatchObject(expected);
});

it('reports a missing chromadb for chromaIndex and its store', async () => {
  const missing = 'no-such-package-here';
  const options = { collection: 'c', chroma: () => import(missing) };
  const expected = { code: 'ADAPTER_MISSING', hint: 'Run: npm install chromadb' };
  await expect(chromaIndex({ ...options, embedder: { name: 'e', dimensions: 3 } })).rejects.toMatchObject(expected);
  await expect(createVectorStore({ type: 'chroma', ...options })).rejects.toMatchObject(expected);
});
