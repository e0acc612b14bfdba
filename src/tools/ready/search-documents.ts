import { WorkflowError } from '../../core/errors/errors.ts';
import type { Retriever } from '../../core/ports/retriever.ts';
import type { Tool } from '../../core/ports/tool.ts';
import { objectSchema } from '../../core/schema/object-schema.ts';
import { cutAtSentence } from '../../core/text/sentences.ts';
import { defineTool } from '../define/define-tool.ts';

export interface SearchDocumentsOptions {
  /** Retriever to search; `undefined` makes the tool unavailable. */
  readonly retriever: Retriever | undefined;
  /** Name of the tool. @default 'search_documents' */
  readonly name?: string;
}

const maxPassageChars = 1_500;
const noDocuments = 'No documents are open. Open some with --docs DIR.';

/**
 * The tool `search_documents`: returns the best passages for a query, each with its source and heading.
 *
 * @throws {WorkflowError} `TOOL_INVALID` for an invalid tool name; its call `TOOL_UNAVAILABLE` without a retriever.
 * @example searchDocuments({ retriever: bm25Retriever(documents) })
 */
export function searchDocuments({ retriever, name = 'search_documents' }: SearchDocumentsOptions): Tool {
  return defineTool({
    name,
    description:
      'Searches the documents that the user has opened, in Korean and English, and returns the best passages with their source. ' +
      'Give the words to look for, not an instruction.',
    access: 'inbox',
    errors: 'hidden', // errors come from a store or an embedder
    maxOutputBytes: 131_072, // ten passages in Korean, at three bytes a character, with their headings
    ...(retriever ? {} : { unavailable: noDocuments }),
    input: objectSchema({
      query: { type: 'string', minLength: 1, description: 'Words to look for.' },
      limit: { default: 5, description: 'How many passages.', type: 'integer', minimum: 1, maximum: 10 },
      skip: {
        default: 0,
        description: 'How many of the best to leave out: those already read.',
        type: 'integer',
        minimum: 0,
        maximum: 100,
      },
    }),
    async execute({ query, limit, skip }, { signal }) {
      if (!retriever) {
        throw new WorkflowError({ code: 'TOOL_UNAVAILABLE', message: noDocuments, hint: 'Open documents, or continue without them.' });
      }
      const passages = await retriever.search(query, { limit, skip, signal });
      return {
        query,
        passages: passages.map(({ source, heading, text, score }) => ({
          source,
          heading,
          text: cutAtSentence(text, maxPassageChars),
          score: Math.round(score * 10_000) / 10_000,
        })),
      };
    },
  });
}
