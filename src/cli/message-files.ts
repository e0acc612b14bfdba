import { basename } from 'node:path';
import { messageOf } from '../core/errors/message-of.ts';
import { readRegularFile, withOpenFile } from '../core/node/files/read-regular-file.ts';
import type { MessageFile } from '../index.ts';
import { UsageError } from './usage-error.ts';

/** Maximum total size of a message's files in bytes, equal to the workflows' limit. */
const maxBytes = 4_000_000;

/** Magic numbers of the supported file types. File name extensions are not reliable. */
const kinds: readonly (readonly [mediaType: string, begins: RegExp])[] = [
  ['image/png', /^\x89PNG\r\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF[\s\S]{4}WEBP/],
  ['application/pdf', /^[\s\S]{0,1000}%PDF-/],
  ['audio/wav', /^RIFF[\s\S]{4}WAVE/],
  ['audio/mpeg', /^(?:ID3|\xff[\xe2-\xff])/],
];

/** Reads the files of `--file`. @throws {UsageError} for an unreadable file, or a type that no model supports. */
export async function messageFiles(paths: readonly string[] = []): Promise<readonly MessageFile[]> {
  let left = maxBytes;
  const files: MessageFile[] = [];
  for (const path of paths) {
    const bytes = await readBytes(path, left);
    left -= bytes.length;
    const start = Buffer.from(bytes.subarray(0, 1_100)).toString('latin1');
    const mediaType = kinds.find(([, begins]) => begins.test(start))?.[0];
    if (mediaType === undefined) {
      throw new UsageError(
        `--file ${path} is not a PNG, JPEG, GIF, WebP, PDF, WAV or MP3 file. Use --docs DIR to search text, --contract FILE for a contract.`,
      );
    }
    files.push({ mediaType, data: Buffer.from(bytes).toString('base64'), name: basename(path) });
  }
  return files;
}

async function readBytes(path: string, most: number): Promise<Uint8Array> {
  let file: Awaited<ReturnType<typeof readRegularFile>>;
  try {
    file = await withOpenFile(path, (open) => readRegularFile(open, { maxBytes: most }));
  } catch (error) {
    throw new UsageError(`--file ${path} cannot be read: ${messageOf(error)}.`);
  }
  if (file.kind === 'irregular') throw new UsageError(`--file ${path} is not a regular file.`);
  if (file.kind === 'large') throw new UsageError(`--file ${path} is too large. A message may have ${maxBytes} bytes of files.`);
  return file.bytes;
}
