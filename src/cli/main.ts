import type { Command } from 'commander';
import { createProgram } from './commands/program.ts';
import { useKeyFile } from './database-key.ts';
import type { HintContext } from './error-hints.ts';
import { exitCodes } from './exit-codes.ts';
import { type CommonFlags, dbFlag, type TelemetryFlags } from './flags.ts';
import { programName } from './program-name.ts';
import { reportError } from './report-error.ts';
import { shellWord } from './shell-words.ts';
import type { Telemetry } from './telemetry.ts';

/** Commands that send metrics, beside spans. */
const measuring: ReadonlySet<string> = new Set(['work', 'serve', 'studio']);

/** Runs the command line and sets the exit code. */
export async function main(argv: readonly string[]): Promise<void> {
  const json = argv.slice(2, argv.includes('--') ? argv.indexOf('--') : undefined).includes('--json');
  let chosen: Command | undefined;
  let telemetry: Telemetry | undefined;
  const exit = (code: number): void => {
    process.exitCode ??= code;
  };
  const program = createProgram({ exit, closed: outputClosed() }, json).hook('preAction', async (_, command) => {
    chosen = command;
    useKeyFile(command.optsWithGlobals<{ readonly keyFile?: string }>().keyFile);
    if (!command.options.some(({ long }) => long === '--otel')) return;
    const { startTelemetry } = await import('./telemetry.ts');
    telemetry = await startTelemetry({ ...command.opts<TelemetryFlags>(), measures: measuring.has(command.name()) });
  });
  const help = helpLine(program, argv.slice(2));
  try {
    await program.parseAsync([...argv]);
  } catch (error) {
    process.exitCode = reportError(error, json, { ...contextOf(chosen), help });
  }
  const isClosed = await telemetry?.close();
  if (isClosed === false) process.stdout.write('', () => process.exit()); // pending exports of spans would keep the process alive
}

/** Help command for a wrong command line: the help of the deepest command that was recognized. */
function helpLine(program: Command, words: readonly string[]): string {
  let command = program;
  const path: string[] = [];
  for (const word of words) {
    const next = command.commands.find((one) => one.name() === word);
    if (!next) break;
    path.push(word);
    command = next;
  }
  const line = `Try: ${[programName(), ...path, '--help'].join(' ')}`;
  command.showHelpAfterError(line);
  return line;
}

function contextOf(command: Command | undefined): HintContext {
  const { db } = command?.optsWithGlobals<Partial<CommonFlags>>() ?? {};
  const runId = command?.registeredArguments[0]?.name() === 'run' ? command.args[0] : undefined;
  const checksFiles = command?.name() === 'review' ? { checksFiles: true } : {};
  return {
    ...checksFiles,
    ...(db === undefined ? {} : { dbFlag: dbFlag({ db }) }),
    ...(runId === undefined ? {} : { runId: shellWord(runId) }),
  };
}

/**
 * Returns a signal that aborts when standard output is closed. The run continues, because its journal is the result that counts.
 *
 * A reader that stops reading (`… | head`) is no error. Any other reason, such as a full disk, is reported once on standard error, and the
 * command ends with exit code 1.
 */
function outputClosed(): AbortSignal {
  const closed = new AbortController();
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && !closed.signal.aborted) {
      process.stderr.write(`Cannot write to standard output: ${error.message}.\n`);
      process.exitCode = exitCodes.failed;
    }
    closed.abort();
  });
  process.stderr.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') process.exitCode = exitCodes.failed; // standard error is gone, so the reason cannot be printed
  });
  return closed.signal;
}
