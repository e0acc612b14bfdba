import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { WorkflowError } from '../errors.ts';
import { documentTooLarge, invalidDocument } from './document-errors.ts';

/** The bytes of an ordinary file of at most `maxBytes`. */
export async function readDocumentFile(path: string, maxBytes: number, signal?: AbortSignal): Promise<Uint8Array> {
  signal?.throwIfAborted();
  try {
    // without O_NONBLOCK, opening a named pipe would wait for a writer
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stats = await file.stat();
      if (!stats.isFile()) throw notRegular(path);
      if (stats.size > maxBytes)
        throw documentTooLarge(path, `is larger than ${maxBytes} bytes`, 'Give a smaller file, or raise maxBytes.');
      const bytes = new Uint8Array(stats.size + 1);
      let length = 0;
      for (let read = -1; read !== 0 && length < bytes.length; length += read) {
        signal?.throwIfAborted();
        read = (await file.read(bytes, length)).bytesRead;
      }
      if (length !== stats.size) throw invalidDocument(path, 'changed while it was read', 'Try again.');
      return bytes.subarray(0, length);
    } finally {
      await file.close();
    }
  } catch (error) {
    const reason = error instanceof Error && 'syscall' in error && 'code' in error ? String(error.code) : undefined;
    if (reason === undefined) throw error;
    throw fromSystem(path, reason, error);
  }
}

function fromSystem(path: string, reason: string, cause: unknown): WorkflowError {
  if (['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP'].includes(reason)) {
    return new WorkflowError({ code: 'FILE_NOT_FOUND', message: `There is no file "${path}".`, hint: 'Check the path.', cause });
  }
  if (['EISDIR', 'ENXIO', 'ENODEV'].includes(reason)) return notRegular(path, cause);
  return invalidDocument(path, `cannot be read (${reason})`, 'Check who may read it.', cause);
}

const notRegular = (path: string, cause?: unknown): WorkflowError =>
  new WorkflowError({ code: 'FILE_NOT_REGULAR', message: `"${path}" is not an ordinary file.`, hint: 'Give the path of a file.', cause });
