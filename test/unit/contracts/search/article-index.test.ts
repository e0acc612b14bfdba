import { readFile } from 'node:fs/promises';
import type { Embedder } from 'agent-machines';
import { type ArticleIndex, createArticleIndex, parseContract } from 'agent-machines/contracts';
import { loadContract } from 'agent-machines/contracts/node';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { searchTokens } from '../../../../src/core/text/search-tokens.ts';

const lease = parseContract({
  name: 'lease.md',
  text: `# 사무실 임대차계약서

제1조(목적) 이 계약은 사무실의 임대차에 관한 권리와 의무를 정한다.

제2조(계약기간) ① 임대차 기간은 인도일부터 2년으로 한다.
② 만료 3개월 전까지 통지가 없으면 같은 조건으로 갱신된 것으로 본다.

제3조(보증금) ① 임차인은 보증금 3천만원을 계약 체결 시 지급한다.
② 임대인은 임대차가 끝난 날부터 7일 이내에 보증금을 반환한다.

제4조(차임) 임차인은 매월 5일까지 차임 200만원을 임대인의 계좌로 낸다. 지체하면 연 9퍼센트의 지연이자를 더한다.

제5조(계약의 해지) 임차인이 차임을 2회 이상 연체하면 임대인은 계약을 해지할 수 있다.

제5조의2(원상회복) 임차인은 계약이 끝나면 칸막이를 철거하고 사무실을 처음 상태로 돌려놓는다.

제6조 삭제

제15조(관할) 분쟁은 사무실 소재지의 법원에서 다툰다.

부칙

제1조(시행일) 이 계약은 서명한 날부터 시행한다.
`,
});
const supply = parseContract({
  name: 'supply.md',
  text: `# Supply Agreement

## Article 1. Term
This Agreement runs for two years.

## Article 2. Termination
Either party may terminate this Agreement by sixty days' notice.

## Article 3. Confidentiality
Each party keeps what it learns secret for three years.
`,
});

describe('createArticleIndex', () => {
  let index: ArticleIndex;
  beforeAll(async () => {
    index = await createArticleIndex([lease, supply]);
  });

  it.each([
    ['계약 기간은?', 'lease.md', '제2조'],
    ['계약기간은?', 'lease.md', '제2조'],
    ['월세는 매월 며칠까지 내?', 'lease.md', '제4조'],
    ['보증금은 언제 돌려받아?', 'lease.md', '제3조'],
    ['월세가 밀리면 쫓겨나나요?', 'lease.md', '제5조'],
    ['소송은 어디서 해?', 'lease.md', '제15조'],
    ['제5조 내용이 뭐야?', 'lease.md', '제5조'],
    ['제5조의2는?', 'lease.md', '제5조의2'],
    ['15조 알려줘', 'lease.md', '제15조'],
    ['how do we quit', 'supply.md', 'Article 2'],
    ['what does article 3 say', 'supply.md', 'Article 3'],
  ])('answers %j with the right article of the right document', async (query, document, label) => {
    const [best] = await index.search(query, { limit: 3 });
    expect(best).toMatchObject({ document, article: { label } });
  });

  it.each([
    ['Can I leave the lease early?', '제5조'],
    ['Which court decides disputes?', '제15조'],
    ['해지 사유가 뭐야?', 'Article 2'],
    ['비밀유지 의무가 있어?', 'Article 3'],
  ])('answers %j from a contract in the other language', async (query, label) => {
    const documents = [/[가-힣]/.test(query) ? 'supply.md' : 'lease.md'];
    const [best] = await index.search(query, { limit: 1, documents });
    expect(best?.article.label).toBe(label);
  });

  it('adds no related words and no topics if their weights are 0', async () => {
    const own = await createArticleIndex([supply], { relatedWeight: 0, weights: { topics: 0, forms: 0 } });
    await expect(own.search('비밀유지 의무가 있어?', { limit: 3 })).resolves.toEqual([]);
    await expect(own.search('secrecy', { limit: 3 })).resolves.toEqual([]);
  });

  it.each(['책임제한 조항이 있어?', '면책 조항은?', '책임 제한은?', '책임의 상한이 있나요?'])(
    'ranks 책임의 제한 first for %j',
    async (query) => {
      const text = `제1조(목적) 이 계약은 용역의 제공에 관한 조건을 정한다.

제2조(하자에 대한 책임) 수급인은 하자에 대하여 책임을 지고, 이를 보수한다.

제3조(책임의 제한) 수급인의 배상액은 계약금액을 넘지 아니한다.

제4조(자료의 제공) 도급인의 책임으로 자료를 제공하며, 제공의 시기는 제한하지 않는다.
`;
      const [best] = await (await createArticleIndex([parseContract({ name: 'a.md', text })])).search(query, { limit: 1 });
      expect(best?.article.label).toBe('제3조');
    },
  );

  it('finds a named deleted article, although others cite it', async () => {
    const statute = parseContract({
      name: 'statute.md',
      text: '제1조(범위) 제3조의 내용과 제3조의 기간을 정한다.\n제2조(기간) 제3조의 내용에 따른다.\n제3조 삭제\n제4조(내용) 제3조의 내용과 같다.\n',
    });
    const [best] = await (await createArticleIndex([statute])).search('제3조의 내용', { limit: 1 });
    expect(best?.article.label).toBe('제3조');
  });

  it('does not read an amount or a longer number as a label', async () => {
    const [best] = await index.search('5조 원의 보증금', { limit: 1 });
    expect(best?.article.label).toBe('제3조');
  });

  it('quotes the answering passage verbatim', async () => {
    const [best] = await index.search('보증금 반환은 며칠 이내?', { limit: 1 });
    expect(best?.passage).toBe('② 임대인은 임대차가 끝난 날부터 7일 이내에 보증금을 반환한다.');
    expect(best?.article.text).toContain(best?.passage);
  });

  it('searches only the given documents', async () => {
    const hits = await index.search('계약 기간 term', { limit: 20, documents: ['supply.md'] });
    expect(new Set(hits.map(({ document }) => document))).toEqual(new Set(['supply.md']));
    expect(hits[0]?.article.label).toBe('Article 1');
  });

  it('ranks an article of the body above an equal one of the addenda', async () => {
    const twice = parseContract({
      name: 'a.md',
      text: '제1조(시행일) 서명한 날부터 시행한다.\n\n부칙\n\n제1조(시행일) 서명한 날부터 시행한다.\n',
    });
    const hits = await (await createArticleIndex([twice])).search('시행일', { limit: 5 });
    expect(hits.map(({ article }) => article.part)).toEqual(['body', 'addenda']);
  });

  it('keeps the order of the documents among equal articles', async () => {
    const copies = ['b.md', 'a.md'].map((name) => ({ ...lease, name }));
    const hits = await (await createArticleIndex(copies)).search('보증금', { limit: 2 });
    expect(hits.map(({ document }) => document)).toEqual(['b.md', 'a.md']);
    expect(hits[0]?.score).toBe(hits[1]?.score);
  });

  it('combines several queries for one question', async () => {
    const both = await index.search(['보증금은 언제 돌려받아?', '법원은 어디야?'], { limit: 2, documents: ['lease.md'] });
    expect(both.map(({ article }) => article.label).sort()).toEqual(['제15조', '제3조']);
  });

  it('returns the beginning of the same ranking for any limit, and every article once', async () => {
    const word = fc.constantFrom('계약', '보증금', '해지', '끝나면', 'term', '제5조', '돈', '?', '');
    await fc.assert(
      fc.asyncProperty(fc.array(word, { maxLength: 4 }), fc.integer({ min: 1, max: 8 }), async (words, limit) => {
        const all = await index.search(words.join(' '), { limit: 100 });
        expect(await index.search(words.join(' '), { limit })).toEqual(all.slice(0, limit));
        expect(new Set(all.map(({ document, article }) => `${document} ${article.id}`)).size).toBe(all.length);
        for (const [i, { score }] of all.entries()) expect(score).toBeLessThanOrEqual(all[i - 1]?.score ?? Infinity);
      }),
    );
  });

  it('finds nothing for an empty question, in no documents, and for unknown words', async () => {
    await expect(index.search('', { limit: 3 })).resolves.toEqual([]);
    await expect(index.search([], { limit: 3 })).resolves.toEqual([]);
    await expect(index.search('zzzz', { limit: 3 })).resolves.toEqual([]);
    await expect((await createArticleIndex([])).search('계약', { limit: 3 })).resolves.toEqual([]);
  });

  it('combines ranks instead of scores if fusion is rrf', async () => {
    const ranked = await createArticleIndex([lease], { fusion: 'rrf' });
    const [best] = await ranked.search('보증금은 언제 돌려받아?', { limit: 1 });
    expect(best?.article.label).toBe('제3조');
    expect(best?.score).toBeLessThan(0.2);
  });

  it('ranks other forms of a word, and finds them without the word itself', async () => {
    const forms = await createArticleIndex([lease], { relatedWeight: 0, weights: { topics: 0 } });
    expect((await forms.search('갱신하려면?', { limit: 1 }))[0]?.article.label).toBe('제2조');
    expect((await forms.search('처음으로 돌려놔', { limit: 1 }))[0]?.article.label).toBe('제5조의2');
    const exact = await createArticleIndex([supply], { relatedWeight: 0, weights: { topics: 0, forms: 0 } });
    await expect(exact.search('terminator', { limit: 1 })).resolves.toEqual([]);
    const near = await createArticleIndex([supply], { relatedWeight: 0, weights: { topics: 0 } });
    expect((await near.search('terminator', { limit: 1 }))[0]?.article.label).toBe('Article 2');
  });

  it('does not count the numbers of labels as words', async () => {
    const numbered = parseContract({ name: 'a.md', text: '제1조(목적) 목적을 정한다.\n\n제30조(기간) 기간은 1년이다.\n' });
    const words = await createArticleIndex([numbered], { weights: { paragraphs: 0 } });
    await expect(words.search('30일 안에?', { limit: 3 })).resolves.toEqual([]);
  });

  it('ranks alike if cues are tried on all passages, and not only on those with their words', async () => {
    const folder = 'benchmarks/retrieval/silence';
    const lines = (await readFile(`${folder}/questions.jsonl`, 'utf8')).split('\n').filter((line) => line !== '');
    const rows = lines.map((line) => z.object({ document: z.string(), query: z.string() }).parse(JSON.parse(line)));
    for (const name of new Set(rows.map(({ document }) => document))) {
      const document = await loadContract(`${folder}/${name}`);
      const [fast, whole] = [
        await createArticleIndex([document]),
        // the words that cues need are known for the default tokenizer only
        await createArticleIndex([document], { tokenizer: (text) => searchTokens(text) }),
      ];
      for (const { query } of rows.filter((row) => row.document === name).slice(0, 15)) {
        expect(await fast.search(query, { limit: 50 }), query).toEqual(await whole.search(query, { limit: 50 }));
      }
    }
  });

  it('uses the given tokenizer', async () => {
    const words = await createArticleIndex([lease], { tokenizer: (text) => text.split(/[\s()]+/), weights: { vectors: 0 } });
    await expect(words.search('보증', { limit: 3 })).resolves.toEqual([]);
    expect((await words.search('보증금을', { limit: 1 }))[0]?.article.label).toBe('제3조');
  });

  it('uses the given embedder for passages, then for the question', async () => {
    const asked: string[] = [];
    const embedder: Embedder = {
      name: 'axes',
      dimensions: 2,
      async embed(texts, { purpose = 'document' } = {}) {
        asked.push(purpose);
        return texts.map((text) => Float32Array.from(/칸막이|보물/.test(text) ? [1, 0] : [0, 1]));
      },
    };
    const near = await createArticleIndex([lease], { embedder });
    const [best] = await near.search('보물', { limit: 1 });
    expect(best?.article.label).toBe('제5조의2');
    expect(asked).toEqual(['document', 'query']);
  });

  it('embeds nothing if vectors have no weight', async () => {
    const embedder: Embedder = { name: 'none', dimensions: 1, embed: () => Promise.reject(new Error('asked')) };
    await expect(createArticleIndex([lease], { embedder, weights: { vectors: 0 } })).resolves.toMatchObject({ documents: [lease] });
    await expect(createArticleIndex([lease], { embedder })).rejects.toThrow('asked');
  });

  it('refuses two documents with one name, options out of range, and unknown names', async () => {
    const invalid = expect.objectContaining({ code: 'OPTION_INVALID' });
    await expect(createArticleIndex([lease, lease])).rejects.toEqual(invalid);
    await expect(createArticleIndex([lease], { b: 2 })).rejects.toEqual(invalid);
    await expect(createArticleIndex([lease], { k1: -1 })).rejects.toEqual(invalid);
    await expect(createArticleIndex([lease], { weights: { words: Number.NaN } })).rejects.toEqual(invalid);
    await expect(index.search('계약', { limit: 0 })).rejects.toEqual(invalid);
    await expect(index.search('계약', { limit: 1, documents: ['other.md'] })).rejects.toEqual(invalid);
  });

  it('rejects with the reason of an aborted signal', async () => {
    const reason = new Error('enough');
    await expect(index.search('계약', { limit: 1, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    await expect(createArticleIndex([lease], { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});
