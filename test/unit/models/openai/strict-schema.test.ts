import type { Json, JsonObject, JsonSchema } from 'agent-machines';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { canBeStrict, strictForm } from '../../../../src/models/openai/strict-schema.ts';

const closed = (properties: JsonObject): JsonObject => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

describe('canBeStrict', () => {
  it('accepts the schema of a closed zod object', () => {
    const plan = z.strictObject({
      goal: z.string().describe('What for.'),
      steps: z.array(z.strictObject({ tool: z.enum(['a', 'b']), note: z.string().nullable(), count: z.int().min(1) })),
      kind: z.union([z.literal('x'), z.null()]),
      when: z.iso.date(),
    });
    expect(canBeStrict(z.toJSONSchema(plan) as JsonSchema)).toBe(true);
  });

  it.each<{ name: string; value: Json }>([
    { name: 'a reference', value: { $ref: '#/$defs/node' } },
    { name: 'a choice', value: { anyOf: [{ type: 'string' }, closed({ a: { type: 'number' } })] } },
    { name: 'several types', value: { type: ['string', 'null'] } },
    { name: 'an object without properties', value: closed({}) },
  ])('accepts $name as a property', ({ value }) => {
    expect(canBeStrict({ ...closed({ value }), $defs: { node: closed({ next: { $ref: '#/$defs/node' } }) } })).toBe(true);
  });

  it.each<{ name: string; schema: JsonSchema }>([
    { name: 'true', schema: true },
    { name: 'a list at the root', schema: { type: 'array', items: { type: 'string' } } },
    { name: 'a choice at the root', schema: { ...closed({}), anyOf: [closed({})] } },
    { name: 'an open object', schema: { type: 'object', properties: {}, required: [] } },
    { name: 'an optional property', schema: { ...closed({ a: { type: 'string' } }), required: [] } },
    { name: 'an object that does not say what it requires', schema: { type: 'object', properties: {}, additionalProperties: false } },
  ])('rejects $name', ({ schema }) => {
    expect(canBeStrict(schema)).toBe(false);
  });

  it.each<{ name: string; value: Json }>([
    { name: 'anything', value: {} },
    { name: 'true', value: true },
    { name: 'an unknown keyword', value: { type: 'string', minLength: 1 } },
    { name: 'an unknown format', value: { type: 'string', format: 'uri' } },
    { name: 'a list of anything', value: { type: 'array' } },
    { name: 'an open object in a list', value: { type: 'array', items: { type: 'object' } } },
    { name: 'an open object in a choice', value: { anyOf: [{ type: 'null' }, { type: 'object' }] } },
    { name: 'an open object among several types', value: { type: ['object', 'null'] } },
    { name: 'a reference with a description', value: { $ref: '#/$defs/a', description: 'x' } },
  ])('rejects $name as a property', ({ value }) => {
    expect(canBeStrict(closed({ value }))).toBe(false);
  });

  it('rejects an open object in a definition', () => {
    expect(canBeStrict({ ...closed({}), $defs: { a: { type: 'object' } } })).toBe(false);
  });

  it('rejects more than ten levels', () => {
    const nested = (levels: number): JsonObject => (levels === 1 ? closed({}) : closed({ next: nested(levels - 1) }));
    expect(canBeStrict(nested(10))).toBe(true);
    expect(canBeStrict(nested(11))).toBe(false);
  });
});

describe('strictForm', () => {
  const optional = { ...closed({ a: { type: 'string' }, b: { type: ['string', 'null'] } }), required: ['a'] };

  it('requires an optional member that may be null at any depth', () => {
    expect(strictForm(optional)).toEqual({ ...optional, required: ['a', 'b'] });
    expect(strictForm(closed({ list: { type: 'array', items: optional } }))).toEqual(
      closed({ list: { type: 'array', items: { ...optional, required: ['a', 'b'] } } }),
    );
  });

  it.each<[string, JsonObject]>([
    ['an optional member that is never null', { ...closed({ a: { type: 'string' } }), required: [] }],
    ['another reason against strict mode', { ...optional, minProperties: 1 }],
    ['a strict schema', closed({ a: { type: 'string' } })],
  ])('leaves a schema unchanged: %s', (_, schema) => {
    expect(strictForm(schema)).toEqual(schema);
  });
});
