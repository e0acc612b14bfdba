import type { BigIntStats } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';

/** Maximum number of entries searched. Larger folders are rejected, because each read of a linked file would search all of them. */
const maxEntries = 20_000;

/**
 * Finds all names below `root` of a file with hard links, each split into its parts. Returns `undefined` if some names are elsewhere, or if
 * the folder is too large.
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
    const open = await opendir(folder).catch(() => undefined); // an unreadable folder may contain a name, which then counts as missing
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
