import { sha256 } from '../../core/util/sha256.ts';
import { requestInvalid } from './refusal.ts';

/** @throws {Refusal} 400 unless the key consists of 1 to 200 visible ASCII characters. */
export function idempotencyKeyOf({ headers }: Request): string | undefined {
  const key = headers.get('idempotency-key');
  if (key === null) return undefined;
  if (!/^[\x21-\x7e]{1,200}$/.test(key)) throw requestInvalid('The Idempotency-Key is not 1 to 200 visible ASCII characters.');
  return key;
}

/** Id of the run that a key names. Hashed: run ids are short, and a client's key may contain private data. */
export const runIdOfKey = async (key: string): Promise<string> => `r_${(await sha256(key)).slice(0, 40)}`;
