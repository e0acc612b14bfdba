// The program of the process that reads documents of complex formats. Its main thread only watches: the reading thread may be busy forever,
// and would not notice a disconnect.
import { flushCompileCache } from 'node:module';
import { extname } from 'node:path';
import process from 'node:process';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { toErrorInfo, WorkflowError } from '../../core/errors/errors.ts';
import type { ErrorInfo } from '../../core/ports/error-info.ts';
import { documentTooLarge } from './document-errors.ts';
import type { DocumentFile } from './document-file.ts';
import type { ReadText } from './read-text.ts';

/** The input of the process. */
export interface ProcessFile extends Omit<DocumentFile, 'signal'> {
  readonly maxTextLength: number;
  readonly maxHeapMb: number;
}

/** The answer of the process. Without memory it may also exit without an answer. */
export type ProcessAnswer =
  | ReadText
  | { readonly refused: ErrorInfo }
  | { readonly failed: 'memory' }
  | { readonly failed: 'error'; readonly message: string };

function watch(): void {
  const end = (): void => void process.kill(process.pid, 'SIGKILL');
  // the process stays alive: otherwise it could exit before its answer is read
  const say = (answer: ProcessAnswer): void => {
    flushCompileCache(); // needed because the process is killed and never exits normally
    process.send?.(answer);
  };
  process.on('SIGINT', () => {}); // Ctrl-C is for the parent process
  process.once('disconnect', end);
  process.once('message', (file: ProcessFile) => {
    const reader = new Worker(new URL(import.meta.url), { workerData: file, resourceLimits: { maxOldGenerationSizeMb: file.maxHeapMb } });
    reader.once('message', say);
    reader.once('error', (error: Error & { readonly code?: unknown }) =>
      say(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? { failed: 'memory' } : { failed: 'error', message: String(error) }),
    );
  });
}

async function read(file: ProcessFile): Promise<ProcessAnswer> {
  try {
    const found = await readText(file);
    // before sending, so no text of hundreds of megabytes is copied to the parent process
    if (found.text.length > file.maxTextLength)
      throw documentTooLarge(file.name, `has more than ${file.maxTextLength} characters`, 'Split it.');
    return found;
  } catch (error) {
    if (!WorkflowError.isInstance(error)) throw error;
    return { refused: toErrorInfo(error) };
  }
}

/**
 * Loads only the reader for the file's format, and only in this thread. The watching thread needs none, and loading all takes as long as
 * reading.
 */
async function readText(file: ProcessFile): Promise<ReadText> {
  const ending = extname(file.name).toLowerCase();
  if (ending === '.pdf') {
    const { loadPdf } = await import('./pdf/load-pdf.ts');
    return { text: await loadPdf(file), notices: [] };
  }
  if (ending === '.odt') return (await import('./odt/load-odt.ts')).loadOdt(file);
  if (ending === '.hwpx') return (await import('./hwpx/load-hwpx.ts')).loadHwpx(file);
  if (ending === '.rtf') return (await import('./rtf/load-rtf.ts')).loadRtf(file);
  if (ending === '.html' || ending === '.htm') return (await import('./html/load-html.ts')).loadHtml(file);
  const { loadDocx } = await import('./docx/load-docx.ts');
  return loadDocx(file);
}

if (isMainThread) watch();
else {
  const answer = await read(workerData as ProcessFile);
  flushCompileCache();
  parentPort?.postMessage(answer);
}
