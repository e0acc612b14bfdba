import type { JsonObject } from '../ports/json.ts';
import type { LinearPattern } from './linear-pattern.ts';

export type Schema = boolean | SchemaNode;

/** A schema that stands elsewhere is known only when all have been read. */
export interface Part {
  readonly schema: Schema;
}

/** Which schemas a schema applies to what. Whether a value fits them is for a `Judge` to say. */
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
  /** What it is made of as well: `allOf`, references. */
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

  /** The schemas that it applies to the very value that it is applied to. */
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

  /** The schemas that it applies to a member of that name. */
  ofMember(name: string): readonly Schema[] {
    const named = this.properties?.get(name);
    const matching = this.patternProperties.filter(([pattern]) => pattern.test(name)).map(([, schema]) => schema);
    const own = named === undefined ? matching : [named, ...matching];
    if (own.length > 0) return own;
    return [this.additionalProperties ?? this.unevaluatedProperties].filter((one) => one !== undefined);
  }

  /** The schemas that it applies to an item, but for `contains`. */
  ofItem(index: number): readonly Schema[] {
    return [this.prefixItems[index] ?? this.items ?? this.unevaluatedItems].filter((one) => one !== undefined);
  }
}
