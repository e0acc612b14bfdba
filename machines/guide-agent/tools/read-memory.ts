import type { Tool } from 'agent-machines';
import type { LongTermMemory } from 'agent-machines/memory';
import { defineTool, objectSchema } from 'agent-machines/tools';

const input = objectSchema({
  query: { type: 'string', minLength: 1, maxLength: 500, description: 'What to look for.' },
  limit: { default: 5, description: 'How many memories.', type: 'integer', minimum: 1, maximum: 10 },
});

/** The tool `read_memory`: returns memories about the run's user. Its arguments cannot choose another user. */
export const readMemory = (memory: LongTermMemory, userId: string): Tool =>
  defineTool({
    name: 'read_memory',
    description: 'Searches what is remembered of the user: preferences, facts, goals, earlier feedback.',
    access: 'inbox',
    errors: 'hidden', // hides errors of the store or the embedder
    primaryInput: 'query',
    input,
    async execute({ query, limit }, { signal }) {
      const found = await memory.search(userId, query, { limit, signal });
      return { memories: found.map(({ kind, text }) => ({ kind, text })) };
    },
  });
