import type { CompiledSchema, Json, JsonObject, JsonSchema, SchemaIssue } from 'agent-machines';
import { ajvValidator } from 'agent-machines/plan';
import { describe, expect, it } from 'vitest';

const text = { type: 'string' } as const;

function compiled(schema: JsonSchema): Extract<CompiledSchema, { ok: true }> {
  const result = ajvValidator.compile(schema);
  if (!result.ok) throw new Error(result.reason);
  return result;
}

const check = (schema: JsonSchema, value: Json): readonly SchemaIssue[] => compiled(schema).check(value);

function reasonOf(schema: JsonSchema): string {
  const result = ajvValidator.compile(schema);
  return result.ok ? 'It was taken.' : result.reason;
}

const undeclared = (path: string): unknown => expect.objectContaining({ path, message: 'is not an argument that it takes' });

describe('ajvValidator.compile', () => {
  it('compiles a schema once, and another object that is equal again', () => {
    const schema: JsonSchema = { type: 'object', properties: { a: text } };
    expect(ajvValidator.compile(schema)).toBe(ajvValidator.compile(schema));
    expect(ajvValidator.compile(structuredClone(schema))).not.toBe(ajvValidator.compile(schema));
    const broken: JsonSchema = { type: 'object', properties: { a: { type: 'text' } } };
    expect(ajvValidator.compile(broken)).toBe(ajvValidator.compile(broken));
  });

  it('leaves the schema as it was', () => {
    const schema: JsonSchema = {
      $id: 'http://tools.test/a',
      type: 'object',
      properties: { a: { type: 'object', properties: { b: text } } },
    };
    const before = structuredClone(schema);
    compiled(schema);
    expect(schema).toEqual(before);
  });

  it('takes a schema without a type for one of an object', () => {
    expect(check({ properties: { a: text }, required: ['a'] }, { a: 'x' })).toEqual([]);
    expect(check({}, {})).toEqual([]);
    expect(check({}, 'text')).toEqual([{ path: '', keyword: 'type', message: 'must be object' }]);
    expect(check({}, [])).toEqual([{ path: '', keyword: 'type', message: 'must be object' }]);
  });

  it('refuses a schema of something else than an object', () => {
    for (const schema of [true, false]) expect(reasonOf(schema)).toBe('the schema of arguments is not an object');
    expect(ajvValidator.compile(undefined as unknown as JsonSchema)).toMatchObject({ ok: false });
    for (const type of ['string', 'array', 'null', ['object', 'null'], ['object']]) {
      expect(reasonOf({ type })).toBe('the schema of arguments is not of type "object"');
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
    ['the items of an older draft', { type: 'object', properties: { a: { type: 'array', items: [text] } } }],
    ['an exclusive minimum of an older draft', { type: 'object', properties: { a: { type: 'number', exclusiveMinimum: true } } }],
    ['an enum that is no list', { type: 'object', properties: { a: { enum: 'x' } } }],
    ['a property that is no schema', { type: 'object', properties: { a: 'string' } }],
    ['an asynchronous schema', { $async: true, type: 'object', properties: { a: text } }],
    ['an asynchronous schema inside', { type: 'object', properties: { a: { $async: true, type: 'string' } } }],
  ])('refuses %s, with a reason', (_, schema) => {
    expect(ajvValidator.compile(schema)).toEqual({ ok: false, reason: expect.stringMatching(/./) });
    expect(reasonOf(schema)).not.toBe('It was taken.');
  });

  it('goes on after a schema that it has refused', () => {
    const withId = (type: string): JsonObject => ({ $id: 'http://tools.test/refused', type: 'object', properties: { a: { type } } });
    const withInnerId = (type: string): JsonObject => ({
      type: 'object',
      properties: { a: { $id: 'http://tools.test/refused-inner', type } },
    });
    for (const schemaOf of [withId, withInnerId]) {
      expect(ajvValidator.compile({ ...schemaOf('string'), 'x-lost': 1, dependentSchemas: { a: { $ref: '#/nothing' } } }).ok).toBe(false);
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

  it('does not ask for a draft by its address', () => {
    const schema: JsonSchema = { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object', properties: { a: text } };
    expect(compiled(schema)).toMatchObject({ ignored: [] });
    expect(check(schema, { a: 1 })).toMatchObject([{ path: '/a' }]);
  });
});

describe('ajvValidator.compile().ignored', () => {
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

  it('names unknown keywords and formats, once each, and checks the rest', () => {
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

  it('does not name what an earlier schema had', () => {
    compiled({ type: 'object', 'x-first': 1 });
    expect(compiled({ type: 'object', 'x-second': 1 }).ignored).toEqual([expect.stringContaining('"x-second"')]);
  });
});

describe('ajvValidator.compile().check', () => {
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

  it('does not take inherited properties for arguments', () => {
    expect(check({ type: 'object', properties: { toString: true }, required: ['toString'] }, {})).toMatchObject([{ keyword: 'required' }]);
  });

  it('refuses what an inner object does not declare, unless it says that it is open', () => {
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

  it('refuses what the objects of a list do not declare', () => {
    const item = { type: 'object', properties: { b: text } };
    const list: JsonSchema = { type: 'object', properties: { list: { type: 'array', items: item } } };
    expect(check(list, { list: [{ b: 'x' }, { b: 'x', c: 1 }] })).toEqual([undeclared('/list/1/c')]);
    const pair: JsonSchema = { type: 'object', properties: { pair: { type: 'array', prefixItems: [item, item], items: false } } };
    expect(check(pair, { pair: [{ b: 'x' }, { b: 'x', c: 1 }] })).toEqual([undeclared('/pair/1/c')]);
    expect(check(pair, { pair: [{}, {}, {}] })).toMatchObject([{ path: '/pair' }]);
  });

  it('tells every violation, with its place and keyword', () => {
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

  it('changes nothing: no type is coerced and no default is filled in', () => {
    const schema: JsonSchema = { type: 'object', properties: { n: { type: 'number' }, d: { type: 'string', default: 'x' } } };
    const value = Object.freeze({ n: 1 });
    expect(check(schema, value)).toEqual([]);
    expect(value).toEqual({ n: 1 });
    for (const n of ['1', true, null, [1]]) expect(check(schema, { n })).toMatchObject([{ path: '/n', keyword: 'type' }]);
  });

  it('tells the issues of one value apart from those of the value before', () => {
    const { check } = compiled({ type: 'object', properties: { a: text } });
    const first = check({ a: 1 });
    expect(check({ a: 'x' })).toEqual([]);
    expect(first).toHaveLength(1);
  });
});

describe('ajvValidator: an argument that the schema does not name', () => {
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

  it('is told once', () => {
    const schema: JsonSchema = { type: 'object', properties: { a: text }, additionalProperties: false };
    expect(check(schema, { a: 'x', 'b/~': 1 })).toEqual([undeclared('/b~1~0')]);
  });
});

describe('ajvValidator: a foreign schema', () => {
  it('that is nested without end is refused', () => {
    let schema: JsonSchema = text;
    for (let depth = 0; depth < 20_000; depth++) schema = { type: 'object', properties: { a: schema } };
    expect(ajvValidator.compile(schema)).toMatchObject({ ok: false });
  });
});
