import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromaIndex } from 'agent-machines/search/chroma';
import { faissIndex } from 'agent-machines/search/faiss';
import { createVectorStore } from 'agent-machines/search/stores';
import { afterAll, expect, it } from 'vitest';
import { optionalPackage } from '../../../../src/core/util/optional-package.ts';

const folder = mkdtempSync(join(tmpdir(), 'optional-package-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('names the command that installs what is missing', async () => {
  const missing = 'no-such-package-here';
  const loading = optionalPackage(missing, () => import(missing));
  await expect(loading).rejects.toMatchObject({
    code: 'ADAPTER_MISSING',
    hint: 'Run: npm install no-such-package-here',
    data: { package: 'no-such-package-here' },
  });
});

it('gives what was loaded', async () => {
  expect(await optionalPackage('x', async () => 'loaded')).toBe('loaded');
});

// `faiss-node` has no binary for every machine and is not among the package's development dependencies: see test/system
it('is how faissIndex and its store say that faiss-node is missing', async () => {
  const expected = { code: 'ADAPTER_MISSING', hint: 'Run: npm install faiss-node' };
  const indexPath = join(folder, 'index');
  await expect(faissIndex({ indexPath, embedder: { name: 'e', dimensions: 3 } })).rejects.toMatchObject(expected);
  await expect(createVectorStore({ type: 'faiss', indexPath })).rejects.toMatchObject(expected);
});

it('is how chromaIndex and its store say that chromadb is missing', async () => {
  const missing = 'no-such-package-here';
  const options = { collection: 'c', chroma: () => import(missing) };
  const expected = { code: 'ADAPTER_MISSING', hint: 'Run: npm install chromadb' };
  await expect(chromaIndex({ ...options, embedder: { name: 'e', dimensions: 3 } })).rejects.toMatchObject(expected);
  await expect(createVectorStore({ type: 'chroma', ...options })).rejects.toMatchObject(expected);
});
