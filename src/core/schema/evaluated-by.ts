import type { Judge } from './judge.ts';
import type { Schema, SchemaNode } from './schema-node.ts';
import type { Place } from './value-place.ts';

/** Members of a place that a schema evaluates, itself or through a matching schema of the same value. */
export function evaluatedBy(schema: SchemaNode, place: Place, judge: Judge): ReadonlySet<string> {
  if (place.isObject ? schema.additionalProperties !== undefined : schema.items !== undefined) return new Set(place.keys);
  const isEvaluated = place.isObject
    ? (key: string) => schema.properties?.has(key) || schema.patternProperties.some(([pattern]) => pattern.test(key))
    : (key: string) =>
        Number(key) < schema.prefixItems.length || (schema.contains !== undefined && judge.fits(schema.contains, place.member(key)));
  const keys = new Set(place.keys.filter(isEvaluated));
  for (const same of saidOfSameValue(schema, place, judge)) {
    if (typeof same === 'boolean') continue;
    const isRest = place.isObject ? same.unevaluatedProperties !== undefined : same.unevaluatedItems !== undefined;
    for (const key of isRest ? place.keys : judge.evaluated(same, place)) keys.add(key);
  }
  return keys;
}

function* saidOfSameValue(schema: SchemaNode, place: Place, judge: Judge): Iterable<Schema> {
  for (const part of schema.conjuncts) yield part.schema;
  for (const one of [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) if (judge.fits(one, place)) yield one;
  for (const [name, one] of schema.dependentSchemas) if (place.has(name)) yield one;
  const { condition, whenTrue = true, whenFalse = true } = schema;
  if (condition === undefined) return;
  if (judge.fits(condition, place)) yield* [condition, whenTrue];
  else yield whenFalse;
}
