import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder and those above it that are missing, one after the other: all at once, Node never ends where none can be made, as in /proc.
 *
 * @throws what the system says.
 */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (cause) {
    if (!existsSync(folder)) throw cause; // another process was faster
  }
}
