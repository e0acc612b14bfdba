import type { Json } from '../ports/json.ts';
import { isObject } from '../util/is-object.ts';

/** True for equal JSON values, whatever the order of their members. */
export function equalJson(one: Json, other: Json): boolean {
  if (one === other) return true;
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((value, index) => equalJson(value, other[index] as Json));
  }
  if (!isObject(one) || !isObject(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && equalJson(one[name] as Json, other[name] as Json))
  );
}
