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

describe('createLongTermMemory with a key', () => {
  const key = '0123456789abcdef'.repeat(4);

  it('leaves no text, word or vector in the files, and refuses to search', async () => {
    const path = join(folder, 'encrypted.db');
    const index = await sqliteIndex({ path, embedder, wordsOf: () => '' });
    const memory = createLongTermMemory({ index, embedder, encrypt: { key } });
    const text = 'zqxjkvwp 번 계좌를 쓴다';
    await memory.write('kim', { kind: 'fact', text });
    const again = await memory.write('kim', { kind: 'fact', text });
    await memory.write('kim', { kind: 'fact', text: '고양이를 키운다', held: true });
    expect((await memory.list('kim')).map((one) => one.text).sort()).toEqual(['zqxjkvwp 번 계좌를 쓴다', '고양이를 키운다']);
    await expect(memory.search('kim', 'zqxjkvwp')).rejects.toMatchObject({ code: 'SEARCH_ENCRYPTED' });
    expect(await memory.release('kim', 'all')).toBe(1);
    expect(await index.search((await embedder.embed([text], { purpose: 'query' }))[0] ?? new Float32Array(), { limit: 9 })).toEqual([]);
    for (const encrypt of [undefined, { key: key.replace('0', '1') }]) {
      const wrong = createLongTermMemory({ index, embedder, ...(encrypt ? { encrypt } : {}) });
      await expect(wrong.list('kim')).rejects.toMatchObject({ code: 'STORE_KEY_INVALID' });
      await expect(wrong.write('kim', { kind: 'fact', text: 'clear' })).rejects.toMatchObject({ code: 'STORE_KEY_INVALID' });
    }
    expect((await memory.export('kim')).memories).toHaveLength(2);
    expect(await memory.forget('kim', [again.id])).toBe(1);
    await index.close();
    const files = readdirSync(folder).filter((name) => name.startsWith('encrypted.db'));
    expect(files.map((name) => /zqxjkvwp|고양이|clear/.test(readFileSync(join(folder, name), 'utf8')))).toEqual([false]);
  });
});

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
