import type { Json, JsonObject } from '../ports/json.ts';
import { isObject } from '../util/is-object.ts';
import type { Schema, SchemaNode } from './schema-node.ts';

/** Stands for an argument that is not known yet. Who writes it himself gains nothing: arguments are checked again before the call. */
export const placeholder = '\u0000awaited';

/** Whether the verdict of a schema of the arguments depends on what the awaited ones are. */
export type DependsOnAwaited = (schema: Schema) => boolean;

export function dependsOn(awaited: readonly string[]): DependsOnAwaited {
  const known = new Map<SchemaNode, boolean>();
  const depends = (schema: Schema): boolean => {
    if (typeof schema === 'boolean') return false;
    const before = known.get(schema);
    if (before !== undefined) return before;
    const isOwn = schema.raw.const !== undefined || schema.raw.enum !== undefined;
    const looks = isOwn || awaited.some((name) => schema.ofMember(name).some((one) => typeof one !== 'boolean'));
    const answer = looks || schema.ofSameValue.some(depends);
    known.set(schema, answer);
    return answer;
  };
  return depends;
}

/**
 * A schema that the known arguments fit, with a placeholder for each awaited one, whenever there are values of those with which all of them
 * fit the schema itself. It refers to the parts of the schema that are about the known ones.
 */
export function weakenSchema(whole: Schema, awaited: readonly string[], depends: DependsOnAwaited): JsonObject {
  const $defs: Record<string, Json> = {};
  const references = new Map<SchemaNode, JsonObject>();
  const weakened = (schema: Schema): Json => {
    if (typeof schema === 'boolean' || !depends(schema)) return toReference(schema);
    const known = references.get(schema);
    if (known) return known;
    const name = `${references.size}`;
    const reference = { $ref: `#/$defs/${name}` };
    references.set(schema, reference);
    $defs[name] = { allOf: partsOf(schema) };
    return reference;
  };
  const partsOf = (schema: SchemaNode): Json[] => {
    const { raw, conjuncts, anyOf, oneOf, dependentSchemas, not, condition, whenTrue = true, whenFalse = true } = schema;
    const parts: Json[] = [keptOf(schema, awaited), ...conjuncts.map((part) => weakened(part.schema))];
    if (anyOf) parts.push({ anyOf: anyOf.map(weakened) });
    if (oneOf) parts.push({ [oneOf.some(depends) ? 'anyOf' : 'oneOf']: oneOf.map(weakened) });
    if (dependentSchemas.size > 0) parts.push({ dependentSchemas: mapped(dependentSchemas, weakened) });
    if (not !== undefined && !depends(not)) parts.push({ not: toReference(not) });
    if (condition !== undefined) parts.push(weakenCondition(depends(condition), condition, weakened(whenTrue), weakened(whenFalse)));
    if (raw.const !== undefined) parts.push(mayBecome(raw.const, awaited));
    if (Array.isArray(raw.enum)) parts.push({ anyOf: raw.enum.map((value: Json) => mayBecome(value, awaited)) });
    return parts;
  };
  return { allOf: [weakened(whole)], $defs };
}

/** What a schema says itself of the known arguments, and of which there are. */
function keptOf(schema: SchemaNode, awaited: readonly string[]): JsonObject {
  const { raw, properties, additionalProperties, propertyNames } = schema;
  const kept = ['type', 'nullable', 'required', 'minProperties', 'maxProperties', 'dependentRequired'];
  const own: Record<string, Json> = Object.fromEntries(kept.flatMap((name) => (raw[name] === undefined ? [] : [[name, raw[name]]])));
  const orAwaited = (name: string, one: Schema): Json => (awaited.includes(name) && one !== false ? true : toReference(one));
  // a placeholder fits what is said of names that are not written out
  const orPlaceholder = (one: Schema): Json => (one === false ? false : { anyOf: [{ const: placeholder }, toReference(one)] });
  if (properties) own.properties = Object.fromEntries([...properties].map(([name, one]) => [name, orAwaited(name, one)]));
  if (schema.patternProperties.length > 0) {
    own.patternProperties = Object.fromEntries(schema.patternProperties.map(([{ source }, one]) => [source, orPlaceholder(one)]));
  }
  if (additionalProperties !== undefined) own.additionalProperties = orPlaceholder(additionalProperties);
  if (propertyNames !== undefined) own.propertyNames = toReference(propertyNames);
  const needs = Object.entries(isObject(raw.dependencies) ? raw.dependencies : {}).filter(([, value]) => Array.isArray(value));
  return needs.length === 0 ? own : { ...own, dependencies: Object.fromEntries(needs) };
}

function weakenCondition(isOpen: boolean, condition: Schema, yes: Json, no: Json): JsonObject {
  if (isOpen) return { anyOf: [yes, no] };
  const branches = [
    ['if', toReference(condition)],
    ['then', yes],
    ['else', no],
  ] as const;
  return Object.fromEntries(branches);
}

/** What the known arguments must be to be, with the awaited ones, a certain value. */
function mayBecome(value: Json, awaited: readonly string[]): Json {
  if (!isObject(value)) return false;
  const names = Object.keys(value);
  const known = Object.entries(value).filter(([name]) => !awaited.includes(name));
  return {
    type: 'object',
    required: names,
    maxProperties: names.length,
    properties: Object.fromEntries(known.map(([name, one]) => [name, { const: one }])),
  };
}

const toReference = (schema: Schema): Json => (typeof schema === 'boolean' ? schema : { $ref: schema.address });

const mapped = (schemas: ReadonlyMap<string, Schema>, change: (schema: Schema) => Json): JsonObject =>
  Object.fromEntries([...schemas].map(([name, schema]) => [name, change(schema)]));
