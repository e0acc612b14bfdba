import { closeSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from './make-folder.ts';

/**
 * Makes an empty file for its owner alone (0600), in folders for their owner alone (0700). An existing file and its rights stay unchanged.
 *
 * @throws the operating system's error for a folder. The later write reports a file that cannot be made.
 */
export function makePrivateFile(path: string): void {
  makeFolder(dirname(path), 0o700);
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch {
    // it exists, or the later write reports the reason
  }
}
