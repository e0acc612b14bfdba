import type { JsonObject } from '../ports/json.ts';
import type { LinearPattern } from './linear-pattern.ts';

export type Schema = boolean | SchemaNode;

/** A reference is resolved only after all schemas have been read. */
export interface Part {
  readonly schema: Schema;
}

/** Maps a schema to the subschemas of each part of a value. A `Judge` decides whether values fit. */
export class SchemaNode {
  readonly raw: JsonObject;
  pattern: LinearPattern | undefined;
  properties: ReadonlyMap<string, Schema> | undefined;
  patternProperties: readonly (readonly [LinearPattern, Schema])[] = [];
  additionalProperties: Schema | undefined;
  unevaluatedProperties: Schema | undefined;
  propertyNames: Schema | undefined;
  prefixItems: readonly Schema[] = [];
  items: Schema | undefined;
  contains: Schema | undefined;
  unevaluatedItems: Schema | undefined;
  /** Further parts of it: `allOf`, references. */
  readonly conjuncts: Part[] = [];
  anyOf: readonly Schema[] | undefined;
  oneOf: readonly Schema[] | undefined;
  dependentSchemas: ReadonlyMap<string, Schema> = new Map();
  condition: Schema | undefined;
  whenTrue: Schema | undefined;
  whenFalse: Schema | undefined;
  not: Schema | undefined;

  constructor(raw: JsonObject) {
    this.raw = raw;
  }

  /** Subschemas that apply to the same value. */
  get ofSameValue(): readonly Schema[] {
    const { conjuncts, anyOf = [], oneOf = [], dependentSchemas, condition, whenTrue, whenFalse, not } = this;
    const all = [
      ...conjuncts.map(({ schema }) => schema),
      ...anyOf,
      ...oneOf,
      ...dependentSchemas.values(),
      condition,
      whenTrue,
      whenFalse,
    ];
    return [...all, not].filter((one) => one !== undefined);
  }

  /** Subschemas that apply to a member of that name. */
  ofMember(name: string): readonly Schema[] {
    const named = this.properties?.get(name);
    const matching = this.patternProperties.filter(([pattern]) => pattern.test(name)).map(([, schema]) => schema);
    const own = named === undefined ? matching : [named, ...matching];
    if (own.length > 0) return own;
    return [this.additionalProperties ?? this.unevaluatedProperties].filter((one) => one !== undefined);
  }

  /** Subschemas that apply to an item, except `contains`. */
  ofItem(index: number): readonly Schema[] {
    return [this.prefixItems[index] ?? this.items ?? this.unevaluatedItems].filter((one) => one !== undefined);
  }
}
