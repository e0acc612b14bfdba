import { WorkflowError } from '../../core/errors/errors.ts';
import { readRegularFile, withOpenFile } from '../../core/node/files/read-regular-file.ts';
import { fileProblem, systemCode } from '../../core/node/files/system-code.ts';
import { documentTooLarge, invalidDocument } from './document-errors.ts';

/** Returns the bytes of a regular file of at most `maxBytes`. */
export async function readDocumentFile(path: string, maxBytes: number, signal?: AbortSignal): Promise<Uint8Array> {
  signal?.throwIfAborted();
  try {
    const read = await withOpenFile(path, (file) => readRegularFile(file, { maxBytes, signal }));
    if (read.kind === 'irregular') throw notRegular(path);
    if (read.kind === 'large') throw documentTooLarge(path, `is larger than ${maxBytes} bytes`, 'Use a smaller file, or raise maxBytes.');
    if (read.hasChanged) throw invalidDocument(path, 'changed while it was read', 'Retry.');
    return read.bytes;
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    throw fromSystem(path, code, error);
  }
}

function fromSystem(path: string, code: string, cause: unknown): WorkflowError {
  const problem = fileProblem(code);
  if (problem === 'missing') {
    return new WorkflowError({ code: 'FILE_NOT_FOUND', message: `The file "${path}" does not exist.`, hint: 'Check the path.', cause });
  }
  if (problem === 'irregular') return notRegular(path, cause);
  return invalidDocument(path, `cannot be read (${code})`, 'Check its permissions.', cause);
}

const notRegular = (path: string, cause?: unknown): WorkflowError =>
  new WorkflowError({
    code: 'FILE_NOT_REGULAR',
    message: `"${path}" is not a regular file.`,
    hint: 'Pass the path of a regular file.',
    cause,
  });
