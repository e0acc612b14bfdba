import type { Command } from 'commander';
import type { VerifyFlags } from '../verify.ts';
import type { Session } from './program.ts';

/** Commands that verify a workflow. */
export function addVerifying(program: Command, { exit }: Session): void {
  program
    .command('verify')
    .description('go everywhere a workflow can go, and check what it promises')
    .argument('<workflow>', 'or a file with one: FILE, or FILE#export; its `invariants` and `exploreOptions` are heeded')
    .option('--json', 'one object of JSON on standard output')
    .option('--svg <file>', 'draw the machine, with the way of the first counterexample')
    .action(async (name: string, flags: VerifyFlags) => {
      const { verify } = await import('../verify.ts');
      exit(await verify(name, flags));
    });
}
