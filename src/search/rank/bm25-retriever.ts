import type { Retriever } from '../../core/ports/retriever.ts';
import type { TextDocument } from '../../core/ports/text-document.ts';
import { contentWords } from '../../core/text/content-words.ts';
import { type Bm25Options, createBm25Index } from './bm25.ts';
import { markdownPassages } from './markdown-passages.ts';

/**
 * Finds passages of documents by their words, in Korean and English. Ignores words that only order (`찾아 요약해줘`). Indexes the documents once,
 * in memory.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for an option out of range. Its `search` throws it for a `limit` or `skip` that is not a whole
 * number in range.
 * @example
 * const retriever = bm25Retriever([{ name: 'docs/crash.md', text: '# After a crash\nThe journal survives.' }]);
 * await retriever.search('What survives a crash?', { limit: 3 });
 */
export function bm25Retriever(documents: readonly TextDocument[], options: Bm25Options = {}): Retriever {
  const passages = documents.flatMap(markdownPassages);
  const index = createBm25Index(passages, options);
  return {
    async search(query, { limit, skip = 0, signal }) {
      signal?.throwIfAborted();
      // otherwise a page about search and summaries would match every order to search and summarize
      return index.search(contentWords(query), limit, skip).flatMap(({ index, score }) => {
        const passage = passages[index];
        return passage ? [{ ...passage, score }] : [];
      });
    },
  };
}
