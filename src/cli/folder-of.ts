import { type Stats, statSync } from 'node:fs';
import { UsageError } from './usage-error.ts';

/** Resolves the folder of an option. @throws {UsageError} when it is not a folder. */
export function folderOf(option: string, path: string): string {
  let found: Stats | undefined;
  try {
    found = statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw new UsageError(`${option} ${path} cannot be reached (${(error as NodeJS.ErrnoException).code}).`);
  }
  if (!found) throw new UsageError(`${option} ${path} does not exist.`);
  if (!found.isDirectory()) throw new UsageError(`${option} ${path} is not a folder.`);
  return path;
}
