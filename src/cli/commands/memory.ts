import type { Command } from 'commander';
import { type UserFlags, withUser } from '../flags.ts';

/** Commands for the memories about users. */
export function addMemory(program: Command): void {
  const memory = program.command('memory').description('what is remembered of a user beyond one conversation');
  withUser(memory.command('list'))
    .description('list it, the latest first')
    .option('--json', 'one JSON object per line')
    .action(async (flags: UserFlags & { readonly json?: boolean }) => {
      const { listMemories } = await import('../memories.ts');
      await listMemories(flags);
    });
  withUser(memory.command('forget'))
    .description('forget some of it, or all')
    .argument('[ids...]', 'ids of `memory list`')
    .option('--all', 'everything of this user')
    .action(async (ids: readonly string[], flags: UserFlags & { readonly all?: boolean }) => {
      const { forgetMemories } = await import('../memories.ts');
      await forgetMemories(ids, flags);
    });
  withUser(memory.command('release'))
    .description('let later runs read held memories')
    .argument('[ids...]', 'ids of `memory list`')
    .option('--all', 'every held one of this user')
    .action(async (ids: readonly string[], flags: UserFlags & { readonly all?: boolean }) => {
      const { releaseMemories } = await import('../memories.ts');
      await releaseMemories(ids, flags);
    });
}
