import { exitCodes } from './exit-codes.ts';

/**
 * Returns a signal that aborts when standard output takes no more text. A run continues then: its journal is what counts.
 *
 * A reader that has stopped reading (`… | head`) is no error. Any other reason, such as a full disk, is reported once on standard error, and
 * the command ends with exit code 1.
 */
export function outputClosed(): AbortSignal {
  const closed = new AbortController();
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && !closed.signal.aborted) {
      process.stderr.write(`Cannot write to standard output: ${error.message}.\n`);
      process.exitCode = exitCodes.failed;
    }
    closed.abort();
  });
  process.stderr.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') process.exitCode = exitCodes.failed; // there is no place left to say why
  });
  return closed.signal;
}
