import { shorten } from '../errors/shorten.ts';
import type { Json, JsonObject } from '../ports/json.ts';
import { isObject } from '../util/is-object.ts';
import { escapePointer, readPointer, unescapePointer } from '../util/json-pointer.ts';
import { checkKeywords, unknownKeywords, unsupported } from './check-keywords.ts';
import { equalJson } from './equal-json.ts';
import { type LinearPattern, toLinearPattern } from './linear-pattern.ts';
import { assertEnds, maxDependencies, maxPatternSize, maxSchemas } from './schema-budget.ts';
import { type Part, type Schema, SchemaNode } from './schema-node.ts';
import { UnusableSchemaError } from './unusable-schema-error.ts';

/** Address of a schema without `$id`. */
const ownAddress = 'json-schema://self/';

/** A parsed foreign schema with all its parts and references. */
export class SchemaDocument {
  readonly root: Schema;
  /** Unchecked parts: formats and unknown keywords. */
  readonly ignored: Set<string> = new Set();
  readonly patterns: Map<string, LinearPattern> = new Map();
  readonly #nodes = new Map<JsonObject, SchemaNode>();
  readonly #bases = new Map<SchemaNode, string>();
  readonly #addressed = new Map<string, JsonObject>();
  readonly #dynamic = new Set<string>();
  #count = 0;
  #dependencies = 0;
  #patternSize = 0;
  #pending: (() => void)[] = [];

  /** @throws {UnusableSchemaError} with place and reason. */
  constructor(schema: JsonObject) {
    const { $schema: _draft, $id: _id, ...rest } = schema;
    const $id = withoutFragment(toUrl(typeof schema.$id === 'string' ? schema.$id : '', ownAddress, ''));
    this.root = this.#read({ ...rest, $id }, $id, '', $id);
    for (let pending = this.#pending; pending.length > 0; pending = this.#pending) {
      this.#pending = [];
      for (const resolve of pending) resolve();
    }
    assertEnds([...this.#nodes.values()]);
  }

  #read(raw: Json, base: string, path: string, ownId?: string): Schema {
    if (++this.#count > maxSchemas) throw new UnusableSchemaError(`it has more than ${maxSchemas} schemas`);
    if (typeof raw === 'boolean') return raw;
    const wrong = isObject(raw) ? checkKeywords(raw) : 'it must be an object or a boolean';
    if (wrong !== undefined || !isObject(raw))
      throw new UnusableSchemaError(`schema is invalid: ${path === '' ? '' : `at ${place(path)}, `}${wrong}`);
    const known = this.#nodes.get(raw);
    if (known) return known;
    const refused = unsupported(raw);
    if (refused !== undefined) throw new UnusableSchemaError(`${place(path)} cannot be used: ${refused}`);
    for (const keyword of unknownKeywords(raw)) this.ignored.add(`keyword ${JSON.stringify(shorten(keyword, 100))} is unknown`);
    const node = new SchemaNode(raw);
    this.#nodes.set(raw, node);
    const own = ownId ?? this.#baseOf(raw, base, path);
    this.#register(raw, own, own === base && ownId === undefined, path);
    this.#bases.set(node, own);
    this.#readMembers(node, own, path);
    return node;
  }

  #readMembers(node: SchemaNode, base: string, path: string): void {
    const { raw } = node;
    const one = (keyword: string): Schema | undefined => {
      const value = raw[keyword];
      return value === undefined ? undefined : this.#read(value, base, `${path}/${keyword}`);
    };
    const inner = (keyword: string, [name, value]: readonly [string, Json]): readonly [string, Schema] => [
      name,
      this.#read(value, base, `${path}/${keyword}/${escapePointer(name)}`),
    ];
    const map = (keyword: string): ReadonlyMap<string, Schema> | undefined => {
      const value = raw[keyword];
      return isObject(value) ? new Map(Object.entries(value).map((member) => inner(keyword, member))) : undefined;
    };
    const list = (keyword: string): readonly Schema[] | undefined => {
      const value = raw[keyword];
      return Array.isArray(value) ? Object.entries(value as readonly Json[]).map((member) => inner(keyword, member)[1]) : undefined;
    };
    one('contentSchema');
    map('$defs');
    map('definitions');
    if (typeof raw.format === 'string') this.ignored.add(`format ${JSON.stringify(shorten(raw.format, 100))} is not checked`);
    if (typeof raw.pattern === 'string') node.pattern = this.#pattern(raw.pattern, `${path}/pattern`);
    node.properties = map('properties');
    node.patternProperties = [...(map('patternProperties') ?? [])].map(([source, schema]) => [
      this.#pattern(source, `${path}/patternProperties`),
      schema,
    ]);
    for (const keyword of singles) node[keyword] = one(keyword);
    node.prefixItems = list('prefixItems') ?? [];
    for (const schema of list('allOf') ?? []) node.conjuncts.push({ schema });
    node.anyOf = list('anyOf');
    node.oneOf = list('oneOf');
    node.condition = one('if');
    node.whenTrue = one('then');
    node.whenFalse = one('else');
    const dependencies = Object.entries(isObject(raw.dependencies) ? raw.dependencies : {});
    const schemas = dependencies.filter(([, value]) => !Array.isArray(value));
    node.dependentSchemas = new Map([...(map('dependentSchemas') ?? []), ...schemas.map((member) => inner('dependencies', member))]);
    this.#countDependencies([...dependencies, ...Object.entries(isObject(raw.dependentRequired) ? raw.dependentRequired : {})]);
    for (const keyword of ['$ref', '$dynamicRef']) {
      const reference = raw[keyword];
      if (typeof reference === 'string') node.conjuncts.push(this.#refer(reference, base, `${path}/${keyword}`));
    }
    if (raw.$recursiveRef !== undefined) throw new UnusableSchemaError(`${place(path)} has a $recursiveRef, which is not supported`);
  }

  #countDependencies(lists: readonly (readonly [name: string, needed: Json])[]): void {
    for (const [, needed] of lists) if (Array.isArray(needed)) this.#dependencies += 1 + needed.length;
    if (this.#dependencies > maxDependencies)
      throw new UnusableSchemaError(`its properties have more than ${maxDependencies} dependencies`);
  }

  #baseOf(raw: JsonObject, base: string, path: string): string {
    return typeof raw.$id === 'string' ? withoutFragment(toUrl(raw.$id, base, path)) : base;
  }

  #register(raw: JsonObject, own: string, isPart: boolean, path: string): void {
    if (!isPart) this.#address(own, raw);
    if (typeof raw.$anchor === 'string') this.#address(`${own}#${raw.$anchor}`, raw);
    if (typeof raw.$dynamicAnchor !== 'string') return;
    if (this.#dynamic.has(raw.$dynamicAnchor)) {
      throw new UnusableSchemaError(`${place(path)} has a duplicate $dynamicAnchor, so its target is ambiguous`);
    }
    this.#dynamic.add(raw.$dynamicAnchor);
    this.#address(`${own}#${raw.$dynamicAnchor}`, raw);
  }

  #address(url: string, raw: JsonObject): void {
    const before = this.#addressed.get(url);
    if (before !== undefined && !equalJson(before, raw)) {
      throw new UnusableSchemaError(`${JSON.stringify(shorten(url, 100))} resolves to more than one schema`);
    }
    this.#addressed.set(url, raw);
  }

  #refer(reference: string, base: string, path: string): Part {
    const part: { schema: Schema } = { schema: true };
    this.#pending.push(() => {
      part.schema = this.#resolve(reference, base, path);
    });
    return part;
  }

  #resolve(reference: string, base: string, path: string): Schema {
    const missing = new UnusableSchemaError(
      `${place(path)} refers to ${JSON.stringify(shorten(reference, 100))}, which does not exist in the schema`,
    );
    const url = toUrl(reference, base, path);
    const document = withoutFragment(url);
    const fragment = url.slice(document.length + 1);
    if (fragment !== '' && !fragment.startsWith('/')) {
      const anchored = this.#addressed.get(`${document}#${decode(fragment)}`);
      if (!anchored) throw missing;
      return this.#read(anchored, document, path);
    }
    let at: Json | undefined = this.#addressed.get(document);
    let from = document;
    for (const part of fragment.split('/').slice(1)) {
      at = at === undefined ? undefined : readPointer(at, [unescapePointer(decode(part))]);
      const node: SchemaNode | undefined = isObject(at) ? this.#nodes.get(at) : undefined;
      from = (node && this.#bases.get(node)) ?? from;
    }
    if (at === undefined) throw missing;
    return this.#read(at, from, path);
  }

  #pattern(source: string, path: string): LinearPattern {
    const known = this.patterns.get(source);
    if (known) return known;
    try {
      const made = toLinearPattern(source);
      this.patterns.set(source, made);
      this.#patternSize += made.size;
      if (this.#patternSize > maxPatternSize) throw new UnusableSchemaError('the patterns together are too large');
      return made;
    } catch (error) {
      throw error instanceof UnusableSchemaError ? new UnusableSchemaError(`${place(path)}: ${error.message}`) : error;
    }
  }
}

const singles = ['additionalProperties', 'unevaluatedProperties', 'propertyNames', 'items', 'contains', 'unevaluatedItems', 'not'] as const;

const place = (path: string): string => (path === '' ? 'it' : shorten(path, 200));

function toUrl(reference: string, base: string, path: string): string {
  try {
    return new URL(reference, base).href;
  } catch {
    throw new UnusableSchemaError(`${place(path)} has ${JSON.stringify(shorten(reference, 100))}, which is not a URI`);
  }
}

const withoutFragment = (url: string): string => url.split('#', 1)[0] ?? '';

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
