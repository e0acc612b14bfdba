import type { Tool } from 'agent-machines';
import type { LongTermMemory } from 'agent-machines/memory';
import { defineTool, objectSchema } from 'agent-machines/tools';

const input = objectSchema({
  kind: { default: 'fact', description: 'What it is.', type: 'string', enum: ['preference', 'fact', 'feedback', 'goal'] },
  text: { type: 'string', minLength: 1, maxLength: 500, description: 'One sentence.' },
});

/** The tool `write_memory`: remembers something of the run's user. No argument says whose; the same thing twice is remembered once. */
export const writeMemory = (memory: LongTermMemory, userId: string): Tool =>
  defineTool({
    name: 'write_memory',
    description: 'Remembers something about the user for later conversations, in one short sentence.',
    effect: 'idempotent',
    risk: 'high', // later runs read it, so untrusted text must not write it
    capabilities: { private: false, untrusted: false, external: false },
    errors: 'hidden', // of a store or an embedder
    primaryInput: 'text',
    input,
    async execute({ kind, text }, { signal, taint }) {
      const { id } = await memory.write(userId, { kind, text, ...(taint ? { taint } : {}) }, { signal });
      return { remembered: text, id };
    },
  });
