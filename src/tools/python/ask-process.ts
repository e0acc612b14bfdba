import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { childEnvironment } from '../../util/child-environment.ts';

export interface AskProcessOptions {
  /** A module that reads a line of JSON, says one line when it has begun, another one as its answer, and ends. */
  readonly program: URL;
  readonly request: object;
  /** How long it may take to begin, in milliseconds. */
  readonly startTimeoutMs: number;
  /** How long it may take from there, in milliseconds. */
  readonly timeoutMs: number;
  /** Longest answer that is read, in characters. */
  readonly maxAnswerChars: number;
  readonly signal?: AbortSignal;
}

/** The last line that a process has said, or why there is none. */
export type ProcessAnswer =
  | { readonly kind: 'said'; readonly line: string }
  | { readonly kind: 'timed-out'; readonly begun: boolean }
  | { readonly kind: 'died'; readonly how: string };

/**
 * Asks a process of its own one thing. When this settles, the process is gone.
 * @throws the reason of an abort.
 */
export async function askProcess(options: AskProcessOptions): Promise<ProcessAnswer> {
  const { program, request, startTimeoutMs, timeoutMs, maxAnswerChars, signal } = options;
  signal?.throwIfAborted();
  const child = spawn(process.execPath, [fileURLToPath(program)], {
    env: childEnvironment(process.env),
    stdio: ['pipe', 'pipe', 'ignore'],
    windowsHide: true,
  });

  return new Promise<ProcessAnswer>((resolve, reject) => {
    const chunks: string[] = [];
    let chars = 0;
    let begun = false;
    let stopped: ProcessAnswer | undefined;

    const stop = (why: ProcessAnswer): void => {
      stopped ??= why;
      child.kill('SIGKILL');
    };
    const onTimeout = (): void => stop({ kind: 'timed-out', begun });
    const onAbort = (): void => stop({ kind: 'died', how: 'aborted' });
    let timer = setTimeout(onTimeout, startTimeoutMs);
    signal?.addEventListener('abort', onAbort, { once: true });

    child.stdin.on('error', () => {}); // it has died before it was asked: `close` says how
    child.stdin.write(`${JSON.stringify(request)}\n`); // and stays open: at its end the child knows that nobody waits any more
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      chunks.push(chunk);
      chars += chunk.length;
      if (chars > maxAnswerChars) stop({ kind: 'died', how: 'its answer is too long' });
      if (begun || !chunk.includes('\n')) return;
      begun = true;
      clearTimeout(timer);
      timer = setTimeout(onTimeout, timeoutMs);
    });
    child.on('error', (cause) => settle({ kind: 'died', how: cause.message }));
    child.on('close', (code, killedBy) => {
      const line = chunks.join('').split('\n').at(-2); // behind the last one there is nothing, or what was cut off
      if (stopped) settle(stopped);
      else settle(line === undefined ? { kind: 'died', how: killedBy ?? `exit code ${code}` } : { kind: 'said', line });
    });

    function settle(answer: ProcessAnswer): void {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      if (signal?.aborted) reject(signal.reason);
      else resolve(answer);
    }
  });
}
