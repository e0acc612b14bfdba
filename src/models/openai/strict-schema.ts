import type { Json, JsonObject, JsonSchema } from '../../ports/json.ts';
import { isObject } from '../../util/is-object.ts';

const keywords = new Set([
  ...['$schema', '$defs', 'definitions', '$ref', 'title', 'description', 'type', 'enum', 'const', 'anyOf'],
  ...['properties', 'required', 'additionalProperties', 'items', 'minItems', 'maxItems', 'pattern', 'format'],
  ...['multipleOf', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
]);
const formats = new Set<Json>(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid']);
const maxDepth = 10;

/**
 * True when a schema fits the subset of JSON Schema that OpenAI's strict mode accepts: an object at the root, every object closed and all
 * its properties required, and no keyword that the mode does not know. Any doubt is a no: strict mode refuses the whole request.
 */
export function canBeStrict(schema: JsonSchema): boolean {
  return isObject(schema) && schema.type === 'object' && schema.anyOf === undefined && fits(schema, 1);
}

function fits(schema: Json | undefined, depth: number): boolean {
  if (!isObject(schema) || depth > maxDepth) return false;
  if (!Object.keys(schema).every((key) => keywords.has(key))) return false;
  if (schema.$ref !== undefined) return Object.keys(schema).length === 1;
  if (schema.format !== undefined && !formats.has(schema.format)) return false;
  const types = [schema.type].flat();
  if (types.includes('object') && !isClosed(schema)) return false;
  if (types.includes('array') && schema.items === undefined) return false;
  if (['type', 'enum', 'const', 'anyOf'].every((key) => schema[key] === undefined)) return false;
  return childrenOf(schema).every((child) => fits(child, depth + 1));
}

function isClosed({ properties, required, additionalProperties }: JsonObject): boolean {
  if (additionalProperties !== false || !isObject(properties) || !Array.isArray(required)) return false;
  return Object.keys(properties).every((name) => required.includes(name));
}

function childrenOf({ properties = {}, items = [], anyOf = [], $defs = {}, definitions = {} }: JsonObject): readonly (Json | undefined)[] {
  return [properties, $defs, definitions].flatMap((map) => (isObject(map) ? Object.values(map) : [undefined])).concat(items, anyOf);
}
