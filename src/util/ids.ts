import { WorkflowError } from '../errors.ts';

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'; // Crockford's: no I, L, O, U to misread
const grammar = /^[A-Za-z0-9_-]{1,64}$/;

/** A new identifier of 60 random bits, such as `r_7Q2MX4A0ZK9T`. */
export function newId(prefix: string): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return `${prefix}_${[...bytes].map((byte) => alphabet[byte % alphabet.length]).join('')}`;
}

/** @throws {WorkflowError} `ID_INVALID` for anything but `[A-Za-z0-9_-]{1,64}`. */
export function assertId(id: unknown, what: string): void {
  if (typeof id === 'string' && grammar.test(id)) return;
  throw new WorkflowError({
    code: 'ID_INVALID',
    message: `The ${what} id is not valid.`,
    hint: 'Use 1 to 64 letters, digits, "_" and "-".',
  });
}
