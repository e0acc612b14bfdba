import { readdirSync, readFileSync } from 'node:fs';
import { bm25Retriever, createBm25Index, markdownPassages } from 'agent-machines/search';
import { describe, expect, it } from 'vitest';

const folder = new URL('../../../fixtures/docs/', import.meta.url);
const documents = readdirSync(folder)
  .sort()
  .map((name) => ({ name: `docs/${name}`, text: readFileSync(new URL(name, folder), 'utf8') }));

describe('bm25Retriever', () => {
  it.each([
    ['이 저장소의 문서에서 체크포인트를 찾아 요약해줘', 'docs/journal.md', 'The journal › 체크포인트'],
    ['docs에서 interrupt를 찾아 요약', 'docs/interrupt.md', '사람을 기다리기 › interrupt의 모양'],
    ['What survives a crash?', 'docs/journal.md', 'The journal › After a crash'],
    ['문서에서 plan gate를 찾아 요약해줘', 'docs/plan-gate.md', 'The plan gate'],
    ['Find in the docs why a plan is rejected and summarise it.', 'docs/plan-gate.md', 'The plan gate › Why a plan is rejected'],
    ['문서에서 계획을 승인하는 방법을 찾아 설명해줘', 'docs/interrupt.md', '사람을 기다리기 › 승인하기'],
    ['Search the docs: how are tools retried? Summarize.', 'docs/tools.md', 'Tools › Retries'],
    ['도구 호출의 시간 초과를 문서에서 찾아 정리해줘', 'docs/tools.md', 'Tools › 시간 초과'],
    ['이 저장소의 문서에서 토큰 예산을 찾아 알려줘', 'docs/limits.md', '한도 › 토큰 예산'],
    ['순환이 있는 계획은 어떻게 되는지 문서에서 찾아봐', 'docs/plan-gate.md', 'The plan gate › 순환 검사'],
    ['find what happens to parallel runs and summarise', 'docs/limits.md', '한도 › Parallel runs'],
    ['fork를 찾아 요약해줘', 'docs/journal.md', 'The journal › Forks'],
    ['in doubt call을 문서에서 찾아 요약해줘', 'docs/tools.md', 'Tools › Retries'],
    ['문서에서 검색 결과를 요약하는 도구를 찾아줘', 'docs/tools.md', 'Tools › summarize'],
  ])('answers %j with the right passage first', async (query, source, heading) => {
    const [best] = await bm25Retriever(documents).search(query, { limit: 3 });
    expect(best).toMatchObject({ source, heading });
  });

  it('returns passages of the documents with the scores of the index', async () => {
    const passages = documents.flatMap(markdownPassages);
    const hits = createBm25Index(passages, { k1: 2 }).search('plan gate', 3, 1);
    expect(hits).toHaveLength(3);
    await expect(bm25Retriever(documents, { k1: 2 }).search('plan gate', { limit: 3, skip: 1 })).resolves.toEqual(
      hits.map(({ index, score }) => ({ ...passages[index], score })),
    );
  });

  it('finds nothing for an empty query or in no documents', async () => {
    await expect(bm25Retriever(documents).search('', { limit: 3 })).resolves.toEqual([]);
    await expect(bm25Retriever([]).search('plan', { limit: 3 })).resolves.toEqual([]);
  });

  it('rejects with the reason of an aborted signal', async () => {
    const reason = new Error('enough');
    await expect(bm25Retriever(documents).search('plan', { limit: 3, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });

  it('rejects a limit that is out of range', async () => {
    await expect(bm25Retriever(documents).search('plan', { limit: 0 })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
  });
});
