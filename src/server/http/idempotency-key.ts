import { requestInvalid } from './refusal.ts';

/** @throws {Refusal} 400 unless the key consists of 1 to 200 visible ASCII characters. */
export function idempotencyKeyOf({ headers }: Request): string | undefined {
  const key = headers.get('idempotency-key');
  if (key === null) return undefined;
  if (!/^[\x21-\x7e]{1,200}$/.test(key)) throw requestInvalid('The Idempotency-Key is not 1 to 200 visible ASCII characters.');
  return key;
}
