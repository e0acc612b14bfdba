import type { Tool } from 'agent-machines';
import { defineTool, objectSchema } from 'agent-machines/tools';
import type { Knowledge } from '../knowledge-base.ts';

const input = objectSchema({
  query: { type: 'string', minLength: 1, maxLength: 500, description: 'What the service is to do.' },
  limit: { default: 5, description: 'How many services.', type: 'integer', minimum: 1, maximum: 10 },
});

/** The tool `retrieve_docs`: returns services of the catalogue and passages of the trend documents. */
export const retrieveDocs = ({ search, isPrivate }: Knowledge): Tool =>
  defineTool({
    name: 'retrieve_docs',
    description:
      'Searches the catalogue of AI services and the documents about trends, in Korean and English. Each service has a score from 0 to 1; ' +
      'should_fallback means that nothing fits well, so that another source should be asked when there is one.',
    access: 'inbox',
    capabilities: { private: isPrivate },
    errors: 'hidden', // hides errors of the store or the embedder
    primaryInput: 'query',
    input,
    async execute({ query, limit }) {
      const { services, trends, shouldFallback } = await search(query, { limit });
      return {
        services: services.map(
          ({ service: { id, name, category, purpose, description, description_en, price, languages, tags }, score }) => ({
            id,
            name,
            category,
            purpose,
            description,
            ...(description_en === undefined ? {} : { description_en }),
            price,
            languages,
            tags,
            score,
          }),
        ),
        trends: trends.map(({ id, source, heading, text }) => ({ id, source, heading, text })),
        should_fallback: shouldFallback,
      };
    },
  });
