import { WorkflowError } from '../errors.ts';
import type { Json } from '../ports/json.ts';
import { shorten } from './shorten.ts';

const maxDepth = 200;

/**
 * Copies a value to frozen JSON, or refuses it: what a node or tool returns is stored, so it must read back as it was.
 * `undefined` and non-enumerable properties are left out and `-0` becomes `0`, as `JSON.stringify` does; all else that JSON would change is
 * refused.
 *
 * @throws {WorkflowError} `VALUE_NOT_JSON` with the path of the first value that JSON would change.
 * @example toJson({ when: new Date() }, 'output') // throws: output.when is a Date …
 */
export function toJson(value: unknown, name: string): Json {
  const outside = depth;
  try {
    return copy(value);
  } catch (reason) {
    if (!(reason instanceof Refusal)) throw reason;
    const path = shorten(name + reason.keys.map((key) => (typeof key === 'number' ? `[${key}]` : `.${shorten(key, 100)}`)).join(''), 1_000);
    throw new WorkflowError({
      code: 'VALUE_NOT_JSON',
      message: `${path} is ${reason.what}, which JSON would change silently.`,
      hint: 'Return plain JSON: strings, finite numbers, booleans, null, arrays and plain objects. Convert dates to ISO strings and maps to objects.',
      data: { path },
    });
  } finally {
    while (depth > outside) leave();
  }
}

/** The objects around the one that is being copied. One list for all: an array of its own would cost more than most values. */
const around: (object | undefined)[] = Array.from({ length: maxDepth }, () => undefined);
let depth = 0;

/** Thrown on the way out of a refused value, to collect its path: keeping track of it on the way in would slow down every value. */
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
    case 'boolean':
      return value;
    case 'number':
      if (!Number.isFinite(value)) throw new Refusal(String(value));
      return value === 0 ? 0 : value;
    case 'object':
      if (value === null) return null;
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
  const items = [...value] as Json[]; // of the same size: one that grows takes room for sixteen more
  for (let index = 0; index < items.length; index++) {
    try {
      items[index] = copy(value[index]); // a hole reads as undefined, which is refused
    } catch (reason) {
      throw at(index, reason);
    }
  }
  if (Object.keys(value).length !== items.length) throw new Refusal('an array with named members');
  leave();
  return Object.freeze(items);
}

function copyObject(value: object): Json {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) throw new Refusal(`a ${className(value)}`);
  if (Object.getOwnPropertySymbols(value).length > 0) throw new Refusal('an object with symbol keys');
  enter(value);
  const members: Record<string, Json> = {};
  for (const key of Object.keys(value)) {
    try {
      if (key === '__proto__') throw new Refusal('a key that would change the prototype');
      const member = (value as Record<string, unknown>)[key];
      if (member !== undefined) members[key] = copy(member);
    } catch (reason) {
      throw at(key, reason);
    }
  }
  leave();
  return Object.freeze(members);
}

function enter(value: object): void {
  if (depth >= maxDepth) throw new Refusal(`nested more than ${maxDepth} deep`);
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
