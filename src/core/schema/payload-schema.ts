import type { JsonObject } from '../ports/json.ts';
import type { StandardSchema } from '../ports/standard-schema.ts';
import { isStandardSchema, standardJsonSchema } from './standard-json-schema.ts';

/** Declaration of a human's event, as far as its payload matters. */
interface DeclaredEvent {
  readonly schema?: StandardSchema<object> | JsonObject;
  readonly parse?: unknown;
}

const withoutPayload: JsonObject = { type: 'object', additionalProperties: false };
const anyObject: JsonObject = { type: 'object' };

/** JSON Schema of an event's payload. An undeclared event has none, and a parser without a schema may accept any object. */
export function payloadSchema(event: DeclaredEvent | undefined): JsonObject {
  if (!event?.parse) return withoutPayload;
  const { schema = anyObject } = event;
  return isStandardSchema(schema) ? standardJsonSchema(schema) : schema;
}
