import { fork } from 'node:child_process';
import { type ErrorCode, WorkflowError } from '../../core/errors/errors.ts';
import { childEnvironment } from '../../core/util/child-environment.ts';
import { documentTooLarge, invalidDocument } from './document-errors.ts';
import type { DocumentFile } from './document-file.ts';
import type { ProcessAnswer, ProcessFile } from './document-process.ts';
import type { ReadText } from './read-text.ts';

export interface ReadInProcessOptions extends DocumentFile {
  readonly maxTextLength: number;
  /** Time limit of the process, in milliseconds. @default 60_000 */
  readonly timeoutMs?: number;
  /** Memory limit of the reader, in MB. @default 2_048 */
  readonly maxHeapMb?: number;
}

// the build rewrites import specifiers, but not this URL
const program = new URL(import.meta.url.endsWith('.ts') ? './document-process.ts' : './document-process.js', import.meta.url);

/**
 * Reads a file of a complex format in a separate process, which has exited when this settles. A small file can keep its reader busy
 * forever, so that no timer and no signal gets through. It can also fill the memory, which ends a process despite any `catch`.
 */
export async function readInProcess(options: ReadInProcessOptions): Promise<ReadText> {
  const { name, bytes, maxTextLength, signal, timeoutMs = 60_000, maxHeapMb = 2_048 } = options;
  signal?.throwIfAborted();
  // Decision 25: neither a timer nor a worker thread can stop every parser.
  const child = fork(program, {
    serialization: 'advanced',
    env: childEnvironment(process.env),
    execArgv: [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const exit = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  let timer: NodeJS.Timeout | undefined;
  let stop: (() => void) | undefined;
  try {
    const answer = await new Promise<ProcessAnswer>((resolve, reject) => {
      timer = setTimeout(() => reject(tooExpensive(name, `${timeoutMs} ms`)), timeoutMs);
      stop = () => reject(signal?.reason);
      signal?.addEventListener('abort', stop, { once: true });
      child.once('message', (said) => resolve(said as ProcessAnswer));
      child.on('error', (cause) => reject(unreadable(name, cause)));
      child.once('exit', (code, killedBy) => {
        const isOutOfMemory = killedBy === 'SIGABRT' || code === 134;
        resolve(isOutOfMemory ? { failed: 'memory' } : { failed: 'error', message: killedBy ?? `exit code ${code}` });
      });
      const file: ProcessFile = { name, bytes, maxTextLength, maxHeapMb };
      child.send(file, (cause) => cause && reject(unreadable(name, cause)));
    });
    if ('text' in answer) return answer;
    if ('failed' in answer)
      throw answer.failed === 'memory' ? tooExpensive(name, `${maxHeapMb} MB of memory`) : unreadable(name, answer.message);
    const { code, message, hint = '' } = answer.refused;
    throw new WorkflowError({ code: code as ErrorCode, message, hint });
  } finally {
    clearTimeout(timer);
    if (stop) signal?.removeEventListener('abort', stop);
    child.kill('SIGKILL');
    await exit;
  }
}

const tooExpensive = (name: string, what: string) =>
  documentTooLarge(name, `takes more than ${what} to read`, 'Save it again, or split it.');

const unreadable = (name: string, cause: unknown) => invalidDocument(name, 'cannot be read', 'Save it again.', cause);
