import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readManifest } from '../../../../src/search/indexes/faiss-index-files.ts';

const embedder = { name: 'example', dimensions: 2 };
const row = { id: 'a', text: 'text', metadata: { of: 'a' } };
const sha256 = createHash('sha256').update('vectors').digest('hex');
const whole = { format: 'agent-machines/faiss', version: 1, embedder, generation: 1, sha256, rows: [row], zeros: [] };

function read(manifest: unknown): unknown {
  const folder = mkdtempSync(join(tmpdir(), 'faiss-index-files-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'x.faiss');
  writeFileSync(`${path}.1`, 'vectors');
  writeFileSync(`${path}.json`, JSON.stringify(manifest));
  return readManifest(path, embedder);
}

it('reads its own files', () => {
  expect(read(whole)).toEqual(whole);
});

it.each([
  null,
  [],
  { ...whole, generation: '/../x.faiss.1' },
  { ...whole, embedder: undefined },
  { ...whole, embedder: null },
  { ...whole, rows: undefined },
  { ...whole, rows: {} },
  { ...whole, rows: [null] },
  { ...whole, rows: [{ ...row, id: 1 }] },
  { ...whole, zeros: [{ ...row, text: null }] },
  { ...whole, rows: [{ ...row, metadata: null }] },
  { ...whole, rows: [{ ...row, metadata: { of: [] } }] },
])('refuses the manifest %j', (manifest) => {
  expect(() => read(manifest)).toThrow(expect.objectContaining({ code: 'INDEX_CORRUPT' }));
});
