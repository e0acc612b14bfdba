import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashedEmbedder } from 'agent-machines/search';
import { sqliteIndex } from 'agent-machines/search/node';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makePrivateFile } from '../../../../../src/core/node/files/make-private-file.ts';
import { newRun, requestBy, startEntry } from '../../../../fixtures/example-entries.ts';

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'agent-machines-private-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const makers = {
  'a file': async (path: string) => {
    makePrivateFile(path);
    return { close: () => {} };
  },
  'a store': async (path: string) => {
    const store = sqliteStore({ path });
    await store.create(newRun('r_1'), [startEntry()], requestBy('o_1'));
    return store;
  },
  'a memory or an index': async (path: string) => {
    const index = await sqliteIndex({ path, embedder: hashedEmbedder(), wordsOf: () => '' });
    await index.upsert([
      { id: 'a', text: 'text', metadata: {}, vector: new Float32Array(index.dimensions).fill(index.dimensions ** -0.5) },
    ]);
    return index;
  },
};

describe('private files', () => {
  it.each(Object.entries(makers))('makes %s, its logs and its folders private to their owner', async (_, make) => {
    const folder = newFolder();
    const path = join(folder, 'a', 'b', 'my.db');
    const made = await make(path);
    const files = readdirSync(join(folder, 'a', 'b'));
    expect(files.map((name) => [name, modeOf(join(folder, 'a', 'b', name))])).toEqual(files.map((name) => [name, '600']));
    expect([modeOf(join(folder, 'a')), modeOf(join(folder, 'a', 'b'))]).toEqual(['700', '700']);
    await made.close();
  });

  it('keeps the permissions of an existing file', () => {
    const path = join(newFolder(), 'my.db');
    writeFileSync(path, 'text');
    chmodSync(path, 0o644);
    makePrivateFile(path);
    expect([modeOf(path), statSync(path).size]).toEqual(['644', 4]);
  });
});
