// A process that runs one command after the other, as if each had a process of its own: its folder, environment, input, outputs and exit
// code. It ends with the process that started it. What a command does to its process, only one of its own shows: `ownProcess`.
import { Readable } from 'node:stream';
import { main } from '../../src/cli/main.ts';

/** What the process is sent. */
export interface TypedCommand {
  /** What is typed behind the name of Node and its flags: the program, then its arguments. */
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** All of its standard input. */
  readonly input: string;
  /** It is typed at a terminal of this width, for all that it can tell. Absent: into pipes. */
  readonly columns?: number;
}

export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function run({ args, cwd, env, input, columns }: TypedCommand): Promise<Finished> {
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) if (env[name] === undefined) delete process.env[name];
  Object.assign(process.env, env);
  process.argv = [process.execPath, ...args];
  process.exitCode = undefined;
  Object.defineProperty(process, 'stdin', { configurable: true, value: Readable.from(input === '' ? [] : [Buffer.from(input)]) });
  const [stdout, stderr] = [caught(process.stdout), caught(process.stderr)];
  for (const stream of [process.stdin, process.stdout, process.stderr]) {
    Object.assign(stream, {
      isTTY: columns === undefined ? undefined : true,
      columns,
      getColorDepth: columns === undefined ? undefined : () => 1,
    });
  }
  try {
    await main(process.argv);
  } finally {
    process.chdir('/'); // the folder may go
  }
  return { code: Number(process.exitCode ?? 0), signal: null, stdout: stdout.end(), stderr: stderr.end() };
}

/** Keeps what is written to a stream. */
function caught(stream: NodeJS.WriteStream): { end(): string } {
  const { write } = stream;
  const listeners = stream.listeners('error');
  const chunks: Buffer[] = [];
  stream.write = (chunk: string | Uint8Array, encoding?: BufferEncoding | ((error?: Error) => void), then?: (error?: Error) => void) => {
    chunks.push(typeof chunk === 'string' ? Buffer.from(chunk, typeof encoding === 'string' ? encoding : 'utf8') : Buffer.from(chunk));
    const done = typeof encoding === 'function' ? encoding : then;
    if (done) process.nextTick(done);
    return true;
  };
  return {
    end() {
      stream.write = write;
      for (const listener of stream.listeners('error')) {
        if (!listeners.includes(listener)) stream.off('error', listener as (error: Error) => void);
      }
      return Buffer.concat(chunks).toString('utf8');
    },
  };
}

process.on('disconnect', () => process.exit());
process.on('message', (typed: TypedCommand) => void run(typed).then((finished) => process.send?.(finished)));
