import type { Json, JsonObject } from '../ports/json.ts';
import type { StandardSchema } from '../ports/standard-schema.ts';
import { isObject } from '../util/is-object.ts';
import { toJson } from '../util/to-json.ts';
import { withoutUndefined } from '../util/without-undefined.ts';
import { jsonSchemaValidator } from './json-schema-validator.ts';

/** A member in JSON Schema. Its TypeScript type is derived from `enum`, `anyOf`, `items`, `properties` and `type`. */
export interface SchemaPart {
  readonly type?: keyof Simple | 'array' | 'object' | readonly (keyof Simple)[];
  readonly enum?: readonly (string | number | boolean | null)[];
  readonly anyOf?: readonly SchemaPart[];
  readonly items?: SchemaPart;
  readonly properties?: Readonly<Record<string, SchemaPart>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | SchemaPart;
  readonly propertyNames?: SchemaPart;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  /** Description for readers. */
  readonly description?: string;
  /** Value of an absent member; only used for members of the object itself. */
  readonly default?: Json;
}

interface Simple {
  readonly string: string;
  readonly number: number;
  readonly integer: number;
  readonly boolean: boolean;
  readonly null: null;
}

type ValueOf<TPart> = TPart extends { readonly enum: readonly (infer TValue)[] } ? TValue : OfAny<TPart>;
type OfAny<TPart> = TPart extends { readonly anyOf: readonly (infer TOther)[] } ? ValueOf<TOther> : OfList<TPart>;
type OfList<TPart> = TPart extends { readonly type: 'array'; readonly items: infer TItem } ? readonly ValueOf<TItem>[] : OfObject<TPart>;
type OfObject<TPart> = TPart extends { readonly properties: infer TParts }
  ? { readonly [K in keyof TParts]: ValueOf<TParts[K]> }
  : OfName<TPart>;
type OfName<TPart> = TPart extends { readonly type: infer TName extends keyof Simple } ? Simple[TName] : OfNames<TPart>;
type OfNames<TPart> = TPart extends { readonly type: readonly (infer TName extends keyof Simple)[] } ? Simple[TName] : OfRest<TPart>;
type OfRest<TPart> = TPart extends { readonly type: 'object' } ? JsonObject : Json;

/** Members that may be absent from the input. */
type Absent<TParts, TOptional> = { [K in keyof TParts]: TParts[K] extends { readonly default: Json } ? K : K & TOptional }[keyof TParts];

/** The parsed object, with defaults filled in. */
type ParsedObject<TParts, TOptional> = { readonly [K in Exclude<keyof TParts, TOptional>]: ValueOf<TParts[K]> } & {
  readonly [K in keyof TParts & TOptional]?: ValueOf<TParts[K]> | undefined;
};

/** Type of the parsed value. */
export type SchemaOutput<TSchema> = TSchema extends StandardSchema<infer TOutput> ? TOutput : never;

type UnparsedObject<TParts, TOptional> = { readonly [K in Exclude<keyof TParts, Absent<TParts, TOptional>>]: ValueOf<TParts[K]> } & {
  readonly [K in Absent<TParts, TOptional>]?: ValueOf<TParts[K]> | undefined;
};

/**
 * Defines the arguments of a tool, or a model's reply, as an object with exactly these members in JSON Schema. Needs no library, so a
 * bundle stays small.
 *
 * @param options.optional Members that may be absent and have no `default`; all others without one are required. Default: none.
 * @example
 * const input = objectSchema({ query: { type: 'string', minLength: 1 }, limit: { type: 'integer', minimum: 1, maximum: 10, default: 5 } });
 */
export function objectSchema<
  const TParts extends Readonly<Record<string, SchemaPart>>,
  const TOptional extends keyof TParts & string = never,
>(
  properties: TParts,
  { optional = [] }: { readonly optional?: readonly TOptional[] } = {},
): StandardSchema<ParsedObject<TParts, TOptional>, UnparsedObject<TParts, TOptional>> {
  // Decision 339: shipped tools use this instead of zod, which took 24 kB gzipped of each bundle.
  const may: readonly string[] = optional;
  const required = Object.keys(properties).filter((name) => properties[name]?.default === undefined && !may.includes(name));
  const json = toJson(
    { type: 'object', properties, ...(required.length > 0 ? { required } : {}), additionalProperties: false },
    'schema',
  ) as JsonObject;
  return {
    '~standard': {
      version: 1,
      vendor: 'agent-machines',
      validate(value) {
        // an `undefined` member counts as absent
        const given = (isObject(value) ? withoutUndefined(value) : (value ?? null)) as Json;
        const compiled = jsonSchemaValidator.compile(json);
        const found = compiled.ok ? compiled.check(given) : [{ path: '', message: compiled.reason }];
        if (found.length > 0) return { issues: found.map(({ path, message }) => ({ message, path: keysOf(path) })) };
        return {
          value: withDefaults(json.properties as Readonly<Record<string, SchemaPart>>, given as JsonObject) as ParsedObject<
            TParts,
            TOptional
          >,
        };
      },
      jsonSchema: { input: () => json },
    },
  };
}

const keysOf = (pointer: string): readonly string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));

/** In the order of the schema. */
function withDefaults(properties: Readonly<Record<string, SchemaPart>>, given: JsonObject): JsonObject {
  const members: [string, Json][] = [];
  for (const [name, part] of Object.entries(properties)) {
    const member = Object.hasOwn(given, name) ? given[name] : part.default;
    if (member !== undefined) members.push([name, member]);
  }
  return Object.fromEntries(members);
}
