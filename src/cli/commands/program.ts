import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { programName } from '../program-name.ts';
import { addContinuing } from './continuing.ts';
import { addLooking } from './looking.ts';
import { addMcp } from './mcp.ts';
import { addMemory } from './memory.ts';
import { addServing } from './serving.ts';
import { addStarting } from './starting.ts';
import { addUpkeep } from './upkeep.ts';
import { addVerifying } from './verifying.ts';

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
