import { constants, type FileHandle, open } from 'node:fs/promises';

export interface OpenOptions {
  /** False refuses (`ELOOP`) a path that is a link itself. @default true */
  readonly followLinks?: boolean;
}

/** Opens a file for reading and closes it afterwards. Opening never blocks; a named pipe would otherwise wait for a writer. */
export async function withOpenFile<T>(
  path: string,
  use: (file: FileHandle) => T | Promise<T>,
  { followLinks = true }: OpenOptions = {},
): Promise<T> {
  const links = followLinks ? 0 : constants.O_NOFOLLOW;
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY | links);
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

export interface ReadRegularFileOptions {
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

export type RegularFile =
  /** `hasChanged`: the size changed during the read. */
  | { readonly kind: 'read'; readonly bytes: Uint8Array; readonly hasChanged: boolean }
  /** A folder, a device, a pipe, a socket, or a file of the system, such as those of `/proc`. */
  | { readonly kind: 'irregular' }
  | { readonly kind: 'large' };

/** Reads an open regular file, up to `maxBytes` even if the file grows meanwhile. */
export async function readRegularFile(file: FileHandle, { maxBytes, signal }: ReadRegularFileOptions): Promise<RegularFile> {
  const stat = await file.stat();
  if (!stat.isFile()) return { kind: 'irregular' };
  if (stat.size > maxBytes) return { kind: 'large' };
  const chunks: Uint8Array[] = [];
  let totalBytes = 0;
  while (totalBytes <= maxBytes) {
    signal?.throwIfAborted();
    const chunk = Buffer.alloc(Math.min(65_536, maxBytes + 1 - totalBytes));
    const { bytesRead } = await file.read(chunk);
    if (bytesRead === 0) return { kind: 'read', bytes: Buffer.concat(chunks), hasChanged: totalBytes !== stat.size };
    // the files of /proc call themselves regular and empty
    if (stat.size === 0) return { kind: 'irregular' };
    chunks.push(chunk.subarray(0, bytesRead));
    totalBytes += bytesRead;
  }
  return { kind: 'large' };
}
