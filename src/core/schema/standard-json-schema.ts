import type { JsonObject, JsonSchema } from '../ports/json.ts';
import type { StandardSchema } from '../ports/standard-schema.ts';
import { isObject } from '../util/is-object.ts';
import { toJson } from '../util/to-json.ts';
import { isLinearPattern } from './linear-pattern.ts';

// validators compile a schema once per object, so the same object must be returned
const converted = new WeakMap<object, JsonObject>();

/**
 * JSON Schema of a schema's input, without patterns that need more than linear time. The schema itself checks those when it validates.
 * @throws the library's error for a type that JSON Schema cannot express, such as a date.
 */
export function standardJsonSchema(schema: StandardSchema<unknown>): JsonObject {
  const known = converted.get(schema);
  if (known) return known;
  const { $schema: _draft, ...json } = schema['~standard'].jsonSchema.input({
    target: 'draft-2020-12',
    libraryOptions: { override: leavePatterns }, // zod's option; other libraries ignore it
  });
  const copy = toJson(json, 'schema');
  if (!isObject(copy)) throw new TypeError('it is not an object');
  converted.set(schema, copy);
  return copy;
}

/** True for a schema of a library, false for a JSON Schema. */
export const isStandardSchema = <T>(schema: StandardSchema<T> | JsonSchema): schema is StandardSchema<T> =>
  (typeof schema === 'object' || typeof schema === 'function') && '~standard' in schema;

interface WithPattern {
  pattern?: string;
  readonly allOf?: readonly WithPattern[];
}

function leavePatterns({ jsonSchema }: { readonly jsonSchema: WithPattern }): void {
  for (const part of [jsonSchema, ...(jsonSchema.allOf ?? [])]) {
    if (part.pattern !== undefined && !isLinearPattern(part.pattern)) delete part.pattern;
  }
}
