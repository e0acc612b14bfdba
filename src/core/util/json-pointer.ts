import type { Json } from '../ports/json.ts';

/** Escapes a key for a JSON pointer. */
export const escapePointer = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

/** Decodes a part of a JSON pointer. */
export const unescapePointer = (part: string): string => part.replaceAll('~1', '/').replaceAll('~0', '~');

/** Value at a JSON pointer; `undefined` if there is none. */
export function readPointer(value: Json, pointer: readonly string[]): Json | undefined {
  let at: Json | undefined = value;
  for (const key of pointer) {
    if (Array.isArray(at)) at = /^(0|[1-9]\d*)$/.test(key) ? (at as readonly Json[])[Number(key)] : undefined;
    else if (typeof at === 'object' && at !== null && Object.hasOwn(at, key)) at = (at as { readonly [key: string]: Json })[key];
    else return undefined;
  }
  return at;
}
