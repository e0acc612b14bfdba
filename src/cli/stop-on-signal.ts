import { exitCodes } from './exit-codes.ts';

/** Aborts on Ctrl-C or SIGTERM. A second signal ends the process at once. */
export function stopOnSignal(): { readonly signal: AbortSignal; end(): void } {
  const stopping = new AbortController();
  const stop = (signal: NodeJS.Signals): void => {
    if (stopping.signal.aborted) process.exit(signal === 'SIGTERM' ? 143 : exitCodes.interrupted);
    stopping.abort();
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  return {
    signal: stopping.signal,
    end() {
      process.off('SIGINT', stop);
      process.off('SIGTERM', stop);
    },
  };
}
