import type { Command } from 'commander';
import { entries } from '../../../machines/index.ts';
import { type CommonFlags, withCommon, withSettings, withTelemetry } from '../flags.ts';
import type { InitFlags } from '../init.ts';
import type { Settings } from '../settings.ts';
import { UsageError } from '../usage-error.ts';
import { wholeNumber } from '../whole-number.ts';
import type { Session } from './program.ts';

export type StartFlags = CommonFlags &
  Settings & { readonly thread?: string; readonly file?: readonly string[]; readonly priority?: number };

const addFile = (path: string, before: readonly string[] = []): readonly string[] => [...before, path];

/** Commands that start a run. */
export function addStartCommands(program: Command, { exit, closed }: Session): void {
  withTelemetry(withSettings(withCommon(program.command('run'))))
    .description('ask a workflow something')
    .argument('<workflow>', entries.map(({ name, description }) => `${name}: ${description}`).join('; '))
    .argument('[question...]', 'the question; without it, or with `-`, standard input is the question')
    .option('--thread <id>', 'conversation to continue')
    .option('--file <path>', 'picture, PDF or sound for the question; may be repeated', addFile)
    .option('--priority <n>', 'urgency for workers, from -100 to 100', wholeNumber(-100, 100))
    .action(async (name: string, words: readonly string[], flags: StartFlags) => {
      const { startRun } = await import('../start-run.ts');
      if (words.length > 1) throw new UsageError(`The question has ${words.length} parts. Put it in quotes, or pass it on standard input.`);
      exit(await startRun(name, words[0], flags));
    });

  withTelemetry(withSettings(withCommon(program.command('chat'))))
    .description('chat with chat-agent at the terminal, or one turn per line of standard input')
    .option('--thread <id>', 'conversation to continue')
    .option('--file <path>', 'picture, PDF or sound for the first message; may be repeated', addFile)
    .action(async (flags: StartFlags) => {
      const { startChat } = await import('../start-chat.ts');
      exit(await startChat(flags, closed));
    });

  program
    .command('init')
    .description('create a project of your own that runs at once: a workflow, its program and its property test')
    .argument('[folder]', 'new folder', 'my-agent')
    .option('--template <name>', 'template of the project (default: asked at a terminal, else workflow)')
    .option('--name <name>', "name of the package (default: the folder's)")
    .option('--package <spec>', 'version or tarball path of agent-machines for the project')
    .action(async (folder: string, flags: InitFlags) => {
      const { init } = await import('../init.ts');
      exit(await init(folder, flags));
    });
}
