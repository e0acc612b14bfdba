import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder and its missing parents one at a time, because Node's recursive call hangs where none can be made, as in /proc.
 *
 * @param mode of each new folder, before the umask. Default: 0o777; use 0o700 for private data.
 * @throws errors of the operating system.
 */
export function makeFolder(folder: string, mode = 0o777): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder), mode);
  try {
    mkdirSync(folder, { mode });
  } catch (cause) {
    if (!existsSync(folder)) throw cause; // another process has made it
  }
}
