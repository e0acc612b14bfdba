import type { Tool } from 'agent-machines';
import type { LongTermMemory } from 'agent-machines/memory';
import { defineTool } from 'agent-machines/tools';
import * as z from 'zod';

const input = z.strictObject({
  query: z.string().min(1).max(500).describe('What to look for.'),
  limit: z.int().min(1).max(10).default(5).describe('How many memories.'),
});

/** The tool `read_memory`: what is known of the run's user. No argument says whose. */
export const readMemory = (memory: LongTermMemory, userId: string): Tool =>
  defineTool({
    name: 'read_memory',
    description: 'Searches what is remembered of the user: preferences, facts, goals, earlier feedback.',
    effect: 'pure',
    capabilities: { private: true, untrusted: true, external: false },
    primaryInput: 'query',
    input,
    async execute({ query, limit }, { signal }) {
      const found = await memory.search(userId, query, { limit, signal });
      return { memories: found.map(({ kind, text }) => ({ kind, text })) };
    },
  });
