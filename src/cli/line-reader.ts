import { createInterface } from 'node:readline/promises';

export interface TerminalStreams {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

/** Questions are on standard error, because standard output is data. */
export const terminalStreams: TerminalStreams = { input: process.stdin, output: process.stderr };

/** Asks for lines at a terminal. */
export interface LineReader {
  /** Returns the line, or `undefined` when the input has ended or Ctrl-C was pressed. */
  ask(question: string): Promise<string | undefined>;
  close(): void;
}

export function createLineReader({ input, output }: TerminalStreams = terminalStreams): LineReader {
  const terminal = createInterface({ input, output });
  // without this handler the question would reject; closing is deferred, because input paused during a read would resume
  terminal.on('SIGINT', () => setImmediate(() => terminal.close()));
  let isOpen = true;
  const ended = new Promise<undefined>((resolve) => {
    terminal.once('close', () => {
      isOpen = false;
      resolve(undefined);
    });
  });
  return {
    ask: async (question) => (isOpen ? Promise.race([terminal.question(question), ended]) : undefined),
    close: () => terminal.close(),
  };
}
