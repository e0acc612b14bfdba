import type { Json } from '../ports/json.ts';
import { isObject } from '../util/is-object.ts';

/** Keywords whose value holds no schema, or lists by property name. */
const ofData = /^(?:const|enum|default|examples|depend.*)$/;

/**
 * Converts draft 7 forms without meaning in draft 2020-12: `items` as a list, with `additionalItems`, which zod 3 writes for a tuple.
 * Everything else stays.
 */
export function toSupportedDraft(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(toSupportedDraft);
  if (!isObject(schema)) return schema;
  // keeps a property named `__proto__`
  const changed = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, ofData.test(key) ? value : toSupportedDraft(value)]),
  );
  const { items, additionalItems = true, ...rest } = changed;
  return Array.isArray(items) && !rest.prefixItems ? { ...rest, prefixItems: items, items: additionalItems } : changed;
}
