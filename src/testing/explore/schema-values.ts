import type { Json, JsonObject, JsonSchema } from '../../core/ports/json.ts';
import { Judge } from '../../core/schema/judge.ts';
import { SchemaDocument } from '../../core/schema/schema-document.ts';
import { toSupportedDraft } from '../../core/schema/to-supported-draft.ts';
import { UnusableSchemaError } from '../../core/schema/unusable-schema-error.ts';
import { Place } from '../../core/schema/value-place.ts';
import { asObject } from '../../core/util/as-object.ts';
import { canonicalJson } from '../../core/util/canonical-json.ts';
import { isObject } from '../../core/util/is-object.ts';
import { given, joined, listOf, targetOf, toSchema, typesOf } from '../schema-parts.ts';
import { distinctBy } from './distinct-by.ts';
import type { Constants } from './guard-texts.ts';
import { textsOf } from './text-values.ts';

/** Values that a schema allows. */
export interface SchemaValues {
  /** Distinct values, the most ordinary first. Each prefix of the list varies as many parts of a value as possible. */
  readonly values: readonly Json[];
  /** True if the schema allows no other value. Undeclared members of objects do not count. */
  readonly complete: boolean;
}

/** Number of references and recursions that are followed. */
const maxReferences = 4;
/** Maximum number of combinations of an object's members. Beyond it, one member changes at a time. */
const maxCombinations = 256;
/** Maximum number of values of a schema or a part of it. */
const maxValues = 512;
/** Largest list that a maximum length leads to. */
const maxLength = 12;
/** Number of items of which lists are made. */
const maxItems = 12;
/** Largest range of whole numbers that is listed completely. */
const maxRange = 40;

const nothing: SchemaValues = { values: [], complete: false };
const anything: SchemaValues = { values: ['x', 1, true, null, {}, []], complete: false };

/**
 * Returns typical and extreme values of a JSON Schema: all of a choice; bounds, lengths and their neighbours; present and absent members;
 * an example of each format and pattern. All of them fit the schema, as far as this package understands its keywords.
 *
 * @param constants Texts and numbers to try as well, with the neighbours of the numbers.
 * @returns no values for a schema that allows none, or that needs a value which cannot be derived from its keywords.
 */
export function valuesOfSchema(schema: JsonSchema, constants: Partial<Constants> = {}): SchemaValues {
  const proposed = new Proposer(schema, constants).valuesOf(schema, 0);
  const fits = checkOfSchema(schema);
  return { values: distinct(proposed.values).filter(fits), complete: proposed.complete };
}

/** Returns the check of a schema. A schema that this package cannot use takes everything. */
export function checkOfSchema(schema: JsonSchema): (value: Json) => boolean {
  if (!isObject(schema)) return () => schema;
  try {
    const { root } = new SchemaDocument(asObject(toSupportedDraft(schema)));
    return (value) => new Judge().fits(root, new Place(value));
  } catch (error) {
    if (error instanceof UnusableSchemaError) return () => true; // for example a pattern that needs more than linear time
    throw error;
  }
}

/** A member of an object, and the values that it can have. */
interface Member {
  readonly name: string;
  /** An empty list stands for an absent member. */
  readonly choices: readonly (readonly Json[])[];
}

class Proposer {
  readonly #root: JsonSchema;
  readonly #texts: readonly string[];
  readonly #numbers: readonly number[];

  constructor(root: JsonSchema, { texts = [], numbers = [] }: Partial<Constants>) {
    this.#root = root;
    this.#texts = texts;
    this.#numbers = numbers;
  }

  valuesOf(given: Json, depth: number): SchemaValues {
    const schema = toSchema(given);
    if (!isObject(schema)) return schema ? anything : { values: [], complete: true };
    if (depth > maxReferences) return nothing;
    const { values, complete } = this.#valuesOf(schema, depth);
    const typical = [...listOf(schema.examples), ...(schema.default === undefined ? [] : [schema.default])];
    const all = distinct([...typical, ...values]);
    return { values: all.slice(0, maxValues), complete: complete && all.length <= maxValues };
  }

  #valuesOf(schema: JsonObject, depth: number): SchemaValues {
    const { $ref, allOf, anyOf, oneOf, ...own } = schema;
    if (typeof $ref === 'string')
      return this.valuesOf(joined([{ ...own, ...given({ allOf, anyOf, oneOf }) }, targetOf(this.#root, $ref)]), depth + 1);
    const parts = listOf(allOf);
    if (parts.length > 0) {
      const [whole, deepest] = this.#resolved(parts, depth);
      return this.valuesOf(joined([{ ...own, ...given({ anyOf, oneOf }) }, ...whole]), deepest);
    }
    if (anyOf !== undefined || oneOf !== undefined) {
      const rest = anyOf === undefined ? own : { ...own, ...given({ oneOf }) };
      return eitherOf(listOf(anyOf ?? oneOf).map((branch) => this.valuesOf(branch === false ? false : joined([rest, branch]), depth)));
    }
    if (schema.const !== undefined) return { values: [schema.const], complete: true };
    if (Array.isArray(schema.enum)) return { values: schema.enum, complete: true };
    const types = typesOf(schema);
    return types.length === 0 ? anything : eitherOf(types.map((type) => this.#ofType(type, schema, depth)));
  }

  /** Replaces references by their targets, because a merged schema can hold only one reference. */
  #resolved(parts: readonly Json[], depth: number): readonly [parts: readonly Json[], depth: number] {
    let deepest = depth;
    const whole = parts.map((part) => {
      let at: Json = part;
      for (let count = 0; isObject(at) && typeof at.$ref === 'string' && count < maxReferences; count++) {
        const { $ref, ...own }: JsonObject = at;
        at = joined([own, targetOf(this.#root, String($ref))]);
        deepest = Math.max(deepest, depth + count + 1);
      }
      return at;
    });
    return [whole, deepest];
  }

  #ofType(type: Json, schema: JsonObject, depth: number): SchemaValues {
    switch (type) {
      case 'object':
        return this.#objects(schema, depth);
      case 'array':
        return this.#lists(schema, depth);
      case 'string':
        return { values: textsOf(schema, this.#texts), complete: schema.maxLength === 0 };
      case 'integer':
      case 'number':
        return numbersOf(schema, type === 'integer', this.#numbers);
      case 'boolean':
        return { values: [true, false], complete: true };
      case 'null':
        return { values: [null], complete: true };
      default:
        return nothing;
    }
  }

  #objects(schema: JsonObject, depth: number): SchemaValues {
    const properties = asObject(schema.properties);
    const required = listOf(schema.required).map(String);
    const { additionalProperties = false } = schema;
    const undeclared = required.filter((name) => !Object.hasOwn(properties, name));
    const others = toSchema(schema.additionalProperties ?? true);
    const isMap = Object.keys(properties).length === 0 && additionalProperties !== false;
    const names = isMap ? this.#names(schema, depth).filter((name) => !undeclared.includes(name)) : [];
    const parts = [
      ...Object.entries(properties).map(([name, member]) => ({
        name,
        found: this.valuesOf(member, depth),
        isRequired: required.includes(name),
      })),
      ...undeclared.map((name) => ({ name, found: this.valuesOf(others, depth), isRequired: true })),
      ...names.map((name) => ({ name, found: this.valuesOf(others, depth), isRequired: false })),
    ];
    const members = parts.map(({ name, found, isRequired }): Member => {
      const present = found.values.map((value) => [value]);
      // inside a recursive value, an ordinary one is small
      const optional = depth > 1 ? [[], ...present] : [...present, []];
      return { name, choices: isRequired ? present : optional };
    });
    const { combined, isCut } = combinationsOf(members);
    const values = combined.map((choices) => Object.fromEntries(choices.flatMap(([name, choice]) => choice.map((value) => [name, value]))));
    return { values, complete: !isCut && !isMap && parts.every(({ found }) => found.complete) };
  }

  /** Returns names of members of a map. */
  #names({ propertyNames, minProperties }: JsonObject, depth: number): readonly string[] {
    const count = Math.min(Math.max(2, Number(minProperties ?? 0)), maxLength);
    const allowed = isObject(propertyNames) ? this.valuesOf(joined([{ type: 'string' }, propertyNames]), depth).values : [];
    const narrow = isObject(propertyNames) && Object.keys(propertyNames).some((keyword) => keyword !== 'type');
    const free = narrow ? [] : Array.from({ length: count }, (_, index) => `key${index + 1}`);
    return [...free, ...allowed.filter((name) => typeof name === 'string' && name !== '').map(String)].slice(0, count);
  }

  #lists(schema: JsonObject, depth: number): SchemaValues {
    const { items = true, contains, prefixItems, uniqueItems } = asObject(toSupportedDraft(schema));
    const prefix = listOf(prefixItems).map((item) => this.valuesOf(item, depth));
    const least = Number(schema.minItems ?? 0);
    const most = Number(schema.maxItems ?? Number.POSITIVE_INFINITY);
    const heads = combinationsOf(prefix.map(({ values }, index) => ({ name: String(index), choices: values.map((value) => [value]) })));
    const firsts = heads.combined.map((choices) => choices.flatMap(([, choice]) => choice));
    const contained = contains === undefined ? [] : this.valuesOf(contains, depth).values.slice(0, 1);
    const kinds = distinct([...contained, ...this.valuesOf(items, depth).values]).slice(0, maxItems);
    const lengths = [...new Set([least + (least === 0 ? 1 : 0), least, least + 1, least + 2, most - 1, most])]
      .filter((length) => length >= least && length <= most && (length <= maxLength || length === least))
      .map((length) => Math.max(0, length - prefix.length));
    const tails = interleaved([...new Set(lengths)].map((length) => listsOf(kinds, length, uniqueItems === true)));
    const [first = []] = firsts;
    const [tail = []] = tails;
    const lists = firsts.length === 0 ? [] : [...tails.map((each) => [...first, ...each]), ...firsts.map((each) => [...each, ...tail])];
    const isWhole = !heads.isCut && prefix.every(({ complete }) => complete) && (items === false || most <= prefix.length);
    return { values: lists, complete: isWhole };
  }
}

/** Returns lists of one kind of item each, and two mixed ones. */
function listsOf(kinds: readonly Json[], length: number, isUnique: boolean): readonly (readonly Json[])[] {
  if (length === 0) return [[]];
  if (isUnique && length > 1) return kinds.length < length ? [] : [kinds.slice(0, length), kinds.slice(-length)];
  const [one, two] = kinds;
  const alone = kinds.map((kind) => Array<Json>(length).fill(kind));
  if (length < 2 || one === undefined || two === undefined) return alone;
  const [first = [], ...rest] = alone;
  return [
    first,
    Array.from({ length }, (_, at) => (at % 2 === 0 ? one : two)),
    Array.from({ length }, (_, at) => (at % 2 === 0 ? two : one)),
    ...rest,
  ];
}

function numbersOf(schema: JsonObject, isWhole: boolean, literals: readonly number[]): SchemaValues {
  const bound = (keyword: string): readonly number[] => {
    const value = schema[keyword];
    // the limits of safe integers are no limits of the user
    return typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER ? [value] : [];
  };
  const low = Math.max(...bound('minimum'), ...bound('exclusiveMinimum'));
  const high = Math.min(...bound('maximum'), ...bound('exclusiveMaximum'));
  const multiple = typeof schema.multipleOf === 'number' && schema.multipleOf > 0 ? schema.multipleOf : 0;
  const step = isWhole && !Number.isInteger(multiple) ? 1 : multiple || (isWhole ? 1 : 0);
  const near = step || 1;
  const fits = (value: number): boolean =>
    value >= low &&
    value <= high &&
    !bound('exclusiveMinimum').includes(value) &&
    !bound('exclusiveMaximum').includes(value) &&
    (step === 0 || isMultiple(value, step));
  if (step > 0 && (high - low) / step <= maxRange) {
    const from = Math.ceil(low / step);
    const values = Array.from({ length: Math.floor(high / step) - from + 1 }, (_, index) => times(from + index, step));
    return { values: values.filter(fits), complete: Number.isInteger(step) }; // libraries differ in multiples of a fraction
  }
  const wanted = [
    ...[1, 0, -1].map((count) => count * near),
    ...[low, high].flatMap((end) => (Number.isFinite(end) ? [end, end + near, end - near] : [])),
    ...(high - low < 2 * near ? [(low + high) / 2] : []),
    ...literals.flatMap((literal) => [literal, literal - near, literal + near]),
    ...(isWhole ? [] : [0.5]),
  ];
  const values = wanted.flatMap((value) =>
    step === 0 ? [value] : [times(Math.floor(value / step), step), times(Math.ceil(value / step), step)],
  );
  return { values: values.filter(fits).map((value) => (value === 0 ? 0 : value)), complete: false }; // JSON has no -0
}

/** `count * step` without the error of binary fractions, such as 3 * 0.1. */
const times = (count: number, step: number): number => Number((count * step).toPrecision(15));

const isMultiple = (value: number, step: number): boolean => times(Math.round(value / step), step) === value;

function eitherOf(all: readonly SchemaValues[]): SchemaValues {
  return { values: interleaved(all.map(({ values }) => values)), complete: all.every(({ complete }) => complete) };
}

type Choices = readonly (readonly [name: string, choice: readonly Json[]])[];

/**
 * Combines choices: the first of each, then one other choice at a time, then all remaining combinations if there are few. If some member
 * has no choice, there is no combination.
 */
function combinationsOf(members: readonly Member[]): { readonly combined: readonly Choices[]; readonly isCut: boolean } {
  if (members.some(({ choices }) => choices.length === 0)) return { combined: [], isCut: false };
  const base: Choices = members.map(({ name, choices }) => [name, choices[0] ?? []]);
  const single = interleaved(
    members.map(({ name, choices }) =>
      choices.slice(1).map((choice) => base.map((each) => (each[0] === name ? ([name, choice] as const) : each))),
    ),
  );
  const leanest: Choices = members.map(({ name, choices }) => [name, choices.find((choice) => choice.length === 0) ?? choices[0] ?? []]);
  const count = members.reduce((product, { choices }) => product * choices.length, 1);
  const isCut = count > maxCombinations;
  let product: Choices[] = isCut ? [] : [[]];
  if (!isCut)
    for (const { name, choices } of members)
      product = product.flatMap((made) => choices.map((choice) => [...made, [name, choice] as const]));
  return { combined: [base, ...single, leanest, ...product], isCut };
}

/** Returns the first of each list, then the second of each, and so on. */
function interleaved<T>(lists: readonly (readonly T[])[]): readonly T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list.slice(at, at + 1))).flat();
}

const distinct = (values: readonly Json[]): readonly Json[] => distinctBy(values, canonicalJson);
