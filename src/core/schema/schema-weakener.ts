import type { Json, JsonObject } from '../ports/json.ts';
import { isObject } from '../util/is-object.ts';
import { type Schema, SchemaNode } from './schema-node.ts';

/** Stands for an argument that is not known yet. Writing it by hand gains nothing, because arguments are checked again before the call. */
export const placeholder = '\u0000awaited';

type DependsOnAwaited = (schema: Schema) => boolean;

function dependsOn(awaited: readonly string[]): DependsOnAwaited {
  const known = new Map<SchemaNode, boolean>();
  const depends = (schema: Schema): boolean => {
    if (typeof schema === 'boolean') return false;
    const before = known.get(schema);
    if (before !== undefined) return before;
    const isOwn = schema.raw.const !== undefined || schema.raw.enum !== undefined;
    const readsNames = isOwn || awaited.some((name) => schema.ofMember(name).some((one) => typeof one !== 'boolean'));
    const answer = readsNames || schema.ofSameValue.some(depends);
    known.set(schema, answer);
    return answer;
  };
  return depends;
}

/** Weakens schemas of the arguments while some are awaited, and caches the results. */
export interface SchemaWeakener {
  readonly depends: DependsOnAwaited;
  /**
   * Returns a schema that accepts the known arguments, with a placeholder for each awaited one, if any values of the awaited ones would
   * make all of them fit the original. It shares the original's parts about known arguments.
   */
  readonly weaken: (schema: Schema) => Schema;
}

export function schemaWeakener(awaited: readonly string[]): SchemaWeakener {
  const depends = dependsOn(awaited);
  const made = new Map<SchemaNode, SchemaNode>();
  const weakened = (schema: Schema): Schema => {
    if (typeof schema === 'boolean' || !depends(schema)) return schema;
    const known = made.get(schema);
    if (known) return known;
    const node = new SchemaNode({});
    made.set(schema, node); // before its parts, which may lead back to it
    for (const part of partsOf(schema)) node.conjuncts.push({ schema: part });
    return node;
  };
  const partsOf = (schema: SchemaNode): Schema[] => {
    const { raw, conjuncts, anyOf, oneOf, dependentSchemas, not, condition, whenTrue = true, whenFalse = true } = schema;
    const parts: Schema[] = [ownRulesOf(schema, awaited), ...conjuncts.map((part) => weakened(part.schema))];
    if (anyOf) parts.push(nodeOf({ anyOf: anyOf.map(weakened) }));
    if (oneOf) parts.push(nodeOf({ [oneOf.some(depends) ? 'anyOf' : 'oneOf']: oneOf.map(weakened) }));
    if (dependentSchemas.size > 0) parts.push(nodeOf({ dependentSchemas: mapSchemas(dependentSchemas, weakened) }));
    if (not !== undefined && !depends(not)) parts.push(nodeOf({ not }));
    if (condition !== undefined) {
      const [yes, no] = [weakened(whenTrue), weakened(whenFalse)];
      parts.push(nodeOf(depends(condition) ? { anyOf: [yes, no] } : { condition, whenTrue: yes, whenFalse: no }));
    }
    if (raw.const !== undefined) parts.push(mayBecome(raw.const, awaited));
    if (Array.isArray(raw.enum)) parts.push(nodeOf({ anyOf: raw.enum.map((value: Json) => mayBecome(value, awaited)) }));
    return parts;
  };
  return {
    depends,
    weaken(schema) {
      try {
        return weakened(schema);
      } catch (error) {
        made.clear(); // a half-made schema accepts too much
        throw error;
      }
    },
  };
}

const nodeOf = (parts: Partial<Omit<SchemaNode, 'raw'>>, raw: JsonObject = {}): SchemaNode => Object.assign(new SchemaNode(raw), parts);

const ownKeywords = ['type', 'nullable', 'required', 'minProperties', 'maxProperties', 'dependentRequired', 'dependencies'];

/** The schema's own rules about known arguments and about the set of names. */
function ownRulesOf(schema: SchemaNode, awaited: readonly string[]): SchemaNode {
  const { raw, properties, patternProperties, additionalProperties, propertyNames } = schema;
  const ownRaw = Object.fromEntries(ownKeywords.flatMap((name) => (raw[name] === undefined ? [] : [[name, raw[name]]])));
  // a placeholder fits rules for names that are not listed
  const orPlaceholder = (one: Schema): Schema => one !== false && nodeOf({ anyOf: [nodeOf({}, { const: placeholder }), one] });
  return nodeOf(
    {
      properties: properties && new Map([...properties].map(([name, one]) => [name, (awaited.includes(name) && one !== false) || one])),
      patternProperties: patternProperties.map(([pattern, one]) => [pattern, orPlaceholder(one)]),
      additionalProperties: additionalProperties && orPlaceholder(additionalProperties),
      propertyNames,
    },
    ownRaw,
  );
}

/** Condition on the known arguments under which, with the awaited ones, they can equal a value. */
function mayBecome(value: Json, awaited: readonly string[]): Schema {
  if (!isObject(value)) return false;
  const names = Object.keys(value);
  const known = Object.entries(value).filter(([name]) => !awaited.includes(name));
  const properties = new Map(known.map(([name, one]) => [name, nodeOf({}, { const: one })]));
  return nodeOf({ properties }, { type: 'object', required: names, maxProperties: names.length });
}

const mapSchemas = (schemas: ReadonlyMap<string, Schema>, change: (schema: Schema) => Schema): ReadonlyMap<string, Schema> =>
  new Map([...schemas].map(([name, schema]) => [name, change(schema)]));
