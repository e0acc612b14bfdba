import fc from 'fast-check';
import type { WorkflowError } from '../../core/errors/errors.ts';
import type { Json, JsonObject, JsonSchema } from '../../core/ports/json.ts';
import type { SchemaValidator } from '../../core/ports/schema-validator.ts';
import { jsonSchemaValidator } from '../../core/schema/json-schema-validator.ts';
import { asObject } from '../../core/util/as-object.ts';
import { canonicalJson } from '../../core/util/canonical-json.ts';
import { optionInvalid } from '../../core/util/check-options.ts';
import { isObject } from '../../core/util/is-object.ts';
import { given, joined, listOf, targetOf, toSchema, typesOf } from '../schema-parts.ts';
import { arbitraryText } from './arbitrary-text.ts';
import { someOf } from './some-of.ts';

export interface ArbitraryJsonOptions {
  /** Decides which values are valid. @default jsonSchemaValidator */
  readonly validator?: SchemaValidator;
}

/**
 * Values that a JSON Schema accepts, such as the arguments of a tool. Undeclared members are never made.
 *
 * Values are built from types, bounds, choices, patterns and references of the schema. Keywords such as `not`, `if` and `contains` only
 * filter them.
 * @throws {WorkflowError} `OPTION_INVALID` for an invalid schema, or if 500 attempts found no value.
 * @example fc.property(arbitraryJson(tool.inputSchema), (args) => …)
 */
export function arbitraryJson(schema: JsonSchema, { validator = jsonSchemaValidator }: ArbitraryJsonOptions = {}): fc.Arbitrary<Json> {
  const compiled = validator.compile(schema);
  if (!compiled.ok) throw invalid(`the schema is invalid (${compiled.reason})`);
  const likely = new Builder(schema).build(schema, 0);
  return someOf(likely, (value) => compiled.check(value).length === 0, 'no value that matches the schema');
}

/** Depth of references and alternatives from which only required parts are made. */
const deep = 4;
const tooDeep = 12;

class Builder {
  readonly #root: JsonSchema;
  readonly #made = new Map<JsonSchema, Map<number, fc.Arbitrary<Json>>>();

  constructor(root: JsonSchema) {
    this.#root = root;
  }

  build(schema: JsonSchema, depth: number): fc.Arbitrary<Json> {
    if (!isObject(schema)) return anything;
    if (depth > tooDeep) return fc.constant(null); // the value would be infinite, or too large to read
    const byDepth = this.#made.get(schema) ?? new Map<number, fc.Arbitrary<Json>>();
    this.#made.set(schema, byDepth);
    const made = byDepth.get(depth) ?? this.#make(schema, depth);
    byDepth.set(depth, made);
    return made;
  }

  #make(schema: JsonObject, depth: number): fc.Arbitrary<Json> {
    const { $ref, allOf, anyOf, oneOf, ...own } = schema;
    if (typeof $ref === 'string') return this.build(joined([own, targetOf(this.#root, $ref)]), depth + 1);
    const parts = listOf(allOf);
    if (parts.length > 0) return this.build(joined([{ ...own, ...given({ anyOf, oneOf }) }, ...parts]), depth + 1);
    const branches = listOf(anyOf ?? oneOf);
    if (branches.length > 0) {
      const rest = anyOf === undefined ? own : { ...own, ...given({ oneOf }) };
      const kept =
        depth < deep
          ? branches
          : branches
              .slice()
              .sort((a, b) => sizeOf(a) - sizeOf(b))
              .slice(0, 1);
      return fc.oneof(...kept.map((branch) => this.build(joined([rest, branch]), depth + 1)));
    }
    if (schema.const !== undefined) return fc.constant(schema.const);
    if (Array.isArray(schema.enum) && schema.enum.length > 0) return fc.constantFrom(...(schema.enum as readonly Json[]));
    const types = typesOf(schema);
    return types.length === 0 ? anything : fc.oneof(...types.map((type) => this.#ofType(type, schema, depth)));
  }

  #ofType(type: Json, schema: JsonObject, depth: number): fc.Arbitrary<Json> {
    switch (type) {
      case 'object':
        return this.#object(schema, depth);
      case 'array':
        return this.#array(schema, depth);
      case 'string':
        return text(schema);
      case 'integer':
      case 'number':
        return number(schema, type);
      case 'boolean':
        return fc.boolean();
      default:
        return fc.constant(null);
    }
  }

  #object(schema: JsonObject, depth: number): fc.Arbitrary<Json> {
    const required = listOf(schema.required).map(String);
    const properties = Object.entries(asObject(schema.properties)).filter(
      ([name, member]) => member !== false && (depth < deep || required.includes(name)),
    );
    const members = properties.map(([name, member]) => [name, this.build(toSchema(member), depth + 1)] as const);
    const known = members.map(([name]) => name);
    const record: fc.Arbitrary<JsonObject> = fc.record(Object.fromEntries(members), {
      requiredKeys: required.filter((name) => known.includes(name)),
      noNullPrototype: true,
    });
    const { additionalProperties } = schema;
    const least = Number(schema.minProperties ?? 0);
    // argument checks close an object without declared members, so only a map gets arbitrary names
    if (!isObject(additionalProperties) || (depth >= deep && least <= known.length)) return record;
    const more = fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), this.build(toSchema(additionalProperties), depth + 1), {
      minKeys: Math.max(0, least - known.length),
      maxKeys: Math.max(3, least),
      noNullPrototype: true,
    });
    return fc.tuple(record, more).map(([own, others]) => ({ ...others, ...own }));
  }

  #array(schema: JsonObject, depth: number): fc.Arbitrary<Json> {
    const first = listOf(schema.prefixItems).map((item) => this.build(toSchema(item), depth + 1));
    const least = Math.max(0, Number(schema.minItems ?? 0) - first.length);
    const wanted = depth < deep && schema.items !== false ? 3 : 0;
    const most = Math.max(least, Math.min(least + wanted, Number(schema.maxItems ?? Number.POSITIVE_INFINITY) - first.length));
    const item = this.build(toSchema(schema.items ?? true), depth + 1);
    const bounds = { minLength: least, maxLength: most };
    const rest = schema.uniqueItems === true ? fc.uniqueArray(item, { ...bounds, selector: canonicalJson }) : fc.array(item, bounds);
    return fc.tuple(fc.tuple(...first), rest).map(([head, tail]) => [...head, ...tail]);
  }
}

const scalar: fc.Arbitrary<Json> = fc.oneof(fc.constant(null), fc.boolean(), fc.integer({ min: -10, max: 1_000 }), arbitraryText());
const anything: fc.Arbitrary<Json> = fc.oneof(scalar, fc.array(scalar, { maxLength: 2 }));

const formats: Readonly<Record<string, () => fc.Arbitrary<string>>> = {
  date: () => moment().map((at) => at.slice(0, 10)),
  'date-time': () => moment(),
  time: () => moment().map((at) => at.slice(11)),
  email: () => fc.emailAddress(),
  uri: () => fc.webUrl(),
  uuid: () => fc.uuid(),
  ipv4: () => fc.ipV4(),
  ipv6: () => fc.ipV6(),
  hostname: () => fc.domain(),
};

const moment = (): fc.Arbitrary<string> =>
  fc.integer({ min: Date.UTC(2000, 0), max: Date.UTC(2040, 0) }).map((at) => new Date(at - (at % 1_000)).toISOString().replace('.000', ''));

function text({ pattern, format, minLength, maxLength }: JsonObject): fc.Arbitrary<string> {
  if (typeof pattern === 'string') {
    try {
      return fc.stringMatching(new RegExp(pattern, 'u'));
    } catch {
      // fast-check or JavaScript cannot parse the pattern, so the filter discards values that do not match
    }
  }
  const known = typeof format === 'string' && Object.hasOwn(formats, format) ? formats[format] : undefined;
  if (known) return known();
  return arbitraryText({ minLength: Number(minLength ?? 0), ...(maxLength === undefined ? {} : { maxLength: Number(maxLength) }) });
}

/** Default range of numbers without bounds. */
const reach = 1_000;

function number(schema: JsonObject, type: 'integer' | 'number'): fc.Arbitrary<number> {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const whole = type === 'integer';
  const step = typeof multipleOf === 'number' ? multipleOf : whole ? 1 : 0;
  const low = Math.max(...[minimum, exclusiveMinimum].map((bound) => (typeof bound === 'number' ? bound : Number.NEGATIVE_INFINITY)));
  const high = Math.min(...[maximum, exclusiveMaximum].map((bound) => (typeof bound === 'number' ? bound : Number.POSITIVE_INFINITY)));
  const min = Number.isFinite(low) ? low : Math.min(-reach, high - reach);
  const max = Number.isFinite(high) ? high : Math.max(reach, min + reach);
  const unit = step === 0 ? 1 : step;
  const [least, most] = [Math.ceil(min / unit), Math.floor(max / unit)];
  const multiples = least <= most ? [fc.integer({ min: least, max: most }).map((n) => n * unit)] : [];
  if (step > 0 || min > max) return multiples[0] ?? fc.constant(min);
  const real = fc.double({ min, max, noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value)); // JSON has no -0
  return fc.oneof(...multiples, real);
}

const sizeOf = (value: Json): number => JSON.stringify(value).length;

const invalid = (why: string): WorkflowError =>
  optionInvalid(`Values cannot be generated from a schema: ${why}.`, 'Pass your own arbitrary for this schema.');
