import { shorten } from '../errors/shorten.ts';
import type { Json } from '../ports/json.ts';
import { isObject } from '../util/is-object.ts';
import { equalJson } from './equal-json.ts';
import type { Judge } from './judge.ts';
import { type Findings, refuse, unknownArgument } from './schema-finding.ts';
import type { Schema, SchemaNode } from './schema-node.ts';
import { placeholder } from './schema-weakener.ts';
import { Place } from './value-place.ts';

/** One keyword's verdict on a place. With findings it records every violation; without, it stops at the first. */
export type Rule = (place: Place, judge: Judge, findings: Findings) => boolean;

const rulesOfNode = new WeakMap<SchemaNode, readonly Rule[]>();

/** Rules of a schema, in the order of its keywords. */
export function rulesOf(schema: SchemaNode): readonly Rule[] {
  const before = rulesOfNode.get(schema);
  if (before) return before;
  const rules = [typeRule, limitRules, patternRule, valueRules, logicRules, listRules, objectRules].flatMap((make) => make(schema));
  rulesOfNode.set(schema, rules);
  return rules;
}

/** Like `every`, but checks all items if findings are recorded. */
function all<T>(items: Iterable<T>, findings: Findings, fits: (item: T) => boolean): boolean {
  let isFitting = true;
  for (const item of items) {
    if (fits(item)) continue;
    if (!findings) return false;
    isFitting = false;
  }
  return isFitting;
}

const isType: Readonly<Record<string, (value: Json) => boolean>> = {
  null: (value) => value === null,
  boolean: (value) => typeof value === 'boolean',
  number: (value) => typeof value === 'number',
  integer: Number.isInteger,
  string: (value) => typeof value === 'string',
  array: Array.isArray,
  object: isObject,
};

function typeRule({ raw }: SchemaNode): Rule[] {
  if (raw.type === undefined) return [];
  const types = [raw.type].flat().map(String);
  if (raw.nullable === true && !types.includes('null')) types.push('null');
  const tests = types.map((type) => isType[type] ?? (() => false));
  return [(place, _, findings) => tests.some((test) => test(place.value)) || refuse(findings, place, 'type', `must be ${types.join(',')}`)];
}

type Limit = readonly [
  keyword: string,
  /** `undefined` for a value of another type. */
  measure: (place: Place) => number | undefined,
  fits: (measured: number, limit: number) => boolean,
  message: (limit: number) => string,
];

const number = ({ value }: Place): number | undefined => (typeof value === 'number' ? value : undefined);
/** In code points, as JSON Schema counts. */
const length = ({ value }: Place): number | undefined => (typeof value === 'string' ? [...value].length : undefined);
const items = ({ isList, keys }: Place): number | undefined => (isList ? keys.length : undefined);
const members = ({ isObject, keys }: Place): number | undefined => (isObject ? keys.length : undefined);
const most = (measured: number, limit: number): boolean => measured <= limit;
const least = (measured: number, limit: number): boolean => measured >= limit;
/** Decimal, because 19.99 is a multiple of 0.01 but not in binary. */
function isMultiple(value: number, factor: number): boolean {
  const times = value / factor;
  return Math.abs(Math.round(times) - times) <= 1e-6;
}

const limits: readonly Limit[] = [
  ['maximum', number, most, (limit) => `must be <= ${limit}`],
  ['minimum', number, least, (limit) => `must be >= ${limit}`],
  ['exclusiveMaximum', number, (value, limit) => value < limit, (limit) => `must be < ${limit}`],
  ['exclusiveMinimum', number, (value, limit) => value > limit, (limit) => `must be > ${limit}`],
  ['multipleOf', number, isMultiple, (limit) => `must be multiple of ${limit}`],
  ['maxLength', length, most, (limit) => `must NOT have more than ${limit} characters`],
  ['minLength', length, least, (limit) => `must NOT have fewer than ${limit} characters`],
  ['maxItems', items, most, (limit) => `must NOT have more than ${limit} items`],
  ['minItems', items, least, (limit) => `must NOT have fewer than ${limit} items`],
  ['maxProperties', members, most, (limit) => `must NOT have more than ${limit} properties`],
  ['minProperties', members, least, (limit) => `must NOT have fewer than ${limit} properties`],
];

const limitRules = ({ raw }: SchemaNode): Rule[] =>
  limits.flatMap(([keyword, measure, fits, message]) => {
    const limit = raw[keyword];
    if (typeof limit !== 'number') return [];
    return (place: Place, _: Judge, findings: Findings) => {
      const measured = measure(place);
      return measured === undefined || fits(measured, limit) || refuse(findings, place, keyword, message(limit));
    };
  });

const patternRule = ({ pattern }: SchemaNode): Rule[] =>
  pattern === undefined
    ? []
    : [
        (place, _, findings) =>
          typeof place.value !== 'string' ||
          pattern.test(place.value) ||
          refuse(findings, place, 'pattern', `must match pattern "${pattern.source}"`),
      ];

function valueRules({ raw }: SchemaNode): Rule[] {
  const rules: Rule[] = [];
  const { const: only, enum: allowed } = raw;
  if (only !== undefined) {
    rules.push((place, _, findings) => {
      if (equalJson(place.value, only)) return true;
      // a known argument always differs from an awaited one
      return only !== placeholder && refuse(findings, place, 'const', `must be ${toText(only)}`);
    });
  }
  if (Array.isArray(allowed)) {
    let list: string | undefined; // computed once, because a megabyte of values may reject a thousand
    rules.push((place, _, findings) => {
      if ((allowed as readonly Json[]).some((value) => equalJson(place.value, value))) return true;
      if (!findings) return false;
      list ??= toList(allowed);
      return refuse(findings, place, 'enum', `must be equal to one of the allowed values: ${list}`);
    });
  }
  return rules;
}

const maxShown = 300;
const toText = (value: Json): string => shorten(JSON.stringify(value), maxShown);

/** The values as JSON, up to the number shown. */
function toList(values: readonly Json[]): string {
  let text = '';
  for (const value of values) {
    text += `${text === '' ? '' : ','}${toText(value)}`;
    if (text.length > maxShown) return `[${text}`;
  }
  return `[${text}]`;
}

function logicRules({ conjuncts, anyOf, oneOf, not, condition, whenTrue, whenFalse }: SchemaNode): Rule[] {
  const rules: Rule[] = [];
  if (not !== undefined) {
    rules.push((place, judge, findings) => !judge.fits(not, place) || refuse(findings, place, 'not', 'must NOT be valid'));
  }
  const explain = (schemas: readonly Schema[], place: Place, judge: Judge, findings: Findings): void => {
    if (findings) for (const schema of schemas) judge.apply(schema, place, findings);
  };
  if (anyOf) {
    rules.push((place, judge, findings) => {
      if (anyOf.some((schema) => judge.fits(schema, place))) return true;
      explain(anyOf, place, judge, findings);
      return refuse(findings, place, 'anyOf', 'must match a schema in anyOf');
    });
  }
  if (oneOf) {
    rules.push((place, judge, findings) => {
      const first = oneOf.findIndex((schema) => judge.fits(schema, place));
      const second = first < 0 ? -1 : oneOf.findIndex((schema, index) => index > first && judge.fits(schema, place));
      if (first >= 0 && second < 0) return true;
      explain(second < 0 ? oneOf : oneOf.slice(0, second), place, judge, findings);
      return refuse(findings, place, 'oneOf', 'must match exactly one schema in oneOf');
    });
  }
  for (const part of conjuncts) rules.push((place, judge, findings) => judge.apply(part.schema, place, findings));
  if (condition !== undefined) {
    rules.push((place, judge, findings) => {
      const [name, branch = true] = judge.fits(condition, place) ? ['then', whenTrue] : ['else', whenFalse];
      return judge.apply(branch, place, findings) || refuse(findings, place, 'if', `must match "${name}" schema`);
    });
  }
  return rules;
}

function listRules(schema: SchemaNode): Rule[] {
  const { raw, prefixItems, items: rest, contains, unevaluatedItems } = schema;
  const rules: Rule[] = [];
  const ofLists = (rule: Rule): number => rules.push((place, judge, findings) => !place.isList || rule(place, judge, findings));
  const tooMany = (findings: Findings, place: Place, keyword: string, limit: number): false =>
    refuse(findings, place, keyword, `must NOT have more than ${limit} items`);
  if (raw.uniqueItems === true) ofLists((place, _, findings) => isUnique(place, findings));
  if (prefixItems.length > 0) {
    ofLists((place, judge, findings) =>
      all(
        prefixItems.entries(),
        findings,
        ([index, one]) => index >= place.keys.length || judge.apply(one, place.member(`${index}`), findings),
      ),
    );
  }
  if (rest !== undefined) {
    ofLists((place, judge, findings) => {
      const keys = place.keys.slice(prefixItems.length);
      if (rest === false && prefixItems.length > 0) {
        return keys.length === 0 || tooMany(findings, place, 'items', prefixItems.length);
      }
      return all(keys, findings, (key) => judge.apply(rest, place.member(key), findings));
    });
  }
  if (contains !== undefined) ofLists(containsRule(schema, contains));
  if (unevaluatedItems !== undefined) {
    ofLists((place, judge, findings) => {
      const evaluated = judge.evaluated(schema, place);
      const keys = place.keys.filter((key) => !evaluated.has(key));
      if (unevaluatedItems === false) return keys.length === 0 || tooMany(findings, place, 'unevaluatedItems', evaluated.size);
      return all(keys, findings, (key) => judge.apply(unevaluatedItems, place.member(key), findings));
    });
  }
  return rules;
}

function isUnique(place: Place, findings: Findings): boolean {
  const values = place.value as readonly Json[];
  for (const [last, value] of values.entries()) {
    const first = values.findIndex((other, index) => index >= last || equalJson(other, value));
    if (first === last) continue;
    return refuse(findings, place, 'uniqueItems', `must NOT have duplicate items (items ## ${first} and ${last} are identical)`);
  }
  return true;
}

function containsRule({ raw }: SchemaNode, contains: Schema): Rule {
  const { minContains = 1, maxContains } = raw;
  const [min, max] = [Number(minContains), maxContains === undefined ? Number.POSITIVE_INFINITY : Number(maxContains)];
  const message = `must contain at least ${min}${maxContains === undefined ? '' : ` and no more than ${max}`} valid item(s)`;
  return (place, judge, findings) => {
    const fitting = place.keys.filter((key) => judge.fits(contains, place.member(key))).length;
    if (fitting >= min && fitting <= max) return true;
    if (findings) for (const key of place.keys) judge.apply(contains, place.member(key), findings);
    return refuse(findings, place, 'contains', message);
  };
}

function objectRules(schema: SchemaNode): Rule[] {
  const { raw, properties, patternProperties, additionalProperties, unevaluatedProperties, propertyNames, dependentSchemas } = schema;
  const rules: Rule[] = [];
  const ofObjects = (rule: Rule): number => rules.push((place, judge, findings) => !place.isObject || rule(place, judge, findings));
  const { required } = raw;
  if (Array.isArray(required)) {
    const message = (name: string): string => `must have required property '${name}'`;
    ofObjects((place, _, findings) =>
      all(required.map(String), findings, (name) => place.has(name) || refuse(findings, place, 'required', message(name))),
    );
  }
  for (const keyword of ['dependencies', 'dependentRequired']) rules.push(...dependencyRules(raw[keyword], keyword));
  if (propertyNames !== undefined) {
    ofObjects((place, judge, findings) =>
      all(
        place.keys,
        findings,
        (key) =>
          judge.apply(propertyNames, new Place(key, place.path), findings) ||
          refuse(findings, place, 'propertyNames', 'property name must be valid'),
      ),
    );
  }
  const rest = (keyword: string, one: Schema, place: Place, judge: Judge, findings: Findings, keys: readonly string[]): boolean =>
    all(keys, findings, (key) =>
      one === false ? refuse(findings, place.member(key), keyword, unknownArgument) : judge.apply(one, place.member(key), findings),
    );
  const isNamed = (key: string): boolean => properties?.has(key) || patternProperties.some(([pattern]) => pattern.test(key));
  if (additionalProperties !== undefined) {
    ofObjects((place, judge, findings) => {
      const keys = place.keys.filter((key) => !isNamed(key));
      return rest('additionalProperties', additionalProperties, place, judge, findings, keys);
    });
  }
  const named = (place: Place, judge: Judge, findings: Findings, name: string, one: Schema): boolean =>
    !place.has(name) || judge.apply(one, place.member(name), findings);
  if (properties)
    ofObjects((place, judge, findings) => all(properties, findings, ([name, one]) => named(place, judge, findings, name, one)));
  for (const [pattern, one] of patternProperties) {
    ofObjects((place, judge, findings) =>
      all(place.keys, findings, (key) => !pattern.test(key) || judge.apply(one, place.member(key), findings)),
    );
  }
  for (const [name, one] of dependentSchemas) {
    ofObjects((place, judge, findings) => !place.has(name) || judge.apply(one, place, findings));
  }
  if (unevaluatedProperties !== undefined) {
    ofObjects((place, judge, findings) => {
      const evaluated = judge.evaluated(schema, place);
      const keys = place.keys.filter((key) => !evaluated.has(key));
      return rest('unevaluatedProperties', unevaluatedProperties, place, judge, findings, keys);
    });
  }
  return rules;
}

function dependencyRules(needs: Json | undefined, keyword: string): Rule[] {
  return Object.entries(isObject(needs) ? needs : {}).flatMap(([name, needed]) => {
    if (!Array.isArray(needed)) return [];
    const message = `must have ${needed.length === 1 ? 'property' : 'properties'} ${needed.join(', ')} when property ${name} is present`;
    const rule: Rule = (place, _, findings) =>
      !place.has(name) || needed.every((one) => place.has(String(one))) || refuse(findings, place, keyword, message);
    return rule;
  });
}
