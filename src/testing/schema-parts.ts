import type { Json, JsonObject, JsonSchema } from '../core/ports/json.ts';
import { asObject } from '../core/util/as-object.ts';
import { isObject } from '../core/util/is-object.ts';
import { readPointer, unescapePointer } from '../core/util/json-pointer.ts';

/** Returns the types that a schema names, or those that its keywords imply. */
export function typesOf(schema: JsonObject): readonly Json[] {
  const { type } = schema;
  if (type !== undefined) return Array.isArray(type) ? type : [type];
  const has = (...keywords: readonly string[]): boolean => keywords.some((keyword) => Object.hasOwn(schema, keyword));
  return [
    ...(has('properties', 'required', 'additionalProperties', 'minProperties') ? ['object'] : []),
    ...(has('items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems') ? ['array'] : []),
    ...(has('minLength', 'maxLength', 'pattern', 'format') ? ['string'] : []),
    ...(has('minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf') ? ['number'] : []),
  ];
}

/** Returns the schema at a reference inside a document; one that accepts everything if there is none. */
export function targetOf(root: JsonSchema, reference: string): Json {
  const parts = reference.replace(/^#/, '').split('/').slice(1).map(unescapePointer);
  if (!reference.startsWith('#')) return {};
  return readPointer(root, parts) ?? {};
}

/**
 * Merges schemas that all apply. Members are merged, the narrower bound wins, and of all other keywords the later one. Earlier patterns are
 * kept under `x-patterns`, which is not a keyword of JSON Schema.
 */
export function joined(schemas: readonly Json[]): JsonSchema {
  const whole: Record<string, Json> = {};
  for (const schema of schemas) {
    for (const [keyword, value] of Object.entries(asObject(schema))) {
      const known = whole[keyword];
      if (known === undefined) whole[keyword] = value;
      else if (lowerBounds.has(keyword)) whole[keyword] = Math.max(Number(known), Number(value));
      else if (upperBounds.has(keyword)) whole[keyword] = Math.min(Number(known), Number(value));
      else if (keyword === 'pattern') {
        whole['x-patterns'] = [...listOf(whole['x-patterns']), known];
        whole[keyword] = value;
      } else if (keyword === 'properties') whole[keyword] = joinedMembers(asObject(known), asObject(value));
      else if (keyword === 'required' || keyword === 'allOf') whole[keyword] = [...listOf(known), ...listOf(value)];
      else if (!(keyword === 'type' && known === 'integer')) whole[keyword] = value;
    }
  }
  return whole;
}

const lowerBounds: ReadonlySet<string> = new Set(['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties']);
const upperBounds: ReadonlySet<string> = new Set(['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties']);

const joinedMembers = (left: JsonObject, right: JsonObject): JsonObject => {
  const both = Object.entries(right).map(([name, member]) => [name, left[name] === undefined ? member : { allOf: [left[name], member] }]);
  return { ...left, ...(Object.fromEntries(both) as JsonObject) };
};

/** Leaves out what is undefined. */
export const given = (members: Readonly<Record<string, Json | undefined>>): JsonObject =>
  Object.fromEntries(Object.entries(members).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));

export const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? (value as readonly Json[]) : []);

export const toSchema = (value: Json): JsonSchema => (isObject(value) || typeof value === 'boolean' ? value : true);

/** Returns the schema of an object's member, with the definitions of the object; `undefined` for a member that is not declared. */
export function memberSchema({ properties, $defs }: JsonObject, key: string): JsonObject | undefined {
  const declared = asObject(properties);
  return Object.hasOwn(declared, key) ? { ...asObject(declared[key]), $defs: asObject($defs) } : undefined;
}
