import type { Json, JsonObject } from '../ports/json.ts';
import { isObject } from './place.ts';

/** Keywords whose value holds no schema: what looks like one there is data. */
const ofData = new Set(['const', 'enum', 'default', 'examples', 'required', 'type']);
/** Keywords that hold schemas by names, which may be any. */
const byName = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies']);

/**
 * A schema as draft 2020-12 writes it, where an older draft says the same in a way that has no meaning there: `items` as a list (with
 * `additionalItems`), which is what zod 3 makes of a tuple, and `exclusiveMinimum: true` of OpenAPI 3.0. All else stays as it is.
 */
export function inOurDraft(schema: JsonObject): JsonObject {
  const changed: Record<string, Json> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (ofData.has(keyword)) changed[keyword] = value;
    else if (byName.has(keyword) && isObject(value)) changed[keyword] = mapped(value);
    else changed[keyword] = changeInside(value);
  }
  if (Array.isArray(changed.items) && changed.prefixItems === undefined) {
    const { items, additionalItems } = changed;
    delete changed.items;
    delete changed.additionalItems;
    changed.prefixItems = items;
    if (additionalItems !== undefined) changed.items = additionalItems;
  }
  for (const [flag, limit] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    const value = changed[flag];
    const bound = changed[limit];
    if (typeof value !== 'boolean' || bound === undefined) continue;
    delete changed[value ? limit : flag];
    if (value) changed[flag] = bound;
  }
  return changed;
}

const changeInside = (value: Json): Json =>
  isObject(value) ? inOurDraft(value) : Array.isArray(value) ? value.map((one: Json) => (isObject(one) ? inOurDraft(one) : one)) : value;

/** `__proto__` may be a name: it must stay one. */
const mapped = (schemas: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(schemas).map(([name, value]) => [name, changeInside(value)]));
