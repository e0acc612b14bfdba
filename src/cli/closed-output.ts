/**
 * Who reads the output may stop reading (`… | head`): what is written after that goes nowhere, instead of ending the process in the
 * middle of a run. The signal says that standard output has lost its reader.
 */
export function outputClosed(): AbortSignal {
  const closed = new AbortController();
  const onError =
    (heed: () => void) =>
    (error: NodeJS.ErrnoException): void => {
      if (error.code !== 'EPIPE') throw error;
      heed();
    };
  process.stdout.on(
    'error',
    onError(() => closed.abort()),
  );
  process.stderr.on(
    'error',
    onError(() => {}),
  );
  return closed.signal;
}
