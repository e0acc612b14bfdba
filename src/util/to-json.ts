import { WorkflowError } from '../errors.ts';
import type { Json } from '../ports/json.ts';

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
  const parents: object[] = [];
  try {
    return copy(value, parents);
  } catch (reason) {
    if (!(reason instanceof Refusal)) throw reason;
    const path = name + reason.keys.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('');
    throw new WorkflowError({
      code: 'VALUE_NOT_JSON',
      message: `${path} is ${reason.what}, which JSON would change silently.`,
      hint: 'Return plain JSON: strings, finite numbers, booleans, null, arrays and plain objects. Convert dates to ISO strings and maps to objects.',
      data: { path },
    });
  }
}

/** Thrown on the way out of a refused value, to collect its path: keeping track of it on the way in would slow down every value. */
class Refusal {
  readonly what: string;
  readonly keys: (string | number)[] = [];

  constructor(what: string) {
    this.what = what;
  }
}

function copy(value: unknown, parents: object[]): Json {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      if (!Number.isFinite(value)) throw new Refusal(String(value));
      return value === 0 ? 0 : value;
    case 'object':
      if (value === null) return null;
      return Array.isArray(value) ? copyArray(value, parents) : copyObject(value, parents);
    case 'undefined':
      throw new Refusal('undefined');
    default:
      throw new Refusal(`a ${typeof value}`);
  }
}

function copyArray(value: readonly unknown[], parents: object[]): Json {
  if (Object.getPrototypeOf(value) !== Array.prototype) throw new Refusal(`a ${className(value)}`);
  enter(value, parents);
  const items: Json[] = [];
  for (let index = 0; index < value.length; index++) {
    try {
      items.push(copy(value[index], parents)); // a hole reads as undefined, which is refused
    } catch (reason) {
      throw at(index, reason);
    }
  }
  if (Object.keys(value).length !== items.length) throw new Refusal('an array with named members');
  parents.pop();
  return Object.freeze(items);
}

function copyObject(value: object, parents: object[]): Json {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) throw new Refusal(`a ${className(value)}`);
  if (Object.getOwnPropertySymbols(value).length > 0) throw new Refusal('an object with symbol keys');
  enter(value, parents);
  const members: Record<string, Json> = {};
  for (const key of Object.keys(value)) {
    try {
      if (key === '__proto__') throw new Refusal('a key that would change the prototype');
      const member = (value as Record<string, unknown>)[key];
      if (member !== undefined) members[key] = copy(member, parents);
    } catch (reason) {
      throw at(key, reason);
    }
  }
  parents.pop();
  return Object.freeze(members);
}

function enter(value: object, parents: object[]): void {
  if (parents.length >= maxDepth) throw new Refusal(`nested more than ${maxDepth} deep`);
  if (parents.includes(value)) throw new Refusal('a cycle');
  parents.push(value);
}

function at(key: string | number, reason: unknown): unknown {
  if (reason instanceof Refusal) reason.keys.unshift(key);
  return reason;
}

function className(value: object): string {
  const name: unknown = value.constructor?.name;
  return typeof name === 'string' && name !== '' ? name : 'class instance';
}
