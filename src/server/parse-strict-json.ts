import type { Json } from '../ports/json.ts';
import { requestInvalid } from './refusal.ts';

/** What a request's JSON may be. */
export interface JsonLimits {
  /** @default 64 */
  readonly depth: number;
  /** Keys of all objects together. @default 10_000 */
  readonly keys: number;
  /** Characters of one string. @default 262_144 */
  readonly stringChars: number;
}

const forbiddenKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
/** A string, or what opens, closes or names: all that counts here. Each alternative begins with another character. */
const tokens = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"|[{}[\]:]/g;
const loneSurrogate = /\p{Surrogate}/u;

/**
 * Reads what somebody has sent. What `JSON.parse` takes silently is refused: keys that stand twice or lead to a prototype, a byte order
 * mark, halves of characters; and what only costs time: depth, and numbers of keys beyond any use.
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
  checkTokens(text, limits); // first: JSON.parse goes as deep as it is led
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    throw requestInvalid('The body is not JSON.');
  }
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
      if (token.includes('\\') && loneSurrogate.test(last)) throw requestInvalid('The body has half a character.');
    }
  }
}

function checkKey(key: string, siblings: Set<string> | undefined): void {
  if (forbiddenKeys.has(key)) throw requestInvalid('The body has a key that is not allowed.');
  if (siblings?.has(key)) throw requestInvalid('The body has a key twice in one object.');
  siblings?.add(key);
}

function unescaped(token: string): string {
  try {
    return JSON.parse(token) as string;
  } catch {
    throw requestInvalid('The body is not JSON.');
  }
}
