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

/** What a command is given beside its flags. */
export interface Session {
  /** Sets the exit code, unless a signal has set another. */
  exit(code: number): void;
  /** Standard output has lost its reader. */
  readonly closed: AbortSignal;
}

/** The command line: what can be typed. What a command does is loaded when it is typed. */
export function createProgram(session: Session, json: boolean): Command {
  const program = new Command('agent-machines')
    .description('LLM agent workflows as explicit state machines. Without OPENAI_API_KEY or --base-url, rules answer instead of a model.')
    .option('-V, --version', 'output the version number') // not `version`: it wants the number at once, and finding that is dear
    .on('option:version', sayVersion)
    .exitOverride()
    .configureOutput(json ? { writeErr: () => {} } : {}) // an error is a line of JSON
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

/** @throws {CommanderError} which ends the program, as that of `--help` does. */
function sayVersion(): never {
  const version = packageVersion();
  process.stdout.write(`${version}\n`);
  throw new CommanderError(0, 'commander.version', version);
}

function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL(import.meta.resolve('agent-machines/package.json')), 'utf8')) as { version: string };
  return version;
}
