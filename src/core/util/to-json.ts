import { WorkflowError } from '../errors/errors.ts';
import { shorten } from '../errors/shorten.ts';
import type { Json } from '../ports/json.ts';
import { frozenJson } from './frozen-json.ts';
import { jsonBytes } from './json-bytes.ts';

const maxDepth = 200;
/** Depth of a list item in the value. Deeper values are copied; a value that each copy nests once more would exceed `maxDepth`. */
const itemDepth = 2;

/**
 * Copies a value to frozen JSON, or fails, because results of nodes and tools are stored and must read back unchanged. Like
 * `JSON.stringify`, it drops `undefined` and non-enumerable properties and turns `-0` into `0`; everything else that JSON would change is
 * an error.
 *
 * @param maxBytes of its text. @default no limit
 * @throws {WorkflowError} `VALUE_NOT_JSON` with the path of the first value that JSON would change; `OUTPUT_TOO_LARGE`.
 * @example toJson({ when: new Date() }, 'output') // throws: output.when is a Date …
 */
export function toJson(value: unknown, name: string, maxBytes: number = Number.POSITIVE_INFINITY): Json {
  const outside = depth;
  const countedOutside = counted;
  const limitOutside = limit;
  counted = 1;
  limit = maxBytes;
  try {
    // Decision 155: freezing in place would cost more per object; a copy leaves the caller's objects writable.
    const json = copy(value);
    // `counted` is a lower bound, so only a value near the limit is measured
    if (counted * mostBytesPerCount > maxBytes) assertSize(jsonBytes(json), name, maxBytes);
    return json;
  } catch (reason) {
    if (reason === tooLarge) assertSize(Math.max(jsonBytes(value), maxBytes + 1), name, maxBytes);
    if (!(reason instanceof Refusal)) throw reason;
    const path = shorten(name + reason.keys.map((key) => (typeof key === 'number' ? `[${key}]` : `.${shorten(key, 100)}`)).join(''), 1_000);
    const isVoid = value === undefined;
    throw new WorkflowError({
      code: 'VALUE_NOT_JSON',
      message: isVoid ? `${path} is undefined.` : `${path} is ${reason.what}, which JSON would change silently.`,
      hint: isVoid
        ? 'Return JSON, or null if there is no value.'
        : 'Return plain JSON. Write dates as ISO strings and maps as objects, and keep numbers finite.',
      data: { path },
    });
  } finally {
    while (depth > outside) leave();
    counted = countedOutside;
    limit = limitOutside;
  }
}

/** Ancestors of the object being copied. Shared by all copies, because an array per copy would cost more than most values. */
const around: (object | undefined)[] = Array.from({ length: maxDepth }, () => undefined);
let depth = 0;

/** Lower bound of the JSON bytes copied so far, and their limit. */
let counted = 0;
let limit = Number.POSITIVE_INFINITY;
/** A number in a list counts as one byte and may have 25 with its comma; members of an object count by their key. */
const mostBytesPerCount = 25;
const tooLarge = new Error('too large');

function count(bytes: number): void {
  counted += bytes;
  if (counted > limit) throw tooLarge;
}

function assertSize(bytes: number, name: string, maxBytes: number): void {
  if (bytes <= maxBytes) return;
  throw new WorkflowError({
    code: 'OUTPUT_TOO_LARGE',
    message: `${name} is ${bytes} bytes of JSON, more than the limit of ${maxBytes}.`,
    hint: 'Return a reference to large data, or raise maxOutputBytes of the node.',
    data: { bytes, maxBytes },
  });
}

/** Thrown outward from a rejected value to collect its path, because tracking the path inward would slow down every value. */
class Refusal {
  readonly what: string;
  readonly keys: (string | number)[] = [];

  constructor(what: string) {
    this.what = what;
  }
}

function copy(value: unknown): Json {
  switch (typeof value) {
    case 'string':
      count(value.length + 1);
      return value;
    case 'boolean':
      return value;
    case 'number':
      if (!Number.isFinite(value)) throw new Refusal(String(value));
      return value === 0 ? 0 : value;
    case 'object':
      if (value === null) return null;
      if (depth === itemDepth && limit === Number.POSITIVE_INFINITY && frozenJson.has(value)) return value as Json;
      return Array.isArray(value) ? copyArray(value) : copyObject(value);
    case 'undefined':
      throw new Refusal('undefined');
    default:
      throw new Refusal(`a ${typeof value}`);
  }
}

function copyArray(value: readonly unknown[]): Json {
  if (Object.getPrototypeOf(value) !== Array.prototype) throw new Refusal(`a ${className(value)}`);
  enter(value);
  count(1 + value.length);
  const items = [...value] as Json[]; // same capacity; growing would reserve room for sixteen more
  for (let index = 0; index < items.length; index++) {
    try {
      items[index] = copy(value[index]); // a hole reads as undefined, which is invalid
    } catch (reason) {
      throw at(index, reason);
    }
  }
  if (Object.keys(value).length !== items.length) throw new Refusal('an array with named properties');
  leave();
  return Object.freeze(items);
}

function copyObject(value: object): Json {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) throw new Refusal(`a ${className(value)}`);
  if (Object.getOwnPropertySymbols(value).length > 0) throw new Refusal('an object with symbol keys');
  enter(value);
  const members: Record<string, Json> = {};
  let bytes = 1;
  for (const key of Object.keys(value)) {
    try {
      if (key === '__proto__') throw new Refusal('a key that would change the prototype');
      const member = (value as Record<string, unknown>)[key];
      if (member === undefined) continue;
      bytes += key.length + 4;
      members[key] = copy(member);
    } catch (reason) {
      throw at(key, reason);
    }
  }
  count(bytes);
  leave();
  return Object.freeze(members);
}

function enter(value: object): void {
  if (depth >= maxDepth) throw new Refusal(`nested more than ${maxDepth} levels deep`);
  for (let outer = 0; outer < depth; outer++) if (around[outer] === value) throw new Refusal('a cycle');
  around[depth++] = value;
}

function leave(): void {
  around[--depth] = undefined;
}

function at(key: string | number, reason: unknown): unknown {
  if (reason instanceof Refusal) reason.keys.unshift(key);
  return reason;
}

function className(value: object): string {
  const name: unknown = value.constructor?.name;
  return typeof name === 'string' && name !== '' ? name : 'class instance';
}
