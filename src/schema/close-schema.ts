import type { Json, JsonObject } from '../ports/json.ts';
import { unescapePointer } from '../util/json-pointer.ts';

/** The schema with the objects inside it closed that say nothing of additional properties: what they do not declare is refused. */
export function closeObjects(schema: JsonObject): JsonObject {
  const { properties, items, prefixItems, ...rest } = schema;
  const closed: Record<string, Json> = { ...rest };
  if (isObject(properties)) {
    closed.properties = Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, closeInner(property)]));
  }
  if (items !== undefined) closed.items = closeInner(items);
  if (Array.isArray(prefixItems)) closed.prefixItems = prefixItems.map(closeInner);
  return closed;
}

function closeInner(schema: Json): Json {
  if (!isObject(schema)) return schema;
  const closed = closeObjects(schema);
  const isOpen = schema.additionalProperties === undefined && schema.unevaluatedProperties === undefined && schema.properties !== undefined;
  return isOpen ? { ...closed, unevaluatedProperties: false } : closed; // unlike additionalProperties, it sees through allOf and $ref
}

/** The arguments that a schema names: its own, and those of the schemas that it is made of. */
export function declaredNames(schema: JsonObject): ReadonlySet<string> {
  const names = new Set<string>();
  const seen = new Set<JsonObject>();
  const visit = (at: Json | undefined): void => {
    if (!isObject(at) || seen.has(at)) return;
    seen.add(at);
    if (isObject(at.properties)) for (const name of Object.keys(at.properties)) names.add(name);
    for (const keyword of ['allOf', 'anyOf', 'oneOf']) for (const part of asList(at[keyword])) visit(part);
    for (const keyword of ['if', 'then', 'else']) visit(at[keyword]);
    if (isObject(at.dependentSchemas)) for (const part of Object.values(at.dependentSchemas)) visit(part);
    if (typeof at.$ref === 'string') visit(resolve(at.$ref, schema));
  };
  visit(schema);
  return names;
}

/** What `#/$defs/a` means in a schema; `undefined` for what stands elsewhere. */
function resolve(reference: string, root: JsonObject): Json | undefined {
  if (!reference.startsWith('#')) return undefined;
  let at: Json | undefined = root;
  for (const part of reference.slice(1).split('/').slice(1)) at = isObject(at) ? at[unescapePointer(decodeURIComponent(part))] : undefined;
  return at;
}

/** The formats of a schema, which are not checked. */
export function formatsOf(schema: Json): string[] {
  if (Array.isArray(schema)) return schema.flatMap(formatsOf);
  if (!isObject(schema)) return [];
  const own = typeof schema.format === 'string' ? [`format "${schema.format}" is not checked`] : [];
  return [...own, ...Object.values(schema).flatMap(formatsOf)];
}

const asList = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);

const isObject = (value: Json | undefined): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);
