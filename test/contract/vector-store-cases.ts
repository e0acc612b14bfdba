import { createVectorStore, type VectorStore, type VectorStoreOptions } from 'agent-machines/search/node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

export const contract = [
  { source: '용역계약서.md', heading: '제1조(목적)', text: '이 계약은 용역의 제공에 관한 사항을 정함을 목적으로 한다.' },
  { source: '용역계약서.md', heading: '제2조(계약기간)', text: '계약기간은 2026년 1월 1일부터 1년으로 한다.' },
  {
    source: '용역계약서.md',
    heading: '제3조(손해배상)',
    text: '갑 또는 을이 계약을 위반하여 상대방에게 손해를 입힌 때에는 배상하여야 한다.',
  },
  {
    source: 'nda.md',
    heading: 'Article 4 (Return of materials)',
    text: 'The recipient shall return all confidential materials within ten days.',
  },
];

/** What every store has to do. @param options of a new store each time. */
export function vectorStoreCases(name: string, options: () => VectorStoreOptions): void {
  describe(`createVectorStore: ${name}`, () => {
    let store: VectorStore;
    beforeEach(async () => {
      store = await createVectorStore(options());
    });
    afterEach(() => store.close());
    const headings = async (query: string, limit = 1, skip = 0) =>
      (await store.search(query, { limit, skip })).map(({ heading }) => heading);

    it('finds the passage of a question, with its source', async () => {
      await store.add(contract);
      expect(await store.count()).toBe(4);
      expect(await headings('계약기간은 언제까지야?')).toEqual(['제2조(계약기간)']);
      expect(await headings('손해배상')).toEqual(['제3조(손해배상)']);
      const [passage] = await store.search('return of confidential materials', { limit: 1 });
      expect(passage).toEqual({ ...contract[3], score: expect.any(Number) });
      expect(passage?.score).toBeGreaterThan(0);
    });

    it('finds by the heading, too', async () => {
      await store.add([
        { source: 'a', heading: '제7조(양도금지)', text: '본문' },
        { source: 'a', heading: '제8조(관할)', text: '본문' },
      ]);
      expect(await headings('관할', 1)).toEqual(['제8조(관할)']);
    });

    it('skips the first hits on request', async () => {
      await store.add(contract);
      const all = await headings('계약 손해 목적', 10);
      expect(all.length).toBeGreaterThanOrEqual(3);
      expect([...(await headings('계약 손해 목적', 2)), ...(await headings('계약 손해 목적', 8, 2))]).toEqual(all);
    });

    it('replaces all passages of a source', async () => {
      await store.add(contract);
      await store.add([{ source: '용역계약서.md', heading: '제1조(정의)', text: '용어의 정의' }]);
      expect(await store.count()).toBe(2);
      expect(await headings('손해배상 계약기간', 10)).not.toContain('제3조(손해배상)');
      expect(await headings('용어의 정의')).toEqual(['제1조(정의)']);
    });

    it('removes all passages of a source, however many there are', async () => {
      const many = Array.from({ length: 450 }, (_, i) => ({ source: 'many', heading: `제${i + 1}조`, text: `지체상금 ${i}` }));
      await store.add([...contract, ...many]);
      await store.remove(['many', 'unknown']);
      expect(await store.count()).toBe(4);
      expect(await headings('지체상금', 5)).not.toContain('제1조');
    });

    it('breaks ties by the order in the document', async () => {
      // white space counts for nothing, but tells them apart
      const same = Array.from({ length: 12 }, (_, i) => ({ source: 'a', heading: '', text: `삭제${' '.repeat(i)}` }));
      await store.add([...same, { source: 'a', heading: '', text: '다른 말' }]);
      const found = await store.search('삭제', { limit: 12 });
      expect(found.map(({ text }) => text)).toEqual(same.map(({ text }) => text));
    });

    it('finds nothing in an empty store, or for unknown words', async () => {
      expect(await store.search('계약기간', { limit: 3 })).toEqual([]);
      await store.add(contract);
      await store.remove(['용역계약서.md', 'nda.md']);
      expect(await store.search('계약기간', { limit: 3 })).toEqual([]);
    });

    it('refuses a limit out of range', async () => {
      await store.add(contract);
      for (const limit of [0, -1, 1.5]) await expect(store.search('계약', { limit })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
      await expect(store.search('계약', { limit: 1, skip: -1 })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    });

    it('stops on an abort', async () => {
      const signal = AbortSignal.abort('no more');
      await expect(store.add(contract, { signal })).rejects.toBe('no more');
      await expect(store.search('계약', { limit: 1, signal })).rejects.toBe('no more');
      await expect(store.remove(['a'], { signal })).rejects.toBe('no more');
      expect(await store.count()).toBe(0);
    });

    it('rejects every call after close', async () => {
      await store.add(contract);
      await store.close();
      await store.close();
      const calls = [() => store.add(contract), () => store.remove(['a']), () => store.search('a', { limit: 1 }), () => store.count()];
      for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'INDEX_CLOSED' });
    });
  });
}
