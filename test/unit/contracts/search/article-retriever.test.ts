import { articleRetriever, createArticleIndex, parseContract } from 'agent-machines/contracts';
import { searchDocuments } from 'agent-machines/tools';
import { describe, expect, it } from 'vitest';

const text = `제1장 총칙

제1조(목적) 이 계약은 물품의 공급에 관하여 정한다.

제2조(대금) 대금은 납품한 날부터 30일 이내에 지급한다.

제3조 삭제
`;
const index = await createArticleIndex([parseContract({ name: 'a.md', text }), parseContract({ name: 'b.md', text })]);

describe('articleRetriever', () => {
  it('returns whole articles as passages, under chapter, label and title', async () => {
    const [best] = await articleRetriever(index).search('돈은 언제 줘?', { limit: 1 });
    expect(best).toMatchObject({ source: 'a.md', heading: '제1장 총칙 › 제2조(대금)', text: '대금은 납품한 날부터 30일 이내에 지급한다.' });
  });

  it('skips the given number of hits, and other documents', async () => {
    const retriever = articleRetriever(index, { documents: ['b.md'] });
    const all = await retriever.search('대금 목적', { limit: 5 });
    expect(all.map(({ source }) => source)).toEqual(['b.md', 'b.md']);
    await expect(retriever.search('대금 목적', { limit: 5, skip: 1 })).resolves.toEqual(all.slice(1));
  });

  it('marks a deleted article', async () => {
    expect((await articleRetriever(index).search('제3조', { limit: 1 }))[0]).toMatchObject({ heading: '제1장 총칙 › 제3조', text: '삭제' });
  });

  it.each([{ limit: 0 }, { limit: 1, skip: -1 }])('refuses %j', async (options) => {
    await expect(articleRetriever(index).search('대금', options)).rejects.toMatchObject({ code: 'OPTION_INVALID' });
  });

  it('serves the tool search_documents', async () => {
    const tool = searchDocuments({ retriever: articleRetriever(index) });
    const output = await tool.execute(
      { query: '대금', limit: 2 },
      { signal: new AbortController().signal, idempotencyKey: 'k', attempt: 1 },
    );
    expect(output).toMatchObject({ passages: [{ source: 'a.md', heading: '제1장 총칙 › 제2조(대금)' }, { source: 'b.md' }] });
  });
});
