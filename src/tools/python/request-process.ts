import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { childEnvironment } from '../../core/util/child-environment.ts';

export interface ProcessRequest {
  /** Module of the process: reads a line of JSON, writes one line when it has started, writes its answer as another, and exits. */
  readonly program: URL;
  readonly request: object;
  /** Time limit of the start, in milliseconds. */
  readonly startTimeoutMs: number;
  /** Time limit of the answer after the start, in milliseconds. */
  readonly timeoutMs: number;
  /** Maximum length of the answer, in characters. */
  readonly maxAnswerChars: number;
  readonly signal?: AbortSignal;
}

/** Last line that a process has written, or the reason for its absence. */
export type ProcessAnswer =
  | { readonly kind: 'answered'; readonly line: string }
  | { readonly kind: 'timed-out'; readonly begun: boolean }
  | { readonly kind: 'died'; readonly reason: string };

/**
 * Sends one request to a new process. The process has ended once this settles.
 * @throws the reason of an abort.
 */
export async function requestProcess(options: ProcessRequest): Promise<ProcessAnswer> {
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
    const onAbort = (): void => stop({ kind: 'died', reason: 'aborted' });
    let timer = setTimeout(onTimeout, startTimeoutMs);
    signal?.addEventListener('abort', onAbort, { once: true });

    child.stdin.on('error', () => {}); // the process died before the request: `close` reports how
    child.stdin.write(`${JSON.stringify(request)}\n`); // stdin stays open: its end tells the child that the caller has gone
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      chunks.push(chunk);
      chars += chunk.length;
      if (chars > maxAnswerChars) stop({ kind: 'died', reason: 'its answer is too long' });
      if (begun || !chunk.includes('\n')) return;
      begun = true;
      clearTimeout(timer);
      timer = setTimeout(onTimeout, timeoutMs);
    });
    child.on('error', (cause) => settle({ kind: 'died', reason: cause.message }));
    child.on('close', (code, killedBy) => {
      const line = chunks.join('').split('\n').at(-2); // after the last line break there is nothing, or a cut-off line
      if (stopped) settle(stopped);
      else settle(line === undefined ? { kind: 'died', reason: killedBy ?? `exit code ${code}` } : { kind: 'answered', line });
    });

    function settle(answer: ProcessAnswer): void {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      if (signal?.aborted) reject(signal.reason);
      else resolve(answer);
    }
  });
}
