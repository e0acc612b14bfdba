import { WorkflowError } from '../errors.ts';
import type { Json } from '../ports/json.ts';

const maxDepth = 200;

/**
 * Copies a value to frozen JSON, or refuses it: what a node or tool returns is stored, so it must read back as it was.
 * `undefined` properties are left out and `-0` becomes `0`, as `JSON.stringify` does; all else that JSON would change is refused.
 *
 * @throws {WorkflowError} `VALUE_NOT_JSON` with the path of the first value that JSON would change.
 * @example toJson({ when: new Date() }, 'output') // throws: output.when is a Date …
 */
export function toJson(value: unknown, name: string): Json {
  return copy(value, { name, keys: [], objects: [] });
}

/** Where the copy is: the way down to the current value. */
interface Place {
  readonly name: string;
  readonly keys: (string | number)[];
  readonly objects: object[];
}

function copy(value: unknown, place: Place): Json {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      if (!Number.isFinite(value)) throw refuse(place, String(value));
      return value === 0 ? 0 : value;
    case 'object':
      return value === null ? null : copyObject(value, place);
    case 'undefined':
      throw refuse(place, 'undefined');
    default:
      throw refuse(place, `a ${typeof value}`);
  }
}

function copyObject(value: object, place: Place): Json {
  const { keys, objects } = place;
  if (objects.length >= maxDepth) throw refuse(place, `nested more than ${maxDepth} deep`);
  if (objects.includes(value)) throw refuse(place, 'a cycle');
  const prototype: unknown = Object.getPrototypeOf(value);
  objects.push(value);
  let result: Json;
  if (Array.isArray(value)) {
    if (prototype !== Array.prototype) throw refuse(place, `a ${className(value)}`);
    const items: Json[] = [];
    for (let i = 0; i < value.length; i++) {
      keys.push(i);
      items.push(copy(value[i], place)); // a hole reads as undefined, which is refused
      keys.pop();
    }
    result = items;
  } else {
    if (prototype !== Object.prototype && prototype !== null) throw refuse(place, `a ${className(value)}`);
    if (Object.getOwnPropertySymbols(value).length > 0) throw refuse(place, 'an object with symbol keys');
    const members: Record<string, Json> = {};
    for (const [key, member] of Object.entries(value)) {
      keys.push(key);
      if (key === '__proto__') throw refuse(place, 'a key that would change the prototype');
      if (member !== undefined) members[key] = copy(member, place);
      keys.pop();
    }
    result = members;
  }
  objects.pop();
  return Object.freeze(result);
}

function className(value: object): string {
  const name: unknown = value.constructor?.name;
  return typeof name === 'string' && name !== '' ? name : 'class instance';
}

function refuse({ name, keys }: Place, what: string): WorkflowError {
  const path = name + keys.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('');
  return new WorkflowError({
    code: 'VALUE_NOT_JSON',
    message: `${path} is ${what}, which JSON would change silently.`,
    hint: 'Return plain JSON: strings, finite numbers, booleans, null, arrays and plain objects. Convert dates to ISO strings and maps to objects.',
    data: { path },
  });
}
