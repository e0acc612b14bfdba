import { readFileSync } from 'node:fs';
import { messageOf } from '../core/errors/message-of.ts';
import type { EncryptOptions } from '../core/util/key-ring.ts';
import { UsageError } from './usage-error.ts';

/** Value of `--key-file`, which every command takes. */
let keyFile: string | undefined;

export function useKeyFile(file: string | undefined): void {
  keyFile = file;
}

/**
 * Keys of the database, the newest first, from `--key-file` or else from `AGENT_MACHINES_KEY`. White space separates them. An empty value is
 * an invalid key, because it may be a secret that was not set.
 */
export function databaseKeys(): EncryptOptions | undefined {
  const text = keyFile === undefined ? process.env.AGENT_MACHINES_KEY : readKeys(keyFile);
  if (text === undefined) return undefined;
  const [key = '', ...previous] = text.trim().split(/\s+/);
  return { key, previous };
}

function readKeys(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new UsageError(`The key file ${file} cannot be read: ${messageOf(cause)}`);
  }
}
