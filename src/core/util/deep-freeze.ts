import { frozenJson } from './frozen-json.ts';

/**
 * Freezes plain objects and arrays in place, at any depth. Other objects, such as class instances and typed arrays, stay unchanged. It also
 * descends into frozen objects, which may be frozen only at the top, unless `frozenJson` has them.
 *
 * @returns `value`.
 */
export function deepFreeze<T>(value: T): T {
  if (isPlain(value)) {
    left = few;
    if (!freeze(value, undefined)) freeze(value, new Set());
  }
  return value;
}

/** Number of objects frozen without a set of visited ones, because the set costs more than freezing. */
const few = 100;
let left = 0;

/** False without a set when there are too many objects, or a circle. */
function freeze(value: object, seen: Set<object> | undefined): boolean {
  if (seen?.has(value) || frozenJson.has(value)) return true;
  if (!seen && --left < 0) return false;
  seen?.add(value);
  if (!Object.isFrozen(value)) Object.freeze(value); // the check is cheaper than the call
  for (const key in value) {
    const member = (value as Readonly<Record<string, unknown>>)[key];
    if (isPlain(member) && !freeze(member, seen)) return false;
  }
  return true;
}

/** Freezes `value` and its new members; members shared with one of `known` are frozen already. */
export function freezeNew<T>(value: T, known: readonly unknown[]): T {
  if (!isPlain(value) || known.includes(value)) return value;
  if (Array.isArray(value)) freezeNewItems(value, known);
  else {
    const members = new Set(known.flatMap((each) => (isPlain(each) ? Object.values(each) : [])));
    for (const member of Object.values(value)) if (isPlain(member) && !members.has(member)) deepFreeze(member);
  }
  return Object.freeze(value);
}

/** A list usually equals an earlier list plus some items at its end, so each item is compared once. */
function freezeNewItems(items: readonly unknown[], known: readonly unknown[]): void {
  const lists = known.filter((each) => Array.isArray(each)).map((list: readonly unknown[]) => ({ list, at: 0 }));
  for (const item of items) {
    if (!isPlain(item)) continue;
    const from = lists.find((each) => each.list[each.at] === item);
    if (from) from.at++;
    else deepFreeze(item);
  }
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
