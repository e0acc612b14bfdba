import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import type { Json, JsonObject } from '../ports/json.ts';
import type { CompiledSchema, SchemaIssue, SchemaValidator } from '../ports/schema-validator.ts';

/**
 * Checks arguments with Ajv, in strict mode. Keywords that Ajv does not know, and formats, are not checked and are reported; arguments
 * that the schema does not declare are refused.
 *
 * Ajv makes code from schemas: where that is forbidden (workerd, a strict content security policy), pass another `SchemaValidator`.
 */
export const ajvValidator: SchemaValidator = {
  compile(schema) {
    if (typeof schema === 'boolean') return { ok: false, reason: 'the schema of arguments is an object, not true or false' };
    const known = compiled.get(schema);
    if (known) return known;
    const made = compile(schema);
    compiled.set(schema, made);
    return made;
  },
};

const compiled = new WeakMap<JsonObject, CompiledSchema>();

const warnings: string[] = [];
const note = (...parts: unknown[]): void => void warnings.push(parts.map(String).join(' '));
const ajv = new Ajv2020({
  allErrors: true,
  ownProperties: true,
  strict: true,
  strictSchema: 'log', // collected below, so that a foreign schema's annotations do not refuse its tool
  strictTypes: false,
  strictTuples: false,
  strictRequired: false,
  validateFormats: false,
  logger: { log: note, warn: note, error: note },
});

function compile(schema: JsonObject): CompiledSchema {
  const { $schema: _draft, $id: _id, type = 'object', ...closed } = close(schema, true);
  if (type !== 'object') return { ok: false, reason: 'the schema of arguments is not of type "object"' };
  warnings.length = 0;
  try {
    const validate = ajv.compile({ ...closed, type });
    ajv.removeSchema(); // Ajv would keep every schema that it has seen, and refuse a second one with the same inner $id
    return {
      ok: true,
      ignored: [...new Set([...warnings, ...formatsOf(schema)])],
      check: (value) => (validate(value) ? [] : (validate.errors ?? []).map(toIssue)),
    };
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : String(error) };
  }
}

/** The schema with its objects closed: what they do not declare is refused. At the top whatever the schema says, deeper unless it says so. */
function close(schema: JsonObject, top: boolean): JsonObject {
  const { properties, items, prefixItems, additionalProperties, ...rest } = schema;
  const closed: Record<string, Json> = { ...rest };
  if (isObject(properties)) {
    closed.properties = Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, closeInner(property)]));
  }
  if (items !== undefined) closed.items = closeInner(items);
  if (Array.isArray(prefixItems)) closed.prefixItems = prefixItems.map(closeInner);
  const isOpen = additionalProperties === undefined && schema.unevaluatedProperties === undefined && properties !== undefined;
  if (additionalProperties !== undefined && !(top && additionalProperties === true)) closed.additionalProperties = additionalProperties;
  else if (top || isOpen) closed.unevaluatedProperties = false; // unlike additionalProperties, it sees through allOf and $ref
  return closed;
}

const closeInner = (schema: Json): Json => (isObject(schema) ? close(schema, false) : schema);

const isObject = (value: Json | undefined): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);

function formatsOf(schema: Json): string[] {
  if (Array.isArray(schema)) return schema.flatMap(formatsOf);
  if (!isObject(schema)) return [];
  const own = typeof schema.format === 'string' ? [`format "${schema.format}" is not checked`] : [];
  return [...own, ...Object.values(schema).flatMap(formatsOf)];
}

function toIssue({ instancePath, keyword, message = 'is not valid', params }: ErrorObject): SchemaIssue {
  const extra: unknown = params.additionalProperty ?? params.unevaluatedProperty;
  if (typeof extra === 'string') {
    const path = `${instancePath}/${extra.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    return { path, keyword, message: 'is not an argument that it takes' };
  }
  const allowed = Array.isArray(params.allowedValues) ? `: ${JSON.stringify(params.allowedValues)}` : '';
  return { path: instancePath, keyword, message: `${message}${allowed}` };
}
