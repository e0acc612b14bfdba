import type { JsonObject } from 'agent-machines';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { eventForm } from '../../../../src/server/mcp/event-form.ts';

const schemaOf = (schema: z.ZodType): JsonObject => z.toJSONSchema(schema, { io: 'input' }) as JsonObject;
const titles = [
  { const: 'a', title: 'First' },
  { const: 'b', title: 'b' },
];

describe('eventForm', () => {
  it.each<[string, z.ZodType, JsonObject]>([
    ['a text', z.string().min(2), { type: 'string', minLength: 2 }],
    ['a text with more than a form knows', z.string().regex(/a/).default('a'), { type: 'string', default: 'a' }],
    ['an address', z.email(), { type: 'string', format: 'email' }],
    ['a number', z.number().max(5).describe('How many.'), { type: 'number', maximum: 5, description: 'How many.' }],
    ['a whole number', z.int().min(1).max(9), { type: 'integer', minimum: 1, maximum: 9 }],
    ['yes or no', z.boolean().default(true), { type: 'boolean', default: true }],
    ['one of some', z.enum(['a', 'b']), { type: 'string', enum: ['a', 'b'] }],
    ['one of some with titles', z.union([z.literal('a').meta({ title: 'First' }), z.literal('b')]), { type: 'string', oneOf: titles }],
    ['some of some', z.array(z.enum(['a', 'b'])).max(1), { type: 'array', maxItems: 1, items: { type: 'string', enum: ['a', 'b'] } }],
    [
      'some of some with titles',
      z.array(z.union([z.literal('a').meta({ title: 'First' }), z.literal('b')])),
      { type: 'array', items: { anyOf: titles } },
    ],
  ])('asks for %s', (_, field, shown) => {
    expect(eventForm(schemaOf(z.object({ field, type: z.literal('X') })))).toEqual({
      type: 'object',
      properties: { field: shown },
      required: field.safeParse(undefined).success ? [] : ['field'],
    });
  });

  it.each<[string, z.ZodType]>([
    ['nothing', z.object({ type: z.literal('X') })],
    ['an object', z.object({ who: z.object({ name: z.string() }) })],
    ['a list of texts', z.object({ steps: z.array(z.string()) })],
    ['a text or a number', z.object({ it: z.union([z.string(), z.number()]) })],
    ['one of some numbers', z.object({ it: z.union([z.literal(1), z.literal(2)]) })],
    ['anything', z.object({ it: z.unknown() })],
  ])('has no form for %s', (_, schema) => {
    expect(eventForm(schemaOf(schema))).toBeUndefined();
  });

  it('has no form for an unknown event', () => {
    expect([eventForm(undefined), eventForm({ type: 'object' })]).toEqual([undefined, undefined]);
  });
});
