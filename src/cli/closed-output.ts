import { exitCodes } from './exit-codes.ts';

/**
 * Returns a signal that aborts when standard output is closed. The run continues, because its journal is the result that counts.
 *
 * A reader that stops reading (`… | head`) is no error. Any other reason, such as a full disk, is reported once on standard error, and the
 * command ends with exit code 1.
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
    if (error.code !== 'EPIPE') process.exitCode = exitCodes.failed; // standard error is gone, so the reason cannot be printed
  });
  return closed.signal;
}
