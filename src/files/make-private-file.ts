import { closeSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from './make-folder.ts';

/**
 * Makes an empty file for its owner alone (0600), in folders for their owner alone (0700). A file that is there stays as it is, and so do its
 * rights.
 *
 * @throws what the system says of a folder that cannot be made. A file that cannot be made is left to its writer.
 */
export function makePrivateFile(path: string): void {
  makeFolder(dirname(path), 0o700);
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch {
    // it is there, or its writer says why not
  }
}
