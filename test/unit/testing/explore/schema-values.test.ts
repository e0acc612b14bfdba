import type { HumanEvent, Json, JsonObject, StandardSchema } from 'agent-machines';
import { jsonSchemaValidator } from 'agent-machines/tools';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { proposeEvents } from '../../../../src/testing/explore/propose-event.ts';
import { valuesOfSchema } from '../../../../src/testing/explore/schema-values.ts';
import { whole } from '../../../fixtures/random-schemas.ts';
import { share } from '../../../fixtures/share.ts';

const kinds: Readonly<Record<string, z.ZodType<object>>> = {
  enum: z.object({ kind: z.enum(['card', 'cash', 'voucher']) }),
  union: z.object({ ref: z.union([z.number().int(), z.string().min(5)]) }),
  email: z.object({ to: z.email() }),
  date: z.object({ on: z.iso.date(), at: z.iso.datetime(), clock: z.iso.time() }),
  'min(3)': z.object({ name: z.string().min(3) }),
  'five texts': z.object({ a: z.string().min(1), b: z.string().min(1), c: z.string(), d: z.string().min(2), e: z.string() }),
  'nested optional object': z.object({ address: z.object({ city: z.string().min(2), zip: z.string().optional() }).optional() }),
  'discriminated union': z.discriminatedUnion('by', [
    z.object({ by: z.literal('card'), digits: z.string().length(4) }),
    z.object({ by: z.literal('cash'), amount: z.number().positive() }),
  ]),
  'bounded number': z.object({ share: z.number().positive().lt(1), steps: z.number().multipleOf(5).min(10).max(200) }),
  'array min 2': z.object({ items: z.array(z.object({ sku: z.string().min(1), count: z.int().min(1) })).min(2) }),
  literal: z.object({ answer: z.literal('yes'), version: z.literal(2) }),
  'trimmed, uuid and url': z.object({ text: z.string().trim().min(4), id: z.uuid(), link: z.url() }),
  record: z.object({ votes: z.record(z.string().min(2), z.int().min(0)) }),
  pattern: z.object({ code: z.string().regex(/^[A-Z]{3}-\d+$/), password: z.string().regex(/^(?=.*[A-Z])(?=.*\d).{8,}$/) }),
  'text with two ends': z.object({ file: z.string().startsWith('in/').endsWith('.pdf') }),
  'tuple and set': z.object({ pair: z.tuple([z.string(), z.number()]), names: z.array(z.enum(['a', 'b', 'c'])).length(2) }),
};

const jsonOf = (schema: z.ZodType): JsonObject => JSON.parse(JSON.stringify(z.toJSONSchema(schema)));

describe('proposeEvents', () => {
  it.each(Object.entries(kinds))('finds events for a schema of zod: %s', (_, schema) => {
    expectAccepted(schema, ({ type: _type, ...payload }) => schema.parse(payload));
  });

  it.each(Object.entries(kinds))('finds events for a JSON Schema with its own parser: %s', (_, schema) => {
    const json = jsonOf(schema);
    const ajv = new Ajv2020({ strict: false, logger: false });
    ajv.addFormat('uri', (text) => URL.canParse(text));
    const check = ajv.compile(json);
    expectAccepted(json, ({ type: _type, ...payload }) => {
      if (!check(payload)) throw new Error(ajv.errorsText(check.errors));
    });
  });

  it('finds events for a schema that includes their type', () => {
    const schema = z.object({ type: z.literal('EDIT'), text: z.string().min(3) });
    expectAccepted(schema, schema.parse);
  });

  it('falls back to guesses where JSON Schema cannot express a type', () => {
    const schema = z.object({ type: z.literal('EDIT'), on: z.date().or(z.number()) });
    expectAccepted(schema, schema.parse);
  });

  it('returns nothing for a check that no keyword describes, unless a literal passes it', () => {
    const schema = z.object({ type: z.string(), iban: z.string().refine((text) => text === 'DE02120300000000202051') });
    const declared = { schema, parse: schema.parse };
    expect(proposeEvents('EDIT', schema.parse, { texts: [], numbers: [] }, declared)).toEqual([]);
    expect(proposeEvents('EDIT', schema.parse, { texts: ['DE02120300000000202051'], numbers: [] }, declared)).toHaveLength(1);
  });

  function expectAccepted(schema: StandardSchema<object> | JsonObject, accept: (event: HumanEvent) => unknown): void {
    const events = proposeEvents('EDIT', accept, { texts: [], numbers: [] }, { schema, parse: accept });
    expect(events.length).toBeGreaterThan(0);
    for (const event of events) expect(() => accept(event), JSON.stringify(event)).not.toThrow();
  }
});

describe('valuesOfSchema', () => {
  const of = (schema: z.ZodType | JsonObject, constants = {}): { values: readonly Json[]; complete: boolean } => {
    const json = schema instanceof z.ZodType ? jsonOf(schema) : schema;
    const { values, complete } = valuesOfSchema(json, constants);
    return { values, complete };
  };

  it('lists all values of a finite schema', () => {
    const schema = z.object({
      ok: z.boolean(),
      kind: z.enum(['a', 'b']),
      n: z.int().min(1).max(3),
      none: z.null(),
      may: z.literal(5).optional(),
    });
    const { values, complete } = of(schema);
    expect(complete).toBe(true);
    expect(new Set(values.map((value) => JSON.stringify(value))).size).toBe(2 * 2 * 3 * 2);
  });

  it('is incomplete for texts, open numbers, lists and maps', () => {
    for (const schema of [z.string(), z.number(), z.array(z.boolean()), z.record(z.string(), z.boolean()), z.any()])
      expect(of(schema).complete).toBe(false);
  });

  it.each([
    ['number', z.number(), [1, 0, -1, 0.5]],
    ['bounds', z.int().min(10).max(99), [10, 11, 98, 99]],
    ['exclusive bounds', z.number().gt(0).lt(1), [0.5]],
    ['multiples', z.number().multipleOf(0.1).min(0.25).max(0.45), [0.3, 0.4]],
    ['literals', z.int(), [499, 500, 501]],
    ['range of fractions', z.number().min(2.2).max(2.8), [2.2, 2.5, 2.8]],
  ])('proposes numbers: %s', (_, schema, expected) => {
    const { values } = of(schema, { numbers: [500] });
    expect(values).toEqual(expect.arrayContaining(expected));
    for (const value of values) expect(schema.safeParse(value).success).toBe(true);
  });

  it('proposes the shortest, the longest and the given texts', () => {
    expect(of(z.string().min(2).max(5), { texts: ['abc', 'too long'] }).values).toEqual(['xx', 'xxxxx', 'abc']);
    expect(of(z.string()).values).toEqual(['x', '']);
    expect(of({ type: 'string', maxLength: 1_000_000 }).values.map((text) => String(text).length)).toEqual([1, 0, 10_000]);
  });

  it('proposes lists of lengths at both bounds, of one kind and mixed', () => {
    const { values } = of(
      z
        .array(z.enum(['a', 'b']))
        .min(1)
        .max(5),
    );
    expect(new Set(values.map((list) => (list as readonly Json[]).length))).toEqual(new Set([1, 2, 3, 4, 5]));
    expect(values).toEqual(expect.arrayContaining([['a'], ['b'], ['a', 'a'], ['a', 'b'], ['b', 'a']]));
    expect(of({ type: 'array', uniqueItems: true, minItems: 2, items: { enum: [1, 2, 3] } }).values).toEqual(
      expect.arrayContaining([
        [1, 2],
        [2, 3],
        [1, 2, 3],
      ]),
    );
  });

  it('changes one member at a time when there are too many combinations', () => {
    const schema = z.object(Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`key${at}`, z.boolean()])));
    const { values, complete } = of(schema);
    expect(values).toHaveLength(13);
    expect(complete).toBe(false);
  });

  it('shows every branch of a union among the first values', () => {
    const schema = z.union([z.object({ a: z.string() }), z.object({ b: z.number() }), z.object({ c: z.boolean() })]);
    expect(
      of(schema)
        .values.slice(0, 3)
        .map((value) => Object.keys(Object(value))[0]),
    ).toEqual(['a', 'b', 'c']);
  });

  it('follows references, also recursive and merged ones', () => {
    const tree = {
      $ref: '#/$defs/tree',
      $defs: { tree: { type: 'object', properties: { next: { $ref: '#/$defs/tree' } }, required: [] } },
    };
    expect(of(tree).values).toContainEqual({});
    expect(of(tree).values[0]).toEqual({ next: {} });
    expect(of(tree).values).toContainEqual({ next: { next: { next: {} } } });
    const both = {
      $defs: {
        a: { properties: { a: { type: 'integer', minimum: 3 } }, required: ['a'] },
        b: { properties: { b: { const: 1 } }, required: ['b'] },
      },
      type: 'object',
      allOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/b' }],
    };
    expect(of(both).values).toContainEqual({ a: 3, b: 1 });
    expect(
      of({ $ref: '#/$defs/a', $defs: { a: { type: 'object', properties: { a: { $ref: '#/$defs/a' } }, required: ['a'] } } }).values,
    ).toEqual([]);
  });

  it('proposes lists that contain a required item', () => {
    expect(of({ type: 'array', contains: { const: 5 }, items: { type: 'integer' } }).values).toContainEqual([5]);
  });

  it('stays small for wide and recursive schemas', () => {
    const member = { type: ['string', 'null'], maxLength: 50_000 };
    const wide = { type: 'object', properties: Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`key${at}`, member])) };
    expect(of(wide).values.length).toBeLessThanOrEqual(512);
    const both = {
      type: 'object',
      properties: { left: { $ref: '#' }, right: { $ref: '#' }, depth: { type: 'integer' } },
      required: ['depth'],
    };
    const { values } = of(both);
    expect(values.length).toBeLessThanOrEqual(512);
    expect(JSON.stringify(values[0]).length).toBeLessThan(200);
  });

  it('drops values that another keyword forbids', () => {
    expect(of({ type: 'integer', minimum: 0, maximum: 3, not: { const: 2 } }).values).toEqual([0, 1, 3]);
    expect(of({ enum: ['a', 'b'], pattern: '^a$' }).values).toEqual(['a']);
  });

  it('returns only values that Ajv accepts, too', () => {
    const ajv = new Ajv2020({ strict: false, logger: false });
    let found = 0;
    fc.assert(
      fc.property(whole, (any) => {
        const schema: JsonObject = { ...any, type: 'object' };
        if (!jsonSchemaValidator.compile(schema).ok) return; // nothing can check such values
        const { values } = valuesOfSchema(schema, { texts: ['ab'], numbers: [2] });
        found += Math.min(values.length, 1);
        const check = ajv.compile(schema);
        for (const value of values) expect(check(value), JSON.stringify(value)).toBe(true);
      }),
      { numRuns: share(400) },
    );
    expect(found).toBeGreaterThan(0);
  });

  it('starts with the examples of the schema', () => {
    expect(of({ type: 'string', examples: ['Seoul'], default: 'Busan' }).values.slice(0, 2)).toEqual(['Seoul', 'Busan']);
  });
});

it('proposes an example of each text format of zod that its own parse accepts', () => {
  const formats = [
    z.email(),
    z.url(),
    z.uuid(),
    z.uuidv7(),
    z.guid(),
    z.iso.date(),
    z.iso.datetime(),
    z.iso.datetime({ offset: true, precision: 3 }),
    z.iso.time(),
    z.iso.duration(),
    z.ipv4(),
    z.ipv6(),
    z.cidrv4(),
    z.cidrv6(),
    z.hostname(),
    z.nanoid(),
    z.cuid2(),
    z.ulid(),
    z.jwt(),
    z.base64(),
    z.base64url(),
    z.emoji(),
    z.e164(),
    z.hex(),
    z.mac(),
    z.templateLiteral(['v', z.number()]),
    z.string().uppercase().min(3),
    z.email().min(30),
    z.email().max(8),
  ];
  for (const schema of formats) {
    const { values } = valuesOfSchema(jsonOf(schema));
    expect(values, JSON.stringify(jsonOf(schema))).not.toEqual([]);
    for (const value of values) expect(schema.safeParse(value).success, JSON.stringify([jsonOf(schema), value])).toBe(true);
  }
});
