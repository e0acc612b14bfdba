import type { Json } from '../ports/json.ts';
import { isObject } from '../util/is-object.ts';

/** Keywords whose value holds no schema, or lists by the names of properties. */
const ofData = /^(?:const|enum|default|examples|depend.*)$/;

/**
 * A schema as draft 2020-12 writes it, where draft 7 says the same in a way that has no meaning there: `items` as a list, with
 * `additionalItems`, which is what zod 3 makes of a tuple. All else stays as it is.
 */
export function inOurDraft(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(inOurDraft);
  if (!isObject(schema)) return schema;
  // `__proto__` may be a name: it must stay one
  const changed = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, ofData.test(key) ? value : inOurDraft(value)]));
  const { items, additionalItems = true, ...rest } = changed;
  return Array.isArray(items) && !rest.prefixItems ? { ...rest, prefixItems: items, items: additionalItems } : changed;
}
