import { frozenJson } from './frozen-json.ts';

/**
 * Freezes plain objects and arrays, in place and however deep; anything else (a class instance, a typed array) is left as it is.
 * What is frozen already is looked into all the same, as it may have been frozen at the top only, unless it is in `frozenJson`.
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

/** So many objects are frozen without a list of those that were seen, which costs more than they do. */
const few = 100;
let left = 0;

/** False when there are more than a few, or a circle, and no list of those that were seen. */
function freeze(value: object, seen: Set<object> | undefined): boolean {
  if (seen?.has(value) || frozenJson.has(value)) return true;
  if (!seen && --left < 0) return false;
  seen?.add(value);
  if (!Object.isFrozen(value)) Object.freeze(value); // to look is cheaper
  for (const key in value) {
    const member = (value as Readonly<Record<string, unknown>>)[key];
    if (isPlain(member) && !freeze(member, seen)) return false;
  }
  return true;
}

/** Freezes `value` and what is new in it: its members that are members of one of `known` are frozen already. */
export function freezeNew<T>(value: T, known: readonly unknown[]): T {
  if (!isPlain(value) || known.includes(value)) return value;
  if (Array.isArray(value)) freezeNewItems(value, known);
  else {
    const members = new Set(known.flatMap((each) => (isPlain(each) ? Object.values(each) : [])));
    for (const member of Object.values(value)) if (isPlain(member) && !members.has(member)) deepFreeze(member);
  }
  return Object.freeze(value);
}

/** Lists are mostly longer by some items at their end, which are those of another list: each of them is compared once. */
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
