import type { Tool } from 'agent-machines';
import type { LongTermMemory } from 'agent-machines/memory';
import { defineTool, objectSchema } from 'agent-machines/tools';

const input = objectSchema({
  kind: { default: 'fact', description: 'What it is.', type: 'string', enum: ['preference', 'fact', 'feedback', 'goal'] },
  text: { type: 'string', minLength: 1, maxLength: 500, description: 'One sentence.' },
});

export interface WriteMemoryOptions {
  /** Returns true to hold a text of an untrusted thread until `release`. Default: none, since a human approves each call there. */
  readonly isHeld?: (text: string) => boolean;
}

/** The tool `write_memory`: stores a memory about the run's user, duplicates only once. Its arguments cannot choose another user. */
export const writeMemory = (memory: LongTermMemory, userId: string, { isHeld }: WriteMemoryOptions = {}): Tool =>
  defineTool({
    name: 'write_memory',
    description: 'Remembers something about the user for later conversations, in one short sentence.',
    access: 'write',
    effect: 'idempotent',
    ...(isHeld ? {} : { risk: 'high' as const }), // later runs read it, so untrusted text needs approval
    errors: 'hidden', // hides errors of the store or the embedder
    primaryInput: 'text',
    input,
    async execute({ kind, text }, { signal, taint }) {
      const held = taint?.untrusted === true && isHeld?.(text) === true;
      const { id } = await memory.write(userId, { kind, text, ...(taint ? { taint } : {}), held }, { signal });
      return { remembered: text, id };
    },
  });
