import type { CompiledSchema, Json, JsonObject, JsonSchema, SchemaIssue } from 'agent-machines';
import { jsonSchemaValidator } from 'agent-machines/tools';
import { describe, expect, it } from 'vitest';
import { judgeOf } from '../../../fixtures/judge-schema.ts';

const text = { type: 'string' } as const;

function compiled(schema: JsonSchema): Extract<CompiledSchema, { ok: true }> {
  const result = jsonSchemaValidator.compile(schema);
  if (!result.ok) throw new Error(result.reason);
  return result;
}

const check = (schema: JsonSchema, value: Json): readonly SchemaIssue[] => compiled(schema).check(value);

function reasonOf(schema: JsonSchema): string {
  const result = jsonSchemaValidator.compile(schema);
  return result.ok ? 'It was taken.' : result.reason;
}

// an object literal with `then` looks like a promise
const when = (condition: Json, whenTrue: Json, whenFalse: Json = true): JsonObject =>
  Object.fromEntries([
    ['if', condition],
    ['then', whenTrue],
    ['else', whenFalse],
  ]);

const undeclared = (path: string): unknown => expect.objectContaining({ path, message: 'is not a declared argument' });

describe('jsonSchemaValidator.compile', () => {
  it('compiles a schema once, even if it comes again as another object', () => {
    const schema: JsonSchema = { type: 'object', properties: { a: text } };
    expect(jsonSchemaValidator.compile(schema)).toBe(jsonSchemaValidator.compile(schema));
    expect(jsonSchemaValidator.compile(structuredClone(schema))).toBe(jsonSchemaValidator.compile(schema));
    const broken: JsonSchema = { type: 'object', properties: { a: { type: 'text' } } };
    expect(jsonSchemaValidator.compile(broken)).toBe(jsonSchemaValidator.compile(broken));
  });

  it('keeps the compiled schema after its owner changes the original', () => {
    const schema = { type: 'object', properties: { kept: { anyOf: [{ type: 'object', properties: { b: { ...text } } }] } } };
    const { check: judge } = compiled(schema);
    for (const part of [schema.properties.kept.anyOf[0], schema.properties]) Object.assign(part ?? {}, { properties: {}, other: text });
    expect(judge({ kept: { b: 'x' } })).toEqual([]);
    expect(
      check({ type: 'object', properties: { kept: { anyOf: [{ type: 'object', properties: { b: text } }] } } }, { kept: { b: 1 } }),
    ).not.toEqual([]);
  });

  it.each<[unknown, string]>([
    [Number.NaN, 'NaN'],
    [1n, 'bigint'],
    [new Date(0), 'Date'],
  ])('refuses a schema that JSON would change, with %s in it', (only, what) => {
    expect(check({ type: 'object', properties: { a: { const: null } } }, { a: null })).toEqual([]);
    const reason = reasonOf({ type: 'object', properties: { a: { const: only as Json } } });
    expect(reason).toContain('schema.properties.a.const is ');
    expect(reason).toContain(what);
  });

  it('still has the last schemas after very many', () => {
    const schemaOf = (index: number): JsonSchema => ({ type: 'object', properties: { [`a${index}`]: text } });
    for (let index = 0; index < 250; index++) expect(check(schemaOf(index), { [`a${index}`]: 'x' })).toEqual([]);
    expect(jsonSchemaValidator.compile(schemaOf(249))).toBe(jsonSchemaValidator.compile(schemaOf(249)));
    expect(check(schemaOf(0), { a1: 'x' })).toEqual([undeclared('/a1')]);
  });

  it('leaves the schema unchanged', () => {
    const schema: JsonSchema = {
      $id: 'http://tools.test/a',
      type: 'object',
      properties: { a: { type: 'object', properties: { b: text } } },
    };
    const before = structuredClone(schema);
    compiled(schema);
    expect(schema).toEqual(before);
  });

  it('reads a schema without a type as an object schema', () => {
    expect(check({ properties: { a: text }, required: ['a'] }, { a: 'x' })).toEqual([]);
    expect(check({}, {})).toEqual([]);
    expect(check({}, 'text')).toEqual([{ path: '', keyword: 'type', message: 'must be object' }]);
    expect(check({}, [])).toEqual([{ path: '', keyword: 'type', message: 'must be object' }]);
  });

  it('refuses a schema of another type than object', () => {
    for (const schema of [true, false]) expect(reasonOf(schema)).toBe('the schema of the arguments is not an object');
    expect(jsonSchemaValidator.compile(undefined as unknown as JsonSchema)).toMatchObject({ ok: false });
    for (const type of ['string', 'array', 'null', ['object', 'null'], ['object']]) {
      expect(reasonOf({ type })).toBe('the schema of the arguments is not of type "object"');
    }
  });

  it.each<[string, JsonSchema]>([
    ['an unknown type', { type: 'object', properties: { a: { type: 'text' } } }],
    ['a keyword with a value that it cannot have', { type: 'object', properties: { a: { type: 'string', minLength: '3' } } }],
    ['required as a text', { type: 'object', properties: { a: text }, required: 'a' }],
    ['required with a name twice', { type: 'object', properties: { a: text }, required: ['a', 'a'] }],
    ['a pattern that is no pattern', { type: 'object', properties: { a: { type: 'string', pattern: '(' } } }],
    ['a reference to nothing', { type: 'object', properties: { a: { $ref: '#/$defs/a' } } }],
    ['a reference to the network', { type: 'object', properties: { a: { $ref: 'https://schemas.test/a.json' } } }],
    ['a list for a schema', [] as unknown as JsonSchema],
    ['an exclusive minimum that is none', { type: 'object', properties: { a: { type: 'number', exclusiveMinimum: true } } }],
    ['an enum that is no list', { type: 'object', properties: { a: { enum: 'x' } } }],
    ['a property that is no schema', { type: 'object', properties: { a: 'string' } }],
    ['an asynchronous schema', { $async: true, type: 'object', properties: { a: text } }],
    ['an asynchronous schema inside', { type: 'object', properties: { a: { $async: true, type: 'string' } } }],
  ])('refuses %s, with a reason', (_, schema) => {
    expect(jsonSchemaValidator.compile(schema)).toEqual({ ok: false, reason: expect.stringMatching(/./) });
    expect(reasonOf(schema)).not.toBe('It was taken.');
  });

  it('reads the tuples of draft 7 at any place, and leaves everything else unchanged', () => {
    const tuple: JsonObject = { type: 'array', items: [text, { type: 'number' }], additionalItems: false, maxItems: 2 };
    const data: JsonObject = { enum: [{ items: [1] }] };
    const schema: JsonObject = {
      type: 'object',
      properties: { items: tuple, inner: { type: 'object', properties: { pair: tuple } }, data, also: { $ref: '#/$defs/t' } },
      $defs: { t: { anyOf: [tuple, { type: 'null' }] } },
    };
    const good = { items: ['a', 1], inner: { pair: ['b', 2] }, data: { items: [1] }, also: ['a', 1] };
    expect(check(schema, good)).toEqual([]);
    expect(check(schema, { items: ['a', 'b'] })).toMatchObject([{ path: '/items/1' }]);
    expect(check(schema, { items: ['a', 1, 2] })).not.toEqual([]);
    expect(check(schema, { inner: { pair: [0] } })).toMatchObject([{ path: '/inner/pair/0' }]);
    const depends: JsonObject = { type: 'object', properties: { items: text, a: text }, dependentRequired: { items: ['a'] } };
    expect(check(depends, { items: 'x' })).toHaveLength(1);
    expect(check(schema, { also: [1] })).not.toEqual([]);
  });

  it('rejects undeclared members without throwing, whatever the address of a schema', () => {
    const part: JsonObject = { type: 'object', properties: { kind: { const: 'a' } }, required: ['kind'] };
    for (const $id of ["x'|{y}", "https://e.test/!*'();@", 'HTTP://X.TEST/%2f%c3']) {
      const schema: JsonObject = { $id, type: 'object', properties: { u: { anyOf: [part, { type: 'null' }] }, w: text } };
      const compiledSchema = jsonSchemaValidator.compile(schema);
      if (!compiledSchema.ok) continue;
      for (const awaited of [[], ['w']]) {
        const said = compiledSchema.check({ u: { kind: 'a', undeclared: 1 } }, awaited);
        expect(said).toMatchObject([{ message: expect.stringMatching(/cannot be checked|is not a declared argument/) }]);
      }
    }
  });

  it('computes multipleOf in decimals', () => {
    const money: JsonObject = { type: 'object', properties: { price: { type: 'number', multipleOf: 0.01 } } };
    for (const price of [0.07, 1.1, 19.99, 123_456.78]) expect(check(money, { price })).toEqual([]);
    for (const price of [0.075, 19.991]) expect(check(money, { price })).toHaveLength(1);
  });

  it('names the required value', () => {
    expect(check({ type: 'object', properties: { kind: { const: 'circle' } } }, { kind: 'square' })).toEqual([
      { path: '/kind', keyword: 'const', message: 'must be "circle"' },
    ]);
  });

  it('still works after a refused schema', () => {
    const withId = (type: string): JsonObject => ({ $id: 'http://tools.test/refused', type: 'object', properties: { a: { type } } });
    const withInnerId = (type: string): JsonObject => ({
      type: 'object',
      properties: { a: { $id: 'http://tools.test/refused-inner', type } },
    });
    for (const schemaOf of [withId, withInnerId]) {
      expect(jsonSchemaValidator.compile({ ...schemaOf('string'), 'x-lost': 1, dependentSchemas: { a: { $ref: '#/nothing' } } }).ok).toBe(
        false,
      );
      const next = compiled(schemaOf('number'));
      expect(next.ignored).toEqual([]);
      expect(next.check({ a: 1 })).toEqual([]);
      expect(next.check({ a: 'x' })).toMatchObject([{ path: '/a', keyword: 'type' }]);
    }
  });

  it('keeps schemas with equal ids apart', () => {
    const id = 'http://tools.test/same';
    const top = (type: string): JsonSchema => ({ $id: id, type: 'object', properties: { a: { type } } });
    const inner = (type: string): JsonSchema => ({ type: 'object', properties: { a: { $id: id, type } } });
    const shared = (type: string): JsonSchema => ({ type: 'object', properties: { a: { $ref: id } }, $defs: { a: { $id: id, type } } });
    for (const schemaOf of [top, inner, shared]) {
      const [first, second] = [compiled(schemaOf('string')), compiled(schemaOf('number'))];
      expect([first.check({ a: 'x' }), second.check({ a: 1 })]).toEqual([[], []]);
      expect([first.check({ a: 1 }).length, second.check({ a: 'x' }).length]).toEqual([1, 1]);
    }
  });

  it('does not fetch a draft by its address', () => {
    const schema: JsonSchema = { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object', properties: { a: text } };
    expect(compiled(schema)).toMatchObject({ ignored: [] });
    expect(check(schema, { a: 1 })).toMatchObject([{ path: '/a' }]);
  });
});

describe('jsonSchemaValidator.compile().ignored', () => {
  it('is empty for a schema that is checked in full', () => {
    const schema: JsonSchema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: 'Search',
      description: 'Looks something up.',
      type: 'object',
      properties: { a: { type: 'string', description: 'What', default: 'x', examples: ['y'], deprecated: false } },
      required: ['a'],
    };
    expect(compiled(schema).ignored).toEqual([]);
  });

  it('names each unknown keyword and format once, and checks the rest', () => {
    const schema: JsonSchema = {
      type: 'object',
      'x-origin': 'elsewhere',
      properties: {
        mail: { type: 'string', format: 'email', 'x-order': 1 },
        copy: { type: 'string', format: 'email', 'x-order': 2 },
        list: { type: 'array', items: { type: 'string', format: 'x-own' } },
      },
    };
    const { ignored, check } = compiled(schema);
    expect(ignored).toHaveLength(4);
    for (const name of ['"x-origin"', '"x-order"', '"email"', '"x-own"'])
      expect(ignored.filter((text) => text.includes(name))).toHaveLength(1);
    expect(check({ mail: 'not a mail address' })).toEqual([]);
    expect(check({ mail: 1 })).toMatchObject([{ path: '/mail', keyword: 'type' }]);
  });

  it('does not contain keywords of an earlier schema', () => {
    compiled({ type: 'object', 'x-first': 1 });
    expect(compiled({ type: 'object', 'x-second': 1 }).ignored).toEqual([expect.stringContaining('"x-second"')]);
  });
});

describe('jsonSchemaValidator.compile().check', () => {
  it.each<[string, JsonSchema]>([
    ['says nothing of others', { type: 'object', properties: { a: text } }],
    ['allows others', { type: 'object', properties: { a: text }, additionalProperties: true }],
    ['allows unevaluated ones', { type: 'object', properties: { a: text }, unevaluatedProperties: true }],
    ['refuses others', { type: 'object', properties: { a: text }, additionalProperties: false }],
    ['declares it in allOf', { type: 'object', allOf: [{ properties: { a: text } }] }],
    [
      'declares it in anyOf',
      {
        type: 'object',
        anyOf: [
          { properties: { a: text }, required: ['a'] },
          { properties: { c: text }, required: ['c'] },
        ],
      },
    ],
    ['declares it behind a reference', { $ref: '#/$defs/args', $defs: { args: { type: 'object', properties: { a: text } } } }],
    ['declares it under a condition', { type: 'object', dependentSchemas: { a: { properties: { a: text } } } }],
  ])('refuses an argument that is not declared by a schema that %s', (_, schema) => {
    expect(check(schema, { a: 'x' })).toEqual([]);
    expect(check(schema, { a: 'x', b: 1 })).toEqual([undeclared('/b')]);
    expect(check(schema, { a: 'x', 'm~n/o': 1 })).toEqual([undeclared('/m~0n~1o')]);
  });

  it.each(['toString', 'constructor', 'hasOwnProperty', '__proto__'])('refuses the undeclared argument %s', (name) => {
    const value = JSON.parse(`{"a":"x","${name}":1}`) as Json;
    expect(check({ type: 'object', properties: { a: text } }, value)).toEqual([undeclared(`/${name}`)]);
  });

  it('does not read inherited properties as arguments', () => {
    expect(check({ type: 'object', properties: { toString: true }, required: ['toString'] }, {})).toMatchObject([{ keyword: 'required' }]);
  });

  it('refuses undeclared members of a nested object, unless the schema opens it', () => {
    const inner = (more: object): JsonSchema => ({
      type: 'object',
      properties: { a: { type: 'object', properties: { b: text }, ...more } },
    });
    const value = { a: { b: 'x', c: 1 } };
    expect(check(inner({}), value)).toEqual([undeclared('/a/c')]);
    expect(check(inner({ additionalProperties: false }), value)).toEqual([undeclared('/a/c')]);
    expect(check(inner({ additionalProperties: true }), value)).toEqual([]);
    expect(check(inner({ additionalProperties: { type: 'number' } }), value)).toEqual([]);
    expect(check(inner({ unevaluatedProperties: true }), value)).toEqual([]);
    expect(check({ type: 'object', properties: { a: { type: 'object' } } }, { a: { any: 'thing' } })).toEqual([]);
  });

  it('refuses undeclared members of objects in a list', () => {
    const item = { type: 'object', properties: { b: text } };
    const list: JsonSchema = { type: 'object', properties: { list: { type: 'array', items: item } } };
    expect(check(list, { list: [{ b: 'x' }, { b: 'x', c: 1 }] })).toEqual([undeclared('/list/1/c')]);
    const pair: JsonSchema = { type: 'object', properties: { pair: { type: 'array', prefixItems: [item, item], items: false } } };
    expect(check(pair, { pair: [{ b: 'x' }, { b: 'x', c: 1 }] })).toEqual([undeclared('/pair/1/c')]);
    expect(check(pair, { pair: [{}, {}, {}] })).toMatchObject([{ path: '/pair' }]);
  });

  it('reports every violation with its place and keyword', () => {
    const schema: JsonSchema = {
      type: 'object',
      properties: {
        query: { type: 'string', minLength: 2 },
        limit: { type: 'integer', maximum: 10 },
        unit: { enum: ['km', 'mi'] },
        tags: { type: 'array', items: text },
      },
      required: ['query', 'unit', 'page'],
    };
    const issues = check(schema, { query: '', limit: 10.5, unit: 'm', tags: ['a', 1, null], other: true });
    expect(issues.map(({ path, keyword }) => `${path} ${keyword}`)).toEqual([
      ' required',
      '/query minLength',
      '/limit type',
      '/limit maximum',
      '/unit enum',
      '/tags/1 type',
      '/tags/2 type',
      '/other additionalProperties',
    ]);
    expect(issues.find(({ path }) => path === '/unit')?.message).toBe('must be equal to one of the allowed values: ["km","mi"]');
    expect(issues.find(({ path }) => path === '')?.message).toContain("'page'");
  });

  it('coerces no type and fills in no default', () => {
    const schema: JsonSchema = { type: 'object', properties: { n: { type: 'number' }, d: { type: 'string', default: 'x' } } };
    const value = Object.freeze({ n: 1 });
    expect(check(schema, value)).toEqual([]);
    expect(value).toEqual({ n: 1 });
    for (const n of ['1', true, null, [1]]) expect(check(schema, { n })).toMatchObject([{ path: '/n', keyword: 'type' }]);
  });

  it('keeps the issues of two values apart', () => {
    const { check } = compiled({ type: 'object', properties: { a: text } });
    const first = check({ a: 1 });
    expect(check({ a: 'x' })).toEqual([]);
    expect(first).toHaveLength(1);
  });
});

describe('jsonSchemaValidator: an undeclared argument', () => {
  it.each<JsonObject>([
    { additionalProperties: {} },
    { additionalProperties: { type: 'number' } },
    { patternProperties: { '': true } },
    { allOf: [{ additionalProperties: true }] },
    { allOf: [{ unevaluatedProperties: true }] },
    { $ref: '#/$defs/a', $defs: { a: { additionalProperties: true } } },
  ])('is refused whatever the schema says otherwise: %j', (more) => {
    const schema: JsonSchema = { type: 'object', properties: { a: text }, ...more };
    expect(check(schema, { a: 'x' })).toEqual([]);
    expect(check(schema, { a: 'x', b: 1 })).toEqual([undeclared('/b')]);
  });

  it('is reported once', () => {
    const schema: JsonSchema = { type: 'object', properties: { a: text }, additionalProperties: false };
    expect(check(schema, { a: 'x', 'b/~': 1 })).toEqual([undeclared('/b~1~0')]);
  });
});

describe('jsonSchemaValidator: an undeclared member', () => {
  const M = { type: 'object', properties: { b: text }, required: ['b'] };
  const N = { type: 'object', properties: { c: text }, required: ['c'] };
  const args = (of: Json, more: JsonObject = {}): JsonObject => ({ type: 'object', properties: { a: of }, ...more });
  const $defs = { M, N, tree: { ...M, properties: { b: text, next: { $ref: '#/$defs/tree' } } } };

  it.each<[string, JsonSchema, Json]>([
    ['behind a reference', args({ $ref: '#/$defs/M' }, { $defs }), { b: 'x' }],
    ['behind a reference with a description', args({ $ref: '#/$defs/M', description: 'It' }, { $defs }), { b: 'x' }],
    ['behind a reference of an older draft', args({ $ref: '#/definitions/M' }, { definitions: { M } }), { b: 'x' }],
    ['behind an anchor', args({ $ref: '#m' }, { $defs: { M: { $anchor: 'm', ...M } } }), { b: 'x' }],
    ['behind a dynamic anchor', args({ $dynamicRef: '#m' }, { $defs: { M: { $dynamicAnchor: 'm', ...M } } }), { b: 'x' }],
    ['behind an address', args({ $ref: 'm.json' }, { $id: 'http://tools.test/a.json', $defs: { M: { $id: 'm.json', ...M } } }), { b: 'x' }],
    ['that may be null', args({ anyOf: [M, { type: 'null' }] }), { b: 'x' }],
    ['of two types', args({ ...M, type: ['object', 'null'] }), { b: 'x' }],
    ['of one of two kinds', args({ oneOf: [M, N] }), { c: 'x' }],
    ['in two halves', args({ allOf: [{ $ref: '#/$defs/M' }, { $ref: '#/$defs/N' }] }, { $defs }), { b: 'x', c: 'x' }],
    ['under a condition', args({ ...M, ...when({ properties: { b: { const: 'x' } } }, N) }), { b: 'x', c: 'x' }],
    ['that depends on another', args({ ...M, dependentSchemas: { b: N } }), { b: 'x', c: 'x' }],
    ['whose schema excludes something', args({ ...M, not: { properties: { b: { const: 'y' } }, required: ['b'] } }), { b: 'x' }],
    ['with a map beside it', args({ allOf: [M, { type: 'object' }] }), { b: 'x' }],
    ['whose names are limited', args({ ...M, propertyNames: { maxLength: 9 } }), { b: 'x' }],
    ['that also has a pattern of names', args({ ...M, patternProperties: { '^x-': text } }), { b: 'x', 'x-y': 'z' }],
    ['without any members', args({ type: 'object', properties: {} }), {}],
  ])('is refused in an object %s', (_, schema, value) => {
    expect(check(schema, { a: value })).toEqual([]);
    expect(check(schema, { a: { ...Object(value), d: 1 } })).toEqual([undeclared('/a/d')]);
  });

  it.each<[string, JsonSchema, Json, string]>([
    [
      'a list behind references',
      args({ type: 'array', items: { $ref: '#/$defs/M' } }, { $defs }),
      [{ b: 'x' }, { b: 'x', d: 1 }],
      '/a/1/d',
    ],
    ['a map', args({ type: 'object', additionalProperties: M }), { k: { b: 'x', d: 1 } }, '/a/k/d'],
    ['a map by pattern', args({ type: 'object', patternProperties: { k: M } }), { k: { b: 'x', d: 1 } }, '/a/k/d'],
    ['a tree', args({ $ref: '#/$defs/tree' }, { $defs }), { b: 'x', next: { b: 'x', next: { b: 'x', d: 1 } } }, '/a/next/next/d'],
    ['a tuple', args({ prefixItems: [true, { anyOf: [M, N] }] }), [1, { b: 'x', d: 1 }], '/a/1/d'],
    ['what is left of a list', args({ prefixItems: [true], unevaluatedItems: M }), [1, { b: 'x', d: 1 }], '/a/1/d'],
    [
      'one of two halves',
      args({ allOf: [{ properties: { deep: M } }, { properties: { deep: { properties: { e: text } } } }] }),
      { deep: { b: 'x', e: 'x', d: 1 } },
      '/a/deep/d',
    ],
    [
      'the other kind',
      args({
        oneOf: [
          { properties: { kind: { const: 'm' }, b: text }, required: ['kind'] },
          { properties: { kind: { const: 'n' }, d: text }, required: ['kind'] },
        ],
      }),
      { kind: 'm', d: 1 },
      '/a/d',
    ],
  ])('is refused in an object of %s', (_, schema, value, path) => {
    expect(check(schema, { a: value })).toEqual([undeclared(path)]);
  });

  it('is refused among the arguments if only the other alternative declares it', () => {
    const kind = (name: string, more: JsonObject): JsonObject => ({ properties: { kind: { const: name }, ...more }, required: ['kind'] });
    const schema: JsonSchema = { type: 'object', oneOf: [kind('m', { b: text }), kind('n', { d: text })] };
    expect(check(schema, { kind: 'm', b: 'x' })).toEqual([]);
    expect(check(schema, { kind: 'm', d: 'x' })).toEqual([undeclared('/d')]);
  });

  it.each<[string, JsonSchema, Json]>([
    ['that is a map behind a reference', args({ $ref: '#/$defs/map' }, { $defs: { map: { additionalProperties: text } } }), { d: 'x' }],
    ['that is a map or null', args({ anyOf: [{ type: 'object', additionalProperties: true }, { type: 'null' }] }), { d: 1 }],
    ['that one of its halves opens', args({ allOf: [M, { additionalProperties: true }] }), { b: 'x', d: 1 }],
    ['that opens what is not evaluated', args({ $ref: '#/$defs/M', unevaluatedProperties: true }, { $defs }), { b: 'x', d: 1 }],
    ['of which nothing is said', args({ type: 'object' }), { d: { e: 1 } }],
    ['that may be anything', args({ anyOf: [M, true] }), { d: 1 }],
    ['that is a map by pattern', args({ type: 'object', patternProperties: { '^d': true } }), { d: 1 }],
    ['that must only not be something', args({ type: 'object', not: { required: ['e'] } }), { d: 1 }],
    ['inside one that may be anything', args(true), { d: { e: [{ f: 1 }] } }],
  ])('is taken in an object %s', (_, schema, value) => {
    expect(check(schema, { a: value })).toEqual([]);
  });
});

describe('jsonSchemaValidator: awaited arguments', () => {
  const unknownX = (schema: JsonSchema, known: Json, awaited: readonly string[] = ['x']): readonly string[] =>
    compiled(schema)
      .check(known, awaited)
      .map(({ path, keyword }) => `${path} ${keyword}`);
  const number = { type: 'number' };
  const both = { properties: { x: text, n: number } };

  it.each<[string, JsonSchema, Json, readonly string[]]>([
    ['in place', { ...both }, { n: 'ten' }, ['/n type']],
    ['in allOf', { allOf: [both] }, { n: 'ten' }, ['/n type']],
    ['in every alternative', { anyOf: [both, { properties: { x: number, n: number } }] }, { n: 'ten' }, [' anyOf', '/n type']],
    [
      'in the only alternative that is left',
      { oneOf: [both, { properties: { n: { const: 0 } } }] },
      { n: 'ten' },
      [' anyOf', '/n type', '/n const'],
    ],
    ['behind a reference', { $ref: '#/$defs/A', $defs: { A: both } }, { n: 'ten' }, ['/n type']],
    ['in both branches', { ...both, ...when({ properties: { x: { const: 'a' } } }, both, both) }, { n: 'ten' }, [' anyOf', '/n type']],
    [
      'by a known condition',
      { properties: { x: text, n: true }, ...when({ properties: { n: text } }, { required: ['m'] }) },
      { n: 'a' },
      [' required', ' if'],
    ],
    ['by what depends on the unknown', { ...both, dependentRequired: { x: ['n'] } }, {}, [' dependentRequired']],
    ['by not', { properties: { x: true, n: true }, not: { properties: { n: text } } }, { n: 'a' }, [' not']],
    ['by an enum of whole arguments', { ...both, enum: [{ x: 'a', n: 1 }] }, { n: 2 }, [' anyOf', '/n const']],
    ['by the number of arguments', { ...both, maxProperties: 1 }, { n: 2 }, [' maxProperties']],
    ['by their names', { ...both, propertyNames: { maxLength: 0 } }, {}, [' maxLength', ' propertyNames']],
    ['because the unknown one may not be there', { properties: { x: false } }, {}, ['/x false schema']],
    ['because the unknown one is not declared', { properties: { n: number } }, { n: 1 }, ['/x additionalProperties']],
  ])('do not hide what is wrong %s', (_, schema, known, expected) => {
    expect(unknownX(schema, known)).toEqual(expected);
  });

  it.each<[string, JsonSchema, Json]>([
    ['a required one', { ...both, required: ['x'] }, { n: 1 }],
    ['one whose value decides the alternative', { anyOf: [{ properties: { x: { const: 'a' }, n: text } }, both] }, { n: 1 }],
    ['one that could make one of two fit', { oneOf: [both, { properties: { x: number, n: number } }] }, { n: 1 }],
    ['one that the condition is about', { ...both, ...when({ properties: { x: { const: 'a' } } }, { required: ['m'] }) }, { n: 1 }],
    ['one that must not be something', { ...both, not: { properties: { x: { const: 'a' } } } }, { n: 1 }],
    ['one of a whole', { ...both, enum: [{ x: 'a', n: 1 }] }, { n: 1 }],
    [
      'one that some alternative declares',
      { properties: { n: number }, anyOf: [{ properties: { x: text } }, { required: ['m'] }] },
      { n: 1 },
    ],
    [
      'one that is left over',
      { properties: { n: number }, anyOf: [{ properties: { x: text } }, true], unevaluatedProperties: false },
      { n: 1 },
    ],
  ])('are no reason to refuse: %s', (_, schema, known) => {
    expect(unknownX(schema, known)).toEqual([]);
  });
});

describe('jsonSchemaValidator: a hostile schema', () => {
  const chain = (keyword: string, length: number): JsonObject => {
    const $defs: Record<string, Json> = { d0: text };
    for (let n = 1; n <= length; n++) $defs[`d${n}`] = { [keyword]: [{ $ref: `#/$defs/d${n - 1}` }, { $ref: `#/$defs/d${n - 1}` }] };
    return { type: 'object', properties: { a: { $ref: `#/$defs/d${length}` } }, $defs };
  };
  /** References that lead to an object whose member `a` is the same again. */
  const links = (length: number): JsonObject => {
    const $defs: Record<string, Json> = { d0: { properties: { a: { $ref: `#/$defs/d${length}` } } } };
    for (let n = 1; n <= length; n++) $defs[`d${n}`] = { $ref: `#/$defs/d${n - 1}` };
    return { properties: { a: { $ref: `#/$defs/d${length}` } }, $defs };
  };
  const nestedValue = (depth: number): Json => (depth === 0 ? {} : { a: nestedValue(depth - 1) });
  const many = Array.from({ length: 10_000 }, (_, n) => n);
  const patterned = (pattern: string): JsonSchema => ({ properties: { a: { pattern } } });
  let nested: JsonSchema = text;
  for (let depth = 0; depth < 20_000; depth++) nested = { type: 'object', properties: { a: nested } };
  const list: Json[] = [];
  list.push(list);

  it.each<[string, JsonSchema, string]>([
    ['is nested without end', nested, 'nested more than 200 levels deep'],
    ['contains itself', { type: 'object', enum: list }, 'nested more than 200 levels deep'],
    ['is too large', { type: 'object', enum: Array.from({ length: 60_000 }, (_, n) => n) }, 'more than 50000 values'],
    ['has too much text', { type: 'object', properties: { a: { enum: ['x'.repeat(1_000_001)] } } }, 'more than 1000000 characters'],
    ['has 10,000 properties', { properties: Object.fromEntries(many.map((n) => [`p${n}`, text])) }, 'more than 2000 schemas'],
    [
      'has 20,000 names that depend on one',
      { dependentRequired: { a: many.flatMap((n) => [`b${n}`, `c${n}`]) } },
      'more than 500 dependencies',
    ],
    [
      'has many lists of names that depend on one',
      { properties: { a: { dependencies: Object.fromEntries(many.slice(0, 300).map((n) => [`a${n}`, ['b']])) } } },
      'more than 500 dependencies',
    ],
    ['refers to itself', { $ref: '#' }, 'endless reference to itself'],
    [
      'refers to itself in a circle',
      { $ref: '#/$defs/a', $defs: { a: { anyOf: [{ not: { $ref: '#/$defs/a' } }] } } },
      'endless reference to itself',
    ],
    ['refers to itself under a condition', { properties: { a: { if: { $ref: '#/properties/a' } } } }, 'endless reference to itself'],
    ['is a chain of references', links(300), 'more than 100 schemas'],
    ['is a chain of 20 anyOf', chain('anyOf', 20), 'its alternatives multiply'],
    ['is a chain of 20 oneOf', chain('oneOf', 20), 'its alternatives multiply'],
    ['is a chain of 20 allOf', chain('allOf', 20), 'its alternatives multiply'],
    ['has a dynamic anchor twice', { $defs: { a: { $dynamicAnchor: 'n' }, b: { $dynamicAnchor: 'n' } } }, '$dynamicAnchor'],
    ['has an anchor twice', { $defs: { a: { $anchor: 'n' }, b: { $anchor: 'n', title: 'b' } } }, 'resolves to more than one schema'],
    ['has a pattern that refers back', patterned('(a+)\\1'), '/properties/a/pattern: the pattern "(a+)\\\\1" has a back reference'],
    ['has a pattern that refers back by name', patterned('(?<n>a+)\\k<n>'), 'has a back reference'],
    ['has a pattern that looks behind', { patternProperties: { '(?<=a)b': true } }, 'look-around other than'],
    ['has a pattern that looks ahead within', patterned('^a(?!b)'), 'look-around other than'],
    ['has a pattern of which one alternative looks ahead', patterned('^(?=a)b|c'), 'look-around other than'],
    ['has a pattern that is written out too large', patterned('((a{100}){100}){100}'), 'cannot be matched in linear time'],
    ['has a pattern that repeats nothing', patterned('((?:){9999}){9999}'), 'has 19998 repetitions'],
    ['has a pattern of many repetitions', patterned('(?:a{900}b{900}){1}'.repeat(20)), 'has 36020 repetitions'],
    ['has a pattern of nested repetitions', patterned('((a{10}){10}){10}'.repeat(25)), 'repetitions are expanded, more than'],
    [
      'has many large patterns',
      {
        properties: Object.fromEntries(
          many.slice(0, 20).map((n) => [`p${n}`, { pattern: `${n}((a{10}){10}){10}((b{10}){10}){10}(c{10}){90}` }]),
        ),
      },
      'together are too large',
    ],
    ['has a pattern that is too long', patterned('a'.repeat(2_001)), 'more than 2000 characters'],
    ['has a pattern that is none', patterned('('.repeat(2_000)), 'is not a JavaScript pattern'],
  ])('that %s is refused with the reason', (_, schema, reason) => {
    expect(reasonOf(schema)).toContain(reason);
    expect(reasonOf(schema).length).toBeLessThan(500);
  });

  it('with a pattern that backtracks without end is checked in linear time', () => {
    for (const pattern of ['^(a+)+$', '^(a|a)*$', '^(.*b){20}$', '(x+x+)+y', '^(?=(a+)+b)']) {
      expect(check(patterned(pattern), { a: `${'a'.repeat(10_000)}!` })).toMatchObject([{ path: '/a', keyword: 'pattern' }]);
    }
  });

  it('with patterns that differ only in their text keeps them apart', () => {
    const schema: JsonSchema = {
      properties: { a: { pattern: '^a' }, b: { pattern: '^b' } },
      patternProperties: { '^x-': text, '^y-': true },
    };
    expect(check(schema, { a: 'a', b: 'b' })).toEqual([]);
    expect(check(schema, { a: 'b', b: 'a' }).map(({ path }) => path)).toEqual(['/a', '/b']);
  });

  it('exceeds the budget when a pattern takes too long on a text', () => {
    const schema = patterned('(a?){500}a{500}');
    expect(check(schema, { a: 'a'.repeat(499) })).toMatchObject([{ path: '/a', keyword: 'pattern' }]);
    const budget = { path: '', keyword: 'budget', message: 'takes too much work to check' };
    expect(check(schema, { a: `${'a'.repeat(499)}b`.repeat(1_000) })).toEqual([budget]);
    expect(check({ propertyNames: { pattern: '(a?){500}a{500}' } }, { ['a'.repeat(500_000)]: 1 })).toEqual([budget]);
  });

  it('exceeds the budget when alternatives multiply with the depth of a value', () => {
    const next = { properties: { a: { $ref: '#/$defs/both' } } };
    const schema: JsonSchema = { ...next, $defs: { both: { anyOf: [{ ...next, required: ['b'] }, next] } } };
    expect(check(schema, nestedValue(10))).toEqual([]);
    expect(check(schema, nestedValue(100))).toMatchObject([{ keyword: 'budget', message: expect.stringContaining('too much work') }]);
  });

  it('exceeds the budget when a list takes too long to compare with itself', () => {
    const schema: JsonSchema = { properties: { a: { type: 'array', uniqueItems: true } } };
    expect(check(schema, { a: many.slice(0, 1_000) })).toEqual([]);
    expect(check(schema, { a: many })).toMatchObject([{ keyword: 'budget' }]);
  });

  it('does not overflow the stack', () => {
    const schema = links(90);
    expect(check(schema, nestedValue(5))).toEqual([]);
    expect(check(schema, nestedValue(150))).toMatchObject([{ keyword: 'budget', message: 'is nested too deeply to be checked' }]);
    expect(check({ properties: { a: true } }, nestedValue(1_000))).toMatchObject([{ message: 'is nested more than 250 levels deep' }]);
  });

  it('with a million violations in a value reports only the first ones', () => {
    const schema = { properties: { a: { anyOf: many.slice(0, 300).map(() => ({ contains: text })) } } };
    const { fits, findings } = judgeOf(schema)({ a: many.slice(0, 3_000) });
    expect(fits).toBe(false);
    expect(findings).toHaveLength(20_000);
  });

  it('reports at most 1,000 issues of a value, each shortened', () => {
    const schema: JsonSchema = { properties: { a: { type: 'array', items: { enum: ['x'.repeat(100_000)] } } } };
    const issues = check(schema, { a: many });
    expect(issues).toHaveLength(1_000);
    expect(Math.max(...issues.map(({ message }) => message.length))).toBe(300);
    const [issue] = check({}, { ['y'.repeat(100_000)]: 1 });
    expect(issue?.path.length).toBeLessThan(200);
  });
});
