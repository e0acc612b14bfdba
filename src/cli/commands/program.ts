import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import {
  type CommonFlags,
  databaseFile,
  defaultDb,
  toCount,
  toMany,
  toPort,
  type UserFlags,
  withAcceptance,
  withCommon,
  withSettings,
  withTelemetry,
  withUser,
} from '../flags.ts';
import { programName } from '../program-name.ts';
import type { ServeFlags } from '../serving.ts';
import type { Settings } from '../settings.ts';
import type { VerifyFlags } from '../verify.ts';
import { addContinuing } from './continuing.ts';
import { addLooking } from './looking.ts';
import { addStarting } from './starting.ts';
import { addUpkeep } from './upkeep.ts';

/** Context of a command, in addition to its flags. */
export interface Session {
  /** Sets the exit code, unless a signal has set another one. */
  exit(code: number): void;
  /** Aborts when standard output has lost its reader. */
  readonly closed: AbortSignal;
}

/** Defines the command line. A command's code is loaded when it runs. */
export function createProgram(session: Session, json: boolean): Command {
  const program = new Command('agent-machines')
    .description('LLM agent workflows as explicit state machines. Without OPENAI_API_KEY or --base-url, rules answer instead of a model.')
    .option('-V, --version', 'output the version number') // not `version`, which needs the number at once; reading it is slow
    .on('option:version', sayVersion)
    .exitOverride()
    .configureOutput(json ? { writeErr: () => {} } : {}) // errors are printed as a line of JSON
    .showHelpAfterError(`Try: ${programName()} --help`)
    .configureHelp({ sortSubcommands: false });
  addStarting(program, session);
  addMemory(program);
  addServing(program, session);
  addContinuing(program, session);
  addLooking(program, session);
  addUpkeep(program, session);
  addVerifying(program, session);
  addMcp(program);
  return program;
}

/** @throws {CommanderError} which ends the program, like `--help`. */
function sayVersion(): never {
  const version = packageVersion();
  process.stdout.write(`${version}\n`);
  throw new CommanderError(0, 'commander.version', version);
}

function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL(import.meta.resolve('agent-machines/package.json')), 'utf8')) as { version: string };
  return version;
}

/** Commands for the Model Context Protocol. */
function addMcp(program: Command): void {
  const mcp = withTelemetry(withSettings(program.command('mcp')))
    .description('serve the workflows as MCP tools to the program at the other end of standard input and output')
    .option('--db <file>', 'database of the runs', databaseFile, defaultDb)
    .action(async (flags: CommonFlags & Settings) => {
      const { serveMcp } = await import('../mcp.ts');
      await serveMcp(flags);
    });
  withCommon(mcp.command('accept'))
    .description('accept tools of an MCP server that have changed, and show how')
    .argument('<server>', 'as --mcp names it: [NAME=]URL or [NAME=]COMMAND')
    .argument('[tools...]', 'default: all of them')
    .action(async (server: string, tools: readonly string[], _: object, command: Command) => {
      const { acceptTools } = await import('../mcp.ts');
      await acceptTools(server, tools, command.optsWithGlobals<CommonFlags>());
    });
}

/** Commands for the memories about users. */
function addMemory(program: Command): void {
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

/** Commands that start servers and workers. */
function addServing(program: Command, { exit }: Session): void {
  withServer(program.command('serve'))
    .description('serve the workflows to programs and to a browser: prints one address')
    .action(async (flags: ServeFlags) => {
      const { serve } = await import('../serve.ts');
      exit(await serve(flags));
    });

  withServer(program.command('studio'))
    .description('serve the workflows and open the studio in the browser')
    .action(async (flags: ServeFlags) => {
      const { serve } = await import('../serve.ts');
      exit(await serve({ ...flags, open: true }));
    });
}

const withServer = (command: Command): Command =>
  withAcceptance(withTelemetry(withSettings(command)))
    .option('--db <file>', 'database of the runs', databaseFile, defaultDb)
    .option('--app <file>', 'serve the workflows of a module of yours, its default export, instead of those of the package')
    .option('--watch', 'load --app again when one of its files has changed; runs in flight go on')
    .option('--port <number>', '0: one that is free (default: 4680, or one that is free)', toPort)
    .option(
      '--host <address>',
      'address to listen on; others than this machine can come in by it, so it needs --token (default: 127.0.0.1)',
    )
    .option('--name <host:port...>', 'more names that the server goes by, as a proxy in front of it tells them')
    .option('--token <text>', 'what clients send as Authorization: Bearer (default: a new one at each start)')
    .option('--concurrency <number>', 'how many runs of others it goes on with at a time', toCount, 8)
    .option('--max-running <number>', 'how many runs may be at work at the same time; more are refused', toCount, 4)
    .option('--max-starts <number>', 'how many runs a client may start in a minute', toMany, 10)
    .option('--max-changes <number>', 'how many requests that change something a client may send in a minute', toMany, 60)
    .option('--max-threads <number>', 'how many conversations there may be', toMany, 1_000)
    .option('--max-documents <MiB>', 'how large the documents that were given may be together', toMany, 50)
    .option('--drain <seconds>', 'how long it waits for runs when it is stopped', toCount, 10)
    .option('--json', 'its address as one line of JSON');

/** Commands that verify a workflow. */
function addVerifying(program: Command, { exit }: Session): void {
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
