import type { Json } from '../../core/ports/json.ts';
import { parseJson } from '../../core/util/parse-json.ts';
import { requestInvalid } from './refusal.ts';

export interface JsonLimits {
  /** @default 64 */
  readonly depth: number;
  /** Maximum number of keys in all objects together. @default 10_000 */
  readonly keys: number;
  /** Maximum number of characters in one string. @default 262_144 */
  readonly stringChars: number;
}

const forbiddenKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
/** Matches a string, or a character that opens, closes or names something. Each alternative begins with a different character. */
const tokens = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"|[{}[\]:]/g;
const loneSurrogate = /\p{Surrogate}/u;

/**
 * Parses untrusted JSON. Rejects input that `JSON.parse` accepts silently: duplicate keys, keys that lead to a prototype, a byte order
 * mark, lone surrogates. Also limits the depth and the number of keys, which only cost time.
 *
 * @throws {Refusal} 400.
 */
export function parseStrictJson(bytes: Uint8Array, limits: JsonLimits): Json {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw requestInvalid('The body is not UTF-8.');
  }
  if (text.startsWith('\uFEFF')) throw requestInvalid('The body begins with a byte order mark.');
  checkTokens(text, limits); // must run first: JSON.parse recurses without a depth limit
  const value = parseJson(text);
  if (value === undefined) throw requestInvalid('The body is not JSON.');
  return value;
}

function checkTokens(text: string, { depth, keys, stringChars }: JsonLimits): void {
  const objects: (Set<string> | undefined)[] = [];
  let counted = 0;
  let last = '';
  for (const [token] of text.matchAll(tokens)) {
    if (token === '{' || token === '[') {
      objects.push(token === '{' ? new Set() : undefined);
      if (objects.length > depth) throw requestInvalid(`The body is more than ${depth} levels deep.`);
    } else if (token === '}' || token === ']') objects.pop();
    else if (token === ':') {
      if (++counted > keys) throw requestInvalid(`The body has more than ${keys} keys.`);
      checkKey(last, objects.at(-1));
    } else {
      if (token.length > stringChars) throw requestInvalid(`The body has a string of more than ${stringChars} characters.`);
      last = token.includes('\\') ? unescaped(token) : token.slice(1, -1);
      if (token.includes('\\') && loneSurrogate.test(last)) throw requestInvalid('The body has a lone surrogate.');
    }
  }
}

function checkKey(key: string, siblings: Set<string> | undefined): void {
  if (forbiddenKeys.has(key)) throw requestInvalid('The body has a key that is not allowed.');
  if (siblings?.has(key)) throw requestInvalid('The body has a duplicate key in an object.');
  siblings?.add(key);
}

function unescaped(token: string): string {
  try {
    return JSON.parse(token) as string;
  } catch {
    throw requestInvalid('The body is not JSON.');
  }
}
