import { evaluatedBy } from './evaluated-by.ts';
import { rulesOf } from './rules.ts';
import { type Finding, type Findings, hasRoom, refuse } from './schema-finding.ts';
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
    if (hasRoom(findings)) this.#explain(schema, place, findings);
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
