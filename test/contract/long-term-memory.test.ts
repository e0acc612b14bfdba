import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLongTermMemory } from 'agent-machines/memory';
import { memoryIndex } from 'agent-machines/search';
import { sqliteIndex } from 'agent-machines/search/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { embedder, longTermMemoryCases } from './long-term-memory-cases.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'long-term-memory-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

longTermMemoryCases({ name: 'memoryIndex', open: async () => memoryIndex({ embedder }), persistent: false, numRuns: 100 });
longTermMemoryCases({
  name: 'sqliteIndex',
  open: (place) => sqliteIndex({ path: join(folder, `${place}.db`), embedder }),
  persistent: true,
  numRuns: 15,
});
// on a Chroma server: in test/system

describe('createLongTermMemory over sqliteIndex', () => {
  it('leaves no byte of a deleted text in the files', async () => {
    const path = join(folder, 'forgotten.db');
    const index = await sqliteIndex({ path, embedder, wordsOf: () => '' });
    const memory = createLongTermMemory({ index, embedder });
    for (const text of ['서울에 산다', 'zqxjkvwp 번 계좌를 쓴다', '고양이를 키운다']) await memory.write('kim', { kind: 'fact', text });
    const [account] = await memory.search('kim', 'zqxjkvwp', { limit: 1 });
    await memory.forget('kim', [account?.id ?? '']);
    await index.close();
    const files = readdirSync(folder).filter((name) => name.startsWith('forgotten.db'));
    expect(files.map((name) => readFileSync(join(folder, name)).includes('zqxjkvwp'))).toEqual([false]);
    expect(readFileSync(path).includes('서울에 산다')).toBe(true);
  });
});
