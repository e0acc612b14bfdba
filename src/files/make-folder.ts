import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder and those above it that are missing, one after the other: all at once, Node never ends where none can be made, as in /proc.
 *
 * @param mode of each folder that it makes, before the umask. Default: 0o777, for everybody; 0o700 for what holds private data.
 * @throws what the system says.
 */
export function makeFolder(folder: string, mode = 0o777): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder), mode);
  try {
    mkdirSync(folder, { mode });
  } catch (cause) {
    if (!existsSync(folder)) throw cause; // another process was faster
  }
}
