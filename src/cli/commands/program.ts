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
import type { MutateFlags } from '../mutate.ts';
import { readOwnManifest } from '../own-manifest.ts';
import { programName } from '../program-name.ts';
import type { ServeFlags } from '../serving.ts';
import type { Settings } from '../settings.ts';
import type { VerifyFlags } from '../verify.ts';
import { wholeNumber } from '../whole-number.ts';
import { addDatabaseCommands } from './database-commands.ts';
import { addEval } from './eval-command.ts';
import { addResumeCommands } from './resume-commands.ts';
import { addScheduleCommands } from './schedule-commands.ts';
import { addStartCommands } from './start-commands.ts';
import { addViewCommands } from './view-commands.ts';

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
    .option('-V, --version', 'print the version number') // not `version`, which needs the number at once; reading it is slow
    .on('option:version', printVersion)
    .option('--key-file <file>', 'keys that encrypt the database, the newest first (default: AGENT_MACHINES_KEY)')
    .option('--verbose', 'print whole stack traces, also those of errors with a code')
    .exitOverride()
    .configureOutput(json ? { writeErr: () => {} } : {}) // errors are printed as a line of JSON
    .showHelpAfterError(`Try: ${programName()} --help`)
    .configureHelp({ sortSubcommands: false });
  addStartCommands(program, session);
  addMemory(program);
  addServing(program, session);
  addResumeCommands(program, session);
  addScheduleCommands(program);
  addViewCommands(program, session);
  addDatabaseCommands(program, session);
  addVerifying(program, session);
  addEval(program, session);
  addMcp(program);
  return program;
}

/** @throws {CommanderError} which ends the program, like `--help`. */
function printVersion(): never {
  const { version } = readOwnManifest();
  process.stdout.write(`${version}\n`);
  throw new CommanderError(0, 'commander.version', version);
}

function addMcp(program: Command): void {
  const mcp = withTelemetry(withSettings(program.command('mcp')))
    .description('serve the workflows as MCP tools over standard input and output')
    .option('--db <file>', 'database of the runs', databaseFile, defaultDb)
    .action(async (flags: CommonFlags & Settings) => {
      const { serveMcp } = await import('../mcp.ts');
      await serveMcp(flags);
    });
  withCommon(mcp.command('accept'))
    .description('accept changed tools of an MCP server, and show the changes')
    .argument('<server>', 'server as in --mcp: [NAME=]URL or [NAME=]COMMAND')
    .argument('[tools...]', 'names (default: all)')
    .action(async (server: string, tools: readonly string[], _: object, command: Command) => {
      const { acceptTools } = await import('../mcp.ts');
      await acceptTools(server, tools, command.optsWithGlobals<CommonFlags>());
    });
}

function addMemory(program: Command): void {
  const memory = program.command('memory').description('memories of a user across conversations');
  withUser(memory.command('list'))
    .description('list them, newest first')
    .option('--json', 'one JSON object per line')
    .action(async (flags: UserFlags & { readonly json?: boolean }) => {
      const { listMemories } = await import('../memories.ts');
      await listMemories(flags);
    });
  withUser(memory.command('forget'))
    .description('delete some or all of them')
    .argument('[ids...]', 'ids of `memory list`')
    .option('--all', 'all memories of this user')
    .action(async (ids: readonly string[], flags: UserFlags & { readonly all?: boolean }) => {
      const { forgetMemories } = await import('../memories.ts');
      await forgetMemories(ids, flags);
    });
  withUser(memory.command('release'))
    .description('let later runs read held memories')
    .argument('[ids...]', 'ids of `memory list`')
    .option('--all', 'all held memories of this user')
    .action(async (ids: readonly string[], flags: UserFlags & { readonly all?: boolean }) => {
      const { releaseMemories } = await import('../memories.ts');
      await releaseMemories(ids, flags);
    });
}

function addServing(program: Command, { exit }: Session): void {
  withServer(program.command('serve'))
    .description('serve the workflows to programs and to a browser, and print the address')
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
    .option('--app <file>', 'module whose default export has the workflows to serve (default: those of the package)')
    .option('--watch', 'reload --app when one of its files changes; runs in flight continue')
    .option('--evals <folder>', 'folder of reports that `eval --json` has written, for the studio (default: none)')
    .option('--port <number>', 'port; 0 is a free one (default: 4680, or a free one)', toPort)
    .option('--host <address>', "address to listen on; any but this machine's own needs --token (default: 127.0.0.1)")
    .option('--name <host:port...>', 'more host names of the server, for example those of a proxy')
    .option('--address-header <name>', "header in which a proxy sends the client's address, such as x-real-ip")
    .option('--token <text>', 'token of the header Authorization: Bearer (default: AGENT_MACHINES_TOKEN, or a new one at each start)')
    .option('--concurrency <number>', 'maximum number of other runs to resume at a time', toCount, 8)
    .option('--max-running <number>', 'maximum number of runs in progress; more are rejected (default: 4)', toCount)
    .option('--max-starts <number>', 'maximum number of runs a client may start per minute (default: 10)', toMany)
    .option('--max-changes <number>', 'maximum number of changing requests per client and minute (default: 60)', toMany)
    .option('--max-threads <number>', 'maximum number of conversations (default: 1000)', toMany)
    .option('--max-documents <MiB>', 'maximum size of all uploaded documents (default: 50)', toMany)
    .option('--limit <name=number...>', 'any limit of the server by its name, such as streams.perTenant=50')
    .option('--drain <seconds>', 'seconds to wait for runs when stopped', toCount, 10)
    .option('--json', 'print its address as one line of JSON');

function addVerifying(program: Command, { exit }: Session): void {
  program
    .command('verify')
    .description('explore all states of a workflow, and check its promises')
    .argument('<workflow>', 'name, or FILE or FILE#export; `invariants` and `exploreOptions` of the file apply')
    .option('--json', 'one object of JSON on standard output')
    .option('--svg <file>', 'draw the machine, with the path of the first counterexample')
    .option('--allow-undecided', 'exit with 0 although a check is neither proven nor broken')
    .action(async (name: string, flags: VerifyFlags) => {
      const { verify } = await import('../verify.ts');
      exit(await verify(name, flags));
    });

  program
    .command('mutate')
    .description("run a project's test against its workflow with one wrong part, once for each possible fault")
    .argument('<file>', 'file that exports the workflow: FILE or FILE#export')
    .option('--test <command>', 'command of the test (default: the script `test` of package.json)')
    .option('--min <percent>', 'smallest percentage of detected mutants for exit code 0', wholeNumber(0, 100), 95)
    .option('--concurrency <number>', 'number of tests that run at a time', toCount, 1)
    .option('--time-limit <seconds>', 'time limit of a test (default: 10 times that of the test without a mutant, at least 20)', toCount)
    .option('--json', 'one object of JSON on standard output')
    .action(async (file: string, flags: MutateFlags) => {
      const { mutate } = await import('../mutate.ts');
      exit(await mutate(file, flags));
    });
}
