import type { Json, JsonObject, JsonSchema } from '../../core/ports/json.ts';
import { isObject } from '../../core/util/is-object.ts';

const keywords = new Set([
  ...['$schema', '$defs', 'definitions', '$ref', 'title', 'description', 'type', 'enum', 'const', 'anyOf'],
  ...['properties', 'required', 'additionalProperties', 'items', 'minItems', 'maxItems', 'pattern', 'format'],
  ...['multipleOf', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
]);
const formats = new Set<Json>(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid']);
const maxDepth = 10;

/**
 * True for a schema in the subset of OpenAI's strict mode. The root is an object; every object is closed, and all its properties are
 * required. Unknown keywords are not allowed. False in doubt, because strict mode rejects the whole request.
 */
export function canBeStrict(schema: JsonSchema): boolean {
  return isObject(schema) && schema.type === 'object' && schema.anyOf === undefined && fits(schema, 1);
}

/**
 * Returns the schema with each optional member that may be `null` required, as strict mode demands. A schema that strict mode rejects in
 * any case is returned unchanged.
 */
export function strictForm(schema: JsonObject): JsonObject {
  const strict = requireNullable(schema);
  return isObject(strict) && canBeStrict(strict) ? strict : schema;
}

function requireNullable(value: Json): Json {
  if (Array.isArray(value)) return value.map(requireNullable);
  if (!isObject(value)) return value;
  const schema = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, part === undefined ? null : requireNullable(part)]));
  const { type, properties, required = [] } = schema;
  if (type !== 'object' || !isObject(properties) || !Array.isArray(required)) return schema;
  const nullable = Object.entries(properties).flatMap(([name, part]) =>
    isObject(part) && [part.type].flat().includes('null') && !required.includes(name) ? [name] : [],
  );
  return nullable.length === 0 ? schema : { ...schema, required: [...required, ...nullable] };
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
