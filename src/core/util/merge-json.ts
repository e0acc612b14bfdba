import type { JsonObject } from '../ports/json.ts';
import { isObject } from './is-object.ts';

/** Merges two JSON objects recursively. Anything but an object, lists included, is replaced. */
export function mergeJson<TBelow extends object>(below: TBelow, above: JsonObject): TBelow {
  const covered = new Map<string, unknown>(Object.entries(below));
  const laid = Object.entries(above).map(([key, value]) => {
    const under = covered.get(key);
    return [key, isObject(under) && isObject(value) ? mergeJson(under, value as JsonObject) : value];
  });
  return { ...below, ...Object.fromEntries(laid) };
}
