import type { Passage, Retriever } from '../../core/ports/retriever.ts';
import { checkInteger } from '../../core/util/check-integer.ts';
import type { ArticleHit, ArticleIndex } from './article-index.ts';

export interface ArticleRetrieverOptions {
  /** Names of the documents to search. Default: all. */
  readonly documents?: readonly string[];
}

/**
 * Creates a retriever over contracts for `searchDocuments`. Each passage is a whole article; its heading is chapter, label and title.
 *
 * @throws {WorkflowError} from `search`: as the index, and `OPTION_INVALID` for a `skip` out of range.
 * @example searchDocuments({ retriever: articleRetriever(await createArticleIndex([contract])) })
 */
export function articleRetriever(index: ArticleIndex, { documents }: ArticleRetrieverOptions = {}): Retriever {
  return {
    async search(query, { limit, skip = 0, signal }) {
      checkInteger('limit', limit, { min: 1 });
      checkInteger('skip', skip, { min: 0, max: Number.MAX_SAFE_INTEGER - limit });
      const options = { ...(documents ? { documents } : {}), ...(signal ? { signal } : {}) };
      const hits = await index.search(query, { limit: limit + skip, ...options });
      return hits.slice(skip).map(toPassage);
    },
  };
}

function toPassage({ document, article, score }: ArticleHit): Passage {
  const { chapter, label, title, text, deleted } = article;
  const heading = [chapter, title === '' || title === label ? label : `${label}(${title})`].filter((part) => part !== '').join(' › ');
  return { source: document, heading, text: text === '' && deleted ? '삭제' : text, score };
}
