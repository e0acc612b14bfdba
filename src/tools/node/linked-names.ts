import type { BigIntStats } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';

/** More than that is not looked through: a folder of that size is not searched for one file at every read. */
const maxEntries = 20_000;

/**
 * All names below `root` of a file that has several (hard links), each as its parts; `undefined` if not all of them are there, or if the
 * folder is too large to tell.
 */
export async function linkedNames(
  root: string,
  { dev, ino, nlink }: BigIntStats,
  signal: AbortSignal,
): Promise<readonly string[][] | undefined> {
  const found: string[][] = [];
  const folders = [root];
  let entries = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const open = await opendir(folder).catch(() => undefined); // one that may not be read may have a name in it, which is then missing
    if (!open) continue;
    for await (const entry of open) {
      signal.throwIfAborted();
      if (++entries > maxEntries) return undefined;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(path);
      if (!entry.isFile()) continue;
      const stat = await lstat(path, { bigint: true }).catch(() => undefined);
      if (stat?.dev === dev && stat.ino === ino) found.push(relative(root, path).split(sep));
      if (BigInt(found.length) === nlink) return found;
    }
  }
  return undefined;
}
