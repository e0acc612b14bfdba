import type { Json, JsonObject } from '../ports/json.ts';
import { isObject } from '../util/is-object.ts';
import { type Schema, SchemaNode } from './schema-node.ts';

/** Stands for an argument that is not known yet. Who writes it himself gains nothing: arguments are checked again before the call. */
export const placeholder = '\u0000awaited';

/** Whether the verdict of a schema of the arguments depends on what the awaited ones are. */
type DependsOnAwaited = (schema: Schema) => boolean;

function dependsOn(awaited: readonly string[]): DependsOnAwaited {
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

/** What schemas of the arguments say while some of these are awaited; what it has made of a schema it keeps. */
export interface SchemaWeakener {
  readonly depends: DependsOnAwaited;
  /**
   * A schema that the known arguments fit, with a placeholder for each awaited one, whenever there are values of those with which all of them
   * fit the schema itself. It refers to the parts of the schema that are about the known ones.
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
    made.set(schema, node); // before its parts: they may lead back to it
    for (const part of partsOf(schema)) node.conjuncts.push({ schema: part });
    return node;
  };
  const partsOf = (schema: SchemaNode): Schema[] => {
    const { raw, conjuncts, anyOf, oneOf, dependentSchemas, not, condition, whenTrue = true, whenFalse = true } = schema;
    const parts: Schema[] = [keptOf(schema, awaited), ...conjuncts.map((part) => weakened(part.schema))];
    if (anyOf) parts.push(nodeOf({ anyOf: anyOf.map(weakened) }));
    if (oneOf) parts.push(nodeOf({ [oneOf.some(depends) ? 'anyOf' : 'oneOf']: oneOf.map(weakened) }));
    if (dependentSchemas.size > 0) parts.push(nodeOf({ dependentSchemas: mapped(dependentSchemas, weakened) }));
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
        made.clear(); // one that is half made accepts too much
        throw error;
      }
    },
  };
}

const nodeOf = (parts: Partial<Omit<SchemaNode, 'raw'>>, raw: JsonObject = {}): SchemaNode => Object.assign(new SchemaNode(raw), parts);

const ownKeywords = ['type', 'nullable', 'required', 'minProperties', 'maxProperties', 'dependentRequired', 'dependencies'];

/** What a schema says itself of the known arguments, and of which there are. */
function keptOf(schema: SchemaNode, awaited: readonly string[]): SchemaNode {
  const { raw, properties, patternProperties, additionalProperties, propertyNames } = schema;
  const kept = Object.fromEntries(ownKeywords.flatMap((name) => (raw[name] === undefined ? [] : [[name, raw[name]]])));
  // a placeholder fits what is said of names that are not written out
  const orPlaceholder = (one: Schema): Schema => one !== false && nodeOf({ anyOf: [nodeOf({}, { const: placeholder }), one] });
  return nodeOf(
    {
      properties: properties && new Map([...properties].map(([name, one]) => [name, (awaited.includes(name) && one !== false) || one])),
      patternProperties: patternProperties.map(([pattern, one]) => [pattern, orPlaceholder(one)]),
      additionalProperties: additionalProperties && orPlaceholder(additionalProperties),
      propertyNames,
    },
    kept,
  );
}

/** What the known arguments must be to be, with the awaited ones, a certain value. */
function mayBecome(value: Json, awaited: readonly string[]): Schema {
  if (!isObject(value)) return false;
  const names = Object.keys(value);
  const known = Object.entries(value).filter(([name]) => !awaited.includes(name));
  const properties = new Map(known.map(([name, one]) => [name, nodeOf({}, { const: one })]));
  return nodeOf({ properties }, { type: 'object', required: names, maxProperties: names.length });
}

const mapped = (schemas: ReadonlyMap<string, Schema>, change: (schema: Schema) => Schema): ReadonlyMap<string, Schema> =>
  new Map([...schemas].map(([name, schema]) => [name, change(schema)]));
