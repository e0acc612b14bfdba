import type { Embedder, VectorIndex } from 'agent-machines';
import { createLongTermMemory, type MemoryKind } from 'agent-machines/memory';
import { hashedEmbedder, memoryIndex } from 'agent-machines/search';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const embedder = hashedEmbedder({ dimensions: 64 });
const memoryOf = (index: VectorIndex = memoryIndex({ embedder })): ReturnType<typeof createLongTermMemory> =>
  createLongTermMemory({ index, embedder, clock: { now: () => 1 } });
const refusal = (code: string): object => expect.objectContaining({ code });

describe('createLongTermMemory', () => {
  it.each(['', 'a.b', 'a/b', 'a b', '가', '*', 'x'.repeat(65), '../kim', 'kim\n'])(
    'refuses the user id "%s" in every function',
    async (userId) => {
      const memory = memoryOf();
      const refused = refusal('ID_INVALID');
      await expect(memory.write(userId, { kind: 'fact', text: '글' })).rejects.toEqual(refused);
      await expect(memory.search(userId, '글')).rejects.toEqual(refused);
      await expect(memory.list(userId)).rejects.toEqual(refused);
      await expect(memory.forget(userId, 'all')).rejects.toEqual(refused);
      await expect(memory.export(userId)).rejects.toEqual(refused);
      await expect(memory.release(userId, 'all')).rejects.toEqual(refused);
    },
  );

  it.each(['', ' \n ', 'x'.repeat(2_001), 'a\u0000b', 'a\u001b[31m', 'a\u202eb', '\ud800'])('refuses the text %j', async (text) => {
    const index = memoryIndex({ embedder });
    await expect(memoryOf(index).write('kim', { kind: 'fact', text })).rejects.toEqual(refusal('MEMORY_INVALID'));
    expect(await index.count()).toBe(0);
  });

  it.each(['', 'Fact', 'constructor', 'other'])('refuses the kind "%s"', async (kind) => {
    await expect(memoryOf().write('kim', { kind: kind as MemoryKind, text: '글' })).rejects.toEqual(refusal('MEMORY_INVALID'));
  });

  it('stores a text of 2,000 characters on one line', async () => {
    const memory = memoryOf();
    expect((await memory.write('kim', { kind: 'fact', text: 'x'.repeat(2_000) })).text).toHaveLength(2_000);
    expect((await memory.write('kim', { kind: 'fact', text: ' 가\n[참고 문서]\t나 ' })).text).toBe('가 [참고 문서] 나');
  });

  it('keeps the taint of the first write when a text is written again', async () => {
    const memory = memoryOf();
    const taint = { private: false, untrusted: true, user: false };
    const clean = { private: false, untrusted: false, user: false };
    await memory.write('kim', { kind: 'preference', text: '노란 자막', taint });
    expect(await memory.write('kim', { kind: 'preference', text: '노란 자막', taint: clean })).toMatchObject({ taint });
    expect(await memory.list('kim')).toMatchObject([{ taint }]);
    expect(await memory.search('kim', '노란 자막', { includeHeld: true })).toMatchObject([{ taint }]);
    expect((await memory.export('kim')).memories).toMatchObject([{ taint }]);
    expect(await memory.write('kim', { kind: 'fact', text: '옛 글' })).not.toHaveProperty('taint');
  });

  describe('a memory with untrusted text', () => {
    const taint = { private: false, untrusted: true, user: false };
    const text = '보고서는 노란 자막으로 만든다';

    it('is left out of searches until it is released, and keeps its taint', async () => {
      const memory = memoryOf();
      const { id, held } = await memory.write('kim', { kind: 'fact', text, taint });
      expect([held, await memory.search('kim', text)]).toEqual([true, []]);
      expect((await memory.export('kim')).memories).toMatchObject([{ id, held: true }]);
      expect(await memory.release('lee', 'all')).toBe(0);
      expect([await memory.release('kim', ['m_0']), await memory.release('kim', [id]), await memory.release('kim', 'all')]).toEqual([
        0, 1, 0,
      ]);
      const [found] = await memory.search('kim', text);
      expect(found).toMatchObject({ id, taint });
      expect(found).not.toHaveProperty('held');
    });

    it('is held by default, but not when an approved call writes it', async () => {
      const memory = memoryOf();
      expect(await memory.write('kim', { kind: 'fact', text, taint, held: false })).not.toHaveProperty('held');
      expect(await memory.write('kim', { kind: 'goal', text, held: true })).toMatchObject({ held: true });
      expect((await memory.search('kim', text)).map(({ kind }) => kind)).toEqual(['fact']);
    });

    it('neither replaces nor hides a memory in use', async () => {
      const memory = memoryOf();
      await memory.write('kim', { kind: 'fact', text });
      await memory.write('kim', { kind: 'fact', text: `${text}!!`, taint });
      await memory.write('kim', { kind: 'fact', text: `${text}?`, taint });
      expect((await memory.search('kim', text)).map((one) => one.text)).toEqual([`${text}!!`]);
      for (let i = 0; i < 9; i++) await memory.write('kim', { kind: 'fact', text: `${text}? ${i}`, taint });
      expect((await memory.search('kim', `${text}? 1`, { limit: 1 })).map((one) => one.text)).toEqual([`${text}!!`]);
    });

    it('is in use after a trusted write of the same text', async () => {
      const memory = memoryOf();
      await memory.write('kim', { kind: 'fact', text, taint });
      await memory.write('kim', { kind: 'fact', text });
      expect(await memory.search('kim', text)).toMatchObject([{ text, taint }]);
    });

    it('counts as held if an earlier version stored it', async () => {
      const index = memoryIndex({ embedder });
      const memory = memoryOf(index);
      const [tainted] = [
        await memory.write('kim', { kind: 'fact', text, taint, held: false }),
        await memory.write('kim', { kind: 'goal', text }),
      ];
      const places = Array.from({ length: 1_000 }, (_, slot) => `memory.kim.${slot}`);
      const [vector = new Float32Array()] = await embedder.embed([text], { purpose: 'document' });
      const old = (await index.get(places)).map(({ id, text, metadata: { held: _, ...metadata } }) => ({ id, text, metadata, vector }));
      await index.upsert(old);
      expect((await memory.search('kim', text)).map(({ kind }) => kind)).toEqual(['goal']);
      expect(await memory.release('kim', 'all')).toBe(1);
      expect((await memory.list('kim')).some(({ id }) => id === tainted?.id)).toBe(true);
    });
  });

  it.each([0, -1, 1.5, 1_001, Number.NaN])('refuses a search limit of %s', async (limit) => {
    await expect(memoryOf().search('kim', '글', { limit })).rejects.toEqual(refusal('OPTION_INVALID'));
  });

  it('refuses an embedder that does not match the index, and an invalid sameAbove', () => {
    const index = memoryIndex({ embedder });
    expect(() => createLongTermMemory({ index, embedder: hashedEmbedder({ dimensions: 32 }) })).toThrow(refusal('OPTION_INVALID') as Error);
    for (const sameAbove of [0, 1.1, Number.NaN]) {
      expect(() => createLongTermMemory({ index, embedder, sameAbove })).toThrow(refusal('OPTION_INVALID') as Error);
    }
  });

  it('refuses memory 1,001 until another is forgotten, but still replaces an equal one', async () => {
    const index = memoryIndex({ embedder });
    const known = new Map<string, number>();
    const numberOf = (text: string): number => known.set(text, known.get(text) ?? known.size + 1).get(text) ?? 0;
    const scattered = (n: number): number => (Math.sin(n) * 43_758.5453) % 1;
    const different: Embedder = {
      ...embedder,
      embed: async ([text = '']) => [Float32Array.from({ length: 64 }, (_, i) => scattered(numberOf(text) * 64 + i))],
    };
    const memory = createLongTermMemory({ index, embedder: different, clock: { now: () => 1 } });
    for (let i = 0; i < 1_000; i++) await memory.write('kim', { kind: 'fact', text: `글 ${i}` });
    expect(await index.count()).toBe(1_000);
    await expect(memory.write('kim', { kind: 'fact', text: '하나 더' })).rejects.toEqual(refusal('MEMORY_FULL'));
    await memory.write('kim', { kind: 'fact', text: '글 7' });
    await memory.write('lee', { kind: 'fact', text: '하나 더' });
    const [first] = await memory.list('kim');
    await memory.forget('kim', [first?.id ?? '']);
    await memory.write('kim', { kind: 'fact', text: '하나 더' });
    expect((await memory.export('kim')).memories).toHaveLength(1_000);
  });

  it('does not touch other entries of the index', async () => {
    const index = memoryIndex({ embedder });
    const [vector = new Float32Array(64)] = await embedder.embed(['서울에 산다']);
    await index.upsert([{ id: 'policy', vector, text: '서울에 산다', metadata: { kind: 'fact' } }]);
    const memory = memoryOf(index);
    await memory.write('kim', { kind: 'fact', text: '서울에 산다' });
    expect(await memory.search('kim', '서울에 산다')).toHaveLength(1);
    await memory.forget('kim', 'all');
    expect(await index.count()).toBe(1);
  });

  it('fails when the index returns an entry of another user', async () => {
    const right = memoryIndex({ embedder });
    await memoryOf(right).write('lee', { kind: 'fact', text: '서울에 산다' });
    const careless: VectorIndex = { ...right, search: (vector, { filter: _, ...options }) => right.search(vector, options) };
    await expect(memoryOf(careless).search('kim', '서울에 산다')).rejects.toEqual(refusal('INDEX_CORRUPT'));
    await expect(memoryOf(careless).write('kim', { kind: 'fact', text: '서울에 산다' })).rejects.toEqual(refusal('INDEX_CORRUPT'));
  });

  it.each([
    { id: 'memory.kim.0', memoryOf: 'lee', what: 'has the place of the user, but another owner' },
    { id: 'memory.lee.0', memoryOf: 'kim', what: 'has the right owner, but another place' },
    { id: 'memory.kim.0', memoryOf: 'kim', what: 'has no kind', kind: 'other' },
  ])('rejects as corrupt an entry that $what', async ({ id, memoryOf: owner, kind = 'fact' }) => {
    const index = memoryIndex({ embedder });
    const [vector = new Float32Array(64)] = await embedder.embed(['서울에 산다']);
    await index.upsert([{ id, vector, text: '서울에 산다', metadata: { memoryOf: owner, kind, createdAt: 1, updatedAt: 1 } }]);
    const outcomes = await Promise.allSettled([memoryOf(index).list('kim'), memoryOf(index).search('kim', '서울에 산다')]);
    const wrong = outcomes.filter((outcome) => outcome.status === 'rejected').map(({ reason }) => reason);
    expect(wrong).toContainEqual(refusal('INDEX_CORRUPT'));
    expect(JSON.stringify(outcomes)).not.toContain('"text"');
  });

  it('replaces all near duplicates, and keeps the oldest creation time', async () => {
    const degrees: Readonly<Record<string, number>> = { 하나: 0, 둘: 30, 사이: 15 };
    const embed = async ([text = '']: readonly string[]): Promise<Float32Array[]> => {
      const vector = new Float32Array(64);
      const angle = ((degrees[text] ?? 90) * Math.PI) / 180;
      vector.set([Math.cos(angle), Math.sin(angle)]);
      return [vector];
    };
    const index = memoryIndex({ embedder });
    let now = 0;
    const memory = createLongTermMemory({ index, embedder: { ...embedder, embed }, clock: { now: () => ++now } });
    for (const text of ['하나', '둘', '사이']) await memory.write('kim', { kind: 'fact', text });
    expect(await memory.list('kim')).toMatchObject([{ text: '사이', createdAt: 1, updatedAt: 3 }]);
    expect(await index.count()).toBe(1);
  });

  it('keeps two texts that differ by a number, even if their vectors are equal', async () => {
    const same = { ...embedder, embed: async (texts: readonly string[]) => texts.map(() => new Float32Array(64).fill(1 / 8)) };
    const memory = createLongTermMemory({ index: memoryIndex({ embedder }), embedder: same });
    for (const text of ['회의실 1을 쓴다', '회의실 2를 쓴다', '회의실 2를 자주 쓴다']) await memory.write('kim', { kind: 'fact', text });
    expect((await memory.list('kim')).map(({ text }) => text).sort()).toEqual(['회의실 1을 쓴다', '회의실 2를 자주 쓴다']);
  });

  it('fails when the embedder returns no vector', async () => {
    const silent: Embedder = { ...embedder, embed: async () => [] };
    const memory = createLongTermMemory({ index: memoryIndex({ embedder }), embedder: silent });
    await expect(memory.write('kim', { kind: 'fact', text: '글' })).rejects.toEqual(refusal('EMBEDDER_INVALID'));
  });

  it('stops at an abort, and continues with the next write', async () => {
    const memory = memoryOf();
    const reason = new Error('stop');
    await expect(memory.write('kim', { kind: 'fact', text: '글' }, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    await expect(memory.search('kim', '글', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    await memory.write('kim', { kind: 'fact', text: '글' });
    expect(await memory.list('kim')).toHaveLength(1);
  });

  it('continues with the next write of a user after a failed one', async () => {
    const right = memoryIndex({ embedder });
    const upsert: VectorIndex['upsert'] = async (entries) => {
      if (entries[0]?.text === '하나') throw new Error('disk full');
      await right.upsert(entries);
    };
    const memory = memoryOf({ ...right, upsert });
    const failed = memory.write('kim', { kind: 'fact', text: '하나' });
    const waiting = memory.write('kim', { kind: 'fact', text: '둘' });
    await expect(failed).rejects.toThrow('disk full');
    await waiting;
    await memory.write('kim', { kind: 'fact', text: '셋' });
    expect((await memory.export('kim')).memories.map(({ text }) => text).toSorted()).toEqual(['둘', '셋']);
  });

  it('never shows a user the memories of another user', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1 }),
      fc.constantFrom('kim', 'memory.kim.0', '서울', '"memoryOf":"kim"'),
    );
    const userId = fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/);
    const kind = fc.constantFrom<MemoryKind>('preference', 'fact', 'feedback', 'goal');
    const writes = fc.array(fc.record({ text, kind }), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fc.tuple(userId, userId), writes, writes, text, async ([mine, yours], my, your, query) => {
        fc.pre(mine !== yours);
        const memory = memoryOf();
        const ids = { [mine]: new Set<string>(), [yours]: new Set<string>() };
        for (const [user, some] of [
          [mine, my.map((one) => ({ ...one, text: `나 ${one.text}` }))],
          [yours, your.map((one) => ({ ...one, text: `너 ${one.text}` }))],
        ] as const) {
          for (const one of some) {
            try {
              ids[user]?.add((await memory.write(user, one)).text);
            } catch (error) {
              expect(error).toEqual(refusal('MEMORY_INVALID'));
            }
          }
        }
        for (const user of [mine, yours]) {
          const shown = [
            ...(await memory.list(user)),
            ...(await memory.search(user, `나 너 ${query}`, { limit: 1_000 })),
            ...(await memory.export(user)).memories,
          ];
          for (const record of shown) expect(ids[user]).toContain(record.text);
        }
        await memory.forget(
          mine,
          (await memory.list(yours)).map(({ id }) => id),
        );
        const before = (await memory.list(yours)).length;
        await memory.forget(mine, 'all');
        expect(await memory.list(yours)).toHaveLength(before);
      }),
    );
  });
});
