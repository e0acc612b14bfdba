import type { JsonObject, Passage, Retriever, RetrieverOptions } from 'agent-machines';
import { bm25Retriever } from 'agent-machines/search';
import { searchDocuments } from 'agent-machines/tools';
import { describe, expect, it } from 'vitest';
import { plainInputOf } from '../../../fixtures/plain-input.ts';

const context = { signal: new AbortController().signal, idempotencyKey: 'call-1', attempt: 1 };

const retriever = bm25Retriever([
  { name: 'docs/journal.md', text: '# Journal\n## After a crash\nThe journal survives.\n## 체크포인트\n항목마다 기록된다.' },
  { name: 'docs/limits.md', text: '# Limits\nA crash does not count.' },
]);

/** Answers with the same passages whatever is asked, and notes what it was asked. */
function fixedRetriever(passages: readonly Passage[]): Retriever & { readonly asked: [string, RetrieverOptions][] } {
  const asked: [string, RetrieverOptions][] = [];
  return {
    asked,
    async search(query, options) {
      asked.push([query, options]);
      return passages;
    },
  };
}

describe('searchDocuments', () => {
  it('returns the passages with their source, heading and rounded score', async () => {
    const result = await searchDocuments({ retriever }).execute({ query: 'What survives a crash?' }, context);
    expect(result).toEqual({
      query: 'What survives a crash?',
      passages: [
        { source: 'docs/journal.md', heading: 'Journal › After a crash', text: 'The journal survives.', score: expect.any(Number) },
        { source: 'docs/limits.md', heading: 'Limits', text: 'A crash does not count.', score: expect.any(Number) },
      ],
    });
  });

  it('rounds scores to four decimals', async () => {
    const passage = { source: 'a', heading: '', text: 'b', score: 1.234_567_8 };
    const result = await searchDocuments({ retriever: fixedRetriever([passage]) }).execute({ query: 'x' }, context);
    expect(result).toMatchObject({ passages: [{ score: 1.2346 }] });
  });

  it('requests the five best passages, with the signal of the call', async () => {
    const fixed = fixedRetriever([]);
    const result = await searchDocuments({ retriever: fixed }).execute({ query: 'x' }, context);
    expect(result).toEqual({ query: 'x', passages: [] });
    expect(fixed.asked).toEqual([['x', { limit: 5, skip: 0, signal: context.signal }]]);
  });

  it('requests as many passages as the call sets', async () => {
    const fixed = fixedRetriever([]);
    await searchDocuments({ retriever: fixed }).execute({ query: 'x', limit: 2, skip: 4 }, context);
    expect(fixed.asked).toMatchObject([['x', { limit: 2, skip: 4 }]]);
  });

  it('cuts a long passage at a sentence', async () => {
    const text = '한 문장이 여기에 있다. '.repeat(200);
    const passage = { source: 'a', heading: '', text, score: 1 };
    const result = await searchDocuments({ retriever: fixedRetriever([passage]) }).execute({ query: 'x' }, context);
    expect(result).toMatchObject({ passages: [{ text: '한 문장이 여기에 있다. '.repeat(107).trim() }] });
  });

  it('is named search_documents by default', () => {
    expect(searchDocuments({ retriever }).name).toBe('search_documents');
    expect(searchDocuments({ retriever, name: 'search_manual' }).name).toBe('search_manual');
    expect(() => searchDocuments({ retriever, name: 'no spaces' })).toThrow(expect.objectContaining({ code: 'TOOL_INVALID' }));
  });

  it('declares its effect, capabilities and primary input', async () => {
    const tool = searchDocuments({ retriever });
    expect(tool).toMatchObject({ effect: 'pure', capabilities: { private: true, untrusted: true, external: false } });
    expect(await plainInputOf(tool)).toEqual({ query: 'x' });
    expect(tool).not.toHaveProperty('unavailable');
  });

  it.each<JsonObject>([
    {},
    { query: '' },
    { query: 'x', limit: 0 },
    { query: 'x', limit: 11 },
    { query: 'x', skip: 101 },
    { query: 'x', other: 1 },
  ])('refuses the arguments %j', async (args) => {
    await expect(searchDocuments({ retriever }).execute(args, context)).rejects.toMatchObject({ code: 'TOOL_INPUT_INVALID' });
  });

  it('gives the option that opens documents if none are open', async () => {
    const tool = searchDocuments({ retriever: undefined });
    expect(tool.unavailable).toBe('No documents are open. Open some with --docs DIR.');
    await expect(tool.execute({ query: 'x' }, context)).rejects.toMatchObject({ code: 'TOOL_UNAVAILABLE', message: tool.unavailable });
  });

  it('fails with the reason of an aborted call', async () => {
    const reason = new Error('enough');
    const call = searchDocuments({ retriever }).execute({ query: 'x' }, { ...context, signal: AbortSignal.abort(reason) });
    await expect(call).rejects.toBe(reason);
  });
});
