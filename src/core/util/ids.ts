import { WorkflowError } from '../errors/errors.ts';

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'; // Crockford's: no I, L, O, U to misread
const grammar = /^[A-Za-z0-9_-]{1,64}$/;

const idLength = 12;
/** Random bytes in stock, because requesting a few at a time dominates the cost of an id. */
const stock = new Uint8Array(idLength * 64);
let used = stock.length;

/** A new identifier of 60 random bits, such as `r_7Q2MX4A0ZK9T`. */
export function newId(prefix: string): string {
  if (used >= stock.length) {
    crypto.getRandomValues(stock);
    used = 0;
  }
  let id = `${prefix}_`;
  for (const end = used + idLength; used < end; used++) id += alphabet[(stock[used] ?? 0) % alphabet.length];
  return id;
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
