import { WorkflowError } from '../errors/errors.ts';
import { messageOf } from '../errors/message-of.ts';
import { shorten } from '../errors/shorten.ts';
import type { Json } from '../ports/json.ts';
import { toJson } from '../util/to-json.ts';

const forbiddenKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
const fence = /^```(?:json)?[ \t]*\r?\n([\s\S]*?)\r?\n?```$/i;
/** Tokens of a valid JSON text. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:,]|-?\d[\d.eE+-]*/g;
/** Above the length of any plan or answer. */
const maxChars = 1_000_000;

/**
 * Parses a model's JSON reply: the whole text, or exactly one fenced block with nothing outside it. Nothing is repaired.
 *
 * @throws {WorkflowError} `MODEL_OUTPUT_INVALID` with the reason: not JSON, longer than 1,000,000 characters, a duplicate or dangerous key,
 * a whole number beyond 2^53, a number so small that it would become 0.
 */
export function parseModelJson(text: string): Json {
  if (text.length > maxChars) throw invalid(`it has ${text.length} characters`);
  const trimmed = text.trim();
  const body = fence.exec(trimmed)?.[1] ?? trimmed;
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch (error) {
    throw invalid(`it is not JSON (${messageOf(error)})`);
  }
  assertFaithful(body);
  try {
    return toJson(value, 'reply');
  } catch (error) {
    throw invalid(messageOf(error));
  }
}

/** Finds defects that `JSON.parse` accepts silently. */
function assertFaithful(json: string): void {
  const objects: (Set<string> | undefined)[] = [];
  let text = '';
  for (const [token] of json.matchAll(tokens)) {
    if (token === '{') objects.push(new Set());
    else if (token === '[') objects.push(undefined);
    else if (token === '}' || token === ']') objects.pop();
    else if (token === ':') {
      const key = JSON.parse(text) as string;
      const keys = objects.at(-1);
      if (keys?.has(key)) throw invalid(`the key ${shorten(text, 100)} occurs twice in one object`);
      if (forbiddenKeys.has(key)) throw invalid(`the key ${text} is not allowed`);
      keys?.add(key);
    } else if (token.startsWith('"')) text = token;
    else if (/^[-\d]/.test(token) && !isExact(token)) throw invalid(`the number ${shorten(token, 100)} cannot be represented exactly`);
  }
}

/** True for a number that reads back as written, apart from the last digits of a fraction. */
function isExact(token: string): boolean {
  const value = Number(token);
  if (/^-?\d+$/.test(token)) return Number.isSafeInteger(value);
  if (value !== 0 && !Number.isInteger(value)) return true;
  return digitsOf(token) === digitsOf(String(value));
}

/** `120.0` and `1.2e2` are `12e1`. */
function digitsOf(number: string): string {
  const [, whole = '', fraction = '', exponent = '0'] = /^-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(number) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  return significant === '' ? '0' : `${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}

const invalid = (reason: string): WorkflowError =>
  new WorkflowError({
    code: 'MODEL_OUTPUT_INVALID',
    message: `The model's reply was rejected: ${reason}.`,
    hint: 'Retry, or use a model that returns valid JSON.',
    data: { issues: [{ code: 'NOT_JSON', path: '', message: reason }] },
  });
