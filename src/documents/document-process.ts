// The program of the process that reads a document of a format that is work to take apart. Its main thread only watches: the thread that
// reads may be busy for ever, and would not see that nobody waits any more.
import { flushCompileCache } from 'node:module';
import { extname } from 'node:path';
import process from 'node:process';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { toErrorInfo, WorkflowError } from '../errors.ts';
import type { ErrorInfo } from '../ports/error-info.ts';
import { documentTooLarge } from './document-errors.ts';
import type { DocumentFile } from './document-file.ts';
import type { ReadText } from './read-text.ts';

/** What the process is sent. */
export interface ProcessFile extends Omit<DocumentFile, 'signal'> {
  readonly maxTextLength: number;
  readonly maxHeapMb: number;
}

/** What the process says. Where memory ends, it may also die without a word. */
export type ProcessAnswer =
  | ReadText
  | { readonly refused: ErrorInfo }
  | { readonly failed: 'memory' }
  | { readonly failed: 'error'; readonly message: string };

function watch(): void {
  const end = (): void => void process.kill(process.pid, 'SIGKILL');
  // and stays: it could be gone before its answer is read
  const say = (answer: ProcessAnswer): void => {
    flushCompileCache(); // it is killed, not ended
    process.send?.(answer);
  };
  process.on('SIGINT', () => {}); // Ctrl-C is for whoever asked
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
    // before it is sent: a text of hundreds of megabytes would be copied to who asked
    if (found.text.length > file.maxTextLength)
      throw documentTooLarge(file.name, `has more than ${file.maxTextLength} characters`, 'Split it.');
    return found;
  } catch (error) {
    if (!WorkflowError.isInstance(error)) throw error;
    return { refused: toErrorInfo(error) };
  }
}

/** Loads the reader of its format alone, and only here: who watches needs none, and both would have taken as long as to read. */
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
