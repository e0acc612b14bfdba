import { rulesOf } from './rules.ts';
import { type Finding, type Findings, isCollecting, refuse } from './schema-finding.ts';
import type { Schema, SchemaNode } from './schema-node.ts';
import type { Place } from './value-place.ts';

/** Checks one value by interpreting schemas, without generating code. Each schema checks each place once, however many paths lead there. */
export class Judge {
  readonly #verdicts = new Map<Place, Map<SchemaNode, boolean>>();
  readonly #evaluated = new Map<Place, Map<SchemaNode, ReadonlySet<string>>>();

  /** True when the value at a place fits a schema. */
  fits(schema: Schema, place: Place): boolean {
    if (typeof schema === 'boolean') return schema;
    return once(this.#verdicts, schema, place, () => rulesOf(schema).every((rule) => rule(place, this, undefined)));
  }

  /** The same; with `findings`, records every violation. */
  apply(schema: Schema, place: Place, findings: Findings): boolean {
    if (this.fits(schema, place)) return true;
    if (isCollecting(findings)) this.#explain(schema, place, findings);
    return false;
  }

  /** Members of a place that a schema evaluates, without its own `unevaluatedProperties`. */
  evaluated(schema: SchemaNode, place: Place): ReadonlySet<string> {
    return once(this.#evaluated, schema, place, () => evaluatedBy(schema, place, this));
  }

  #explain(schema: Schema, place: Place, findings: Finding[]): void {
    if (typeof schema === 'boolean') refuse(findings, place, 'false schema', 'boolean schema is false');
    else for (const rule of rulesOf(schema)) rule(place, this, findings);
  }
}

function once<T>(known: Map<Place, Map<SchemaNode, T>>, schema: SchemaNode, place: Place, make: () => T): T {
  const ofPlace = known.get(place) ?? new Map<SchemaNode, T>();
  known.set(place, ofPlace);
  const before = ofPlace.get(schema);
  if (before !== undefined) return before;
  const made = make();
  ofPlace.set(schema, made);
  return made;
}

/** Members of a place that a schema evaluates, itself or through a matching schema of the same value. */
function evaluatedBy(schema: SchemaNode, place: Place, judge: Judge): ReadonlySet<string> {
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
