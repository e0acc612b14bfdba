// Forms made from the JSON Schemas of events: each kind of schema has a control, and what is written is read as the schema wants it.
import type { Json, JsonObject } from 'agent-machines';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { eventsOf, type FormField, readForm } from '../../../src/studio/model/form-of-schema.ts';

const jsonSchema = (shape: z.ZodRawShape): JsonObject =>
  z.toJSONSchema(z.strictObject({ type: z.literal('SEND'), ...shape })) as JsonObject;
const formOf = (schema: JsonObject, question: unknown = null): readonly FormField[] =>
  eventsOf(['SEND'], { SEND: schema }, question)[0]?.fields ?? [];
const buttons = (...accepts: readonly string[]) => eventsOf(accepts, {}, null).map(({ type, intent }) => `${type} ${intent}`);

/** Schemas with the text that a human writes for them. */
const kinds: Readonly<Record<string, readonly [z.ZodType, control: string, text: string, value: Json]>> = {
  text: [z.string(), 'text', 'a', 'a'],
  long: [z.string().max(500), 'area', 'a\nb', 'a\nb'],
  date: [z.iso.date(), 'date', '2026-11-29', '2026-11-29'],
  time: [z.iso.datetime(), 'datetime-local', '2026-11-29T10:00', new Date('2026-11-29T10:00').toISOString()],
  mail: [z.email(), 'email', 'kim@example.com', 'kim@example.com'],
  page: [z.url(), 'url', 'https://example.com', 'https://example.com'],
  number: [z.number().min(1), 'number', '1.5', 1.5],
  whole: [z.int(), 'number', '-3', -3],
  flag: [z.boolean(), 'flag', 'true', true],
  choice: [z.enum(['a', 'b']), 'choice', '"b"', 'b'],
  lines: [z.array(z.string()), 'lines', ' a \n\nb', ['a', 'b']],
  checks: [z.array(z.enum(['a', 'b'])), 'checks', '["a"]', ['a']],
  object: [z.strictObject({ n: z.int() }), 'json', '{"n":1}', { n: 1 }],
  rows: [z.array(z.strictObject({ n: z.int() })), 'json', '[{"n":1}]', [{ n: 1 }]],
  nothing: [z.int().nullable(), 'number', '7', 7],
};

describe('a form made from a schema', () => {
  it.each(Object.entries(kinds))('has a control for %s', (key, [schema, control, text, value]) => {
    const fields = formOf(jsonSchema({ [key]: schema }));
    expect(fields).toMatchObject([{ key, control }]);
    expect(readForm(fields, { [key]: text })).toEqual({ fields: { [key]: value } });
  });

  it.each([
    ['a time with seconds', z.iso.datetime(), '2026-11-29T10:00:30.500Z'],
    ['lines with spaces', z.array(z.string()), ['  a', '', 'b ']],
    ['a text of several lines', z.string(), 'a\nb'],
    ['a number', z.number(), 1.5],
  ])('sends %s of the question unchanged while nobody writes', (_, schema, value) => {
    const fields = formOf(jsonSchema({ it: schema }), { it: value });
    expect(readForm(fields, {})).toEqual({ fields: { it: value } });
    expect(fields).toMatchObject([{ control: value === 'a\nb' ? 'area' : expect.any(String) }]);
    expect(readForm(fields, { it: '' })).not.toEqual({ fields: { it: value } });
  });

  it('has no hidden value: a date that its control cannot show is missing', () => {
    const fields = formOf(jsonSchema({ on: z.string().meta({ format: 'date' }) }), { on: 'tomorrow' });
    expect([fields[0]?.start, readForm(fields, {})]).toEqual(['', { problems: { on: 'missing' } }]);
  });

  it('refuses a whole number that JSON would round', () => {
    const fields = formOf(jsonSchema({ id: z.number() }));
    expect(readForm(fields, { id: '90071992547409931' })).toEqual({ problems: { id: 'notNumber' } });
    expect(readForm(fields, { id: '9007199254740991' })).toEqual({ fields: { id: 9007199254740991 } });
    expect(readForm(fields, { id: '1e21' })).toEqual({ fields: { id: 1e21 } });
  });

  it('sends the only value that a required field may have', () => {
    const schema = jsonSchema({ version: z.literal(2), note: z.string(), old: z.literal(1).optional() });
    const [event] = eventsOf(['SEND'], { SEND: schema }, null);
    expect([event?.fields.map(({ key }) => key), event?.constants]).toEqual([['note'], { version: 2 }]);
  });

  it('has fields of any name, and knows a nullable type', () => {
    const properties = { constructor: { type: 'string' }, toString: { type: ['string', 'null'] } };
    const fields = formOf({ type: 'object', properties, required: ['constructor', 'toString'], additionalProperties: false });
    expect(readForm(fields, {})).toEqual({ problems: { constructor: 'missing' } });
    expect(readForm(fields, { constructor: 'a' })).toEqual({ fields: { constructor: 'a', toString: null } });
    expect(eventsOf(['toString'], {}, null)[0]?.fields).toMatchObject([{ control: 'json' }]);
  });

  it('reads what the schema accepts, for any choice of fields, and names each field that lacks', () => {
    const names = Object.keys(kinds);
    fc.assert(
      fc.property(fc.subarray(names), fc.func(fc.boolean()), fc.func(fc.boolean()), (chosen, isOptional, isWritten) => {
        const shape = chosen.map((key) => [key, isOptional(key) ? kinds[key]?.[0].optional() : kinds[key]?.[0]] as const);
        const schema = jsonSchema(Object.fromEntries(shape) as z.ZodRawShape);
        const fields = formOf(schema);
        const written = chosen.filter((key) => isWritten(key));
        const read = readForm(fields, Object.fromEntries(written.map((key) => [key, kinds[key]?.[2] ?? ''])));
        // an empty list, an untouched switch and `null` are answers
        const answersItself = ['flag', 'lines', 'checks', 'nothing'];
        const missing = chosen.filter((key) => !isOptional(key) && !isWritten(key) && !answersItself.includes(key));
        if (missing.length > 0) {
          expect(read).toEqual({ problems: Object.fromEntries(missing.map((key) => [key, 'missing'])) });
          return;
        }
        const event = { type: 'SEND', ...('fields' in read ? read.fields : {}) };
        const check = new Ajv2020({ validateFormats: false });
        expect(check.validate(schema, event), JSON.stringify(check.errors)).toBe(true);
      }),
    );
  });

  it.each<[string, z.ZodType, string, string]>([
    ['a number', z.number(), 'ten', 'notNumber'],
    ['JSON', z.strictObject({}), '{', 'notJson'],
    ['a needed text', z.string(), '  ', 'missing'],
  ])('says that something is not %s', (_, schema, text, problem) => {
    expect(readForm(formOf(jsonSchema({ key: schema })), { key: text })).toEqual({ problems: { key: problem } });
  });

  it('begins with the values of the question, then with the defaults', () => {
    const schema = jsonSchema({ euros: z.int(), note: z.string().default('none'), tags: z.array(z.string()) });
    const starts = formOf(schema, { euros: 120, tags: ['a', 'b'], other: 1 }).map(({ key, start }) => [key, start]);
    expect(Object.fromEntries(starts)).toEqual({ euros: '120', note: 'none', tags: 'a\nb' });
  });

  it.each<[string, z.ZodType, Json, string]>([
    ['a text for boxes', z.array(z.enum(['a', 'b'])), 'a', ''],
    ['an unknown choice', z.enum(['a', 'b']), 'c', ''],
    ['a choice', z.enum(['a', 'b']), 'b', '"b"'],
    ['an object for a text', z.string(), { a: 1 }, ''],
    ['a text for a number', z.int(), 'ten', ''],
    ['a number for a switch', z.boolean(), 1, ''],
    ['objects for lines', z.array(z.string()), [{}], ''],
    ['no time', z.iso.datetime(), 'soon', ''],
  ])('begins a control with a value of the question only if it can show it: %s', (_, schema, value, start) => {
    expect(formOf(jsonSchema({ key: schema }), { key: value })).toMatchObject([{ start }]);
  });

  it('begins a time with the time of the question, shown down to the minute and sent with its seconds', () => {
    const fields = formOf(jsonSchema({ key: z.iso.datetime() }), { key: '2026-11-29T10:30:45Z' });
    expect(fields[0]?.start).toMatch(/^\d{4}-\d\d-\d\dT\d\d:30$/);
    expect(readForm(fields, {})).toEqual({ fields: { key: '2026-11-29T10:30:45Z' } });
    const there = formOf(jsonSchema({ key: z.iso.datetime() }), { key: '2026-11-29T10:30:45+09:00' });
    expect(readForm(there, {})).toEqual({ fields: { key: '2026-11-29T01:30:45.000Z' } });
  });

  it('uses titles, and makes words of keys and event types', () => {
    const schema = jsonSchema({ payOn: z.string(), why_not: z.string().meta({ title: 'Reason', description: 'Shown to them.' }) });
    expect(formOf(schema).map(({ label, help }) => [label, help])).toEqual([
      ['Pay on', undefined],
      ['Reason', 'Shown to them.'],
    ]);
  });

  it.each<[string, JsonObject | undefined]>([
    ['no schema', undefined],
    ['any fields', { type: 'object', properties: { type: { const: 'SEND' } } }],
    ['one of several forms', { anyOf: [{ type: 'object' }] }],
  ])('takes JSON for an event with %s', (_, schema) => {
    const fields = eventsOf(['SEND'], schema ? { SEND: schema } : {}, null)[0]?.fields ?? [];
    expect(readForm(fields, {})).toEqual({ fields: {} });
    expect(readForm(fields, { '': '{"a":1}' })).toEqual({ fields: { a: 1 } });
    expect(readForm(fields, { '': '[1]' })).toEqual({ problems: { '': 'notJson' } });
  });

  it('has no field for an event without fields', () => {
    expect(formOf({ type: 'object', properties: { type: { const: 'SEND' } }, additionalProperties: false })).toEqual([]);
  });
});

describe('the buttons of a question', () => {
  it('have one primary at most, and the destructive ones last', () => {
    expect(buttons('REJECT', 'REVISE', 'APPROVE')).toEqual(['APPROVE primary', 'REVISE other', 'REJECT destructive']);
    expect(buttons('CANCEL', 'PAY')).toEqual(['PAY primary', 'CANCEL destructive']);
    expect(buttons('LEFT', 'RIGHT')).toEqual(['LEFT other', 'RIGHT other']);
  });

  it('follow the intent of a schema', () => {
    const events = eventsOf(['APPROVE', 'BURN'], { BURN: { intent: 'destructive' }, APPROVE: { intent: 'primary', title: 'Yes' } }, null);
    expect(events.map(({ label, intent }) => [label, intent])).toEqual([
      ['Yes', 'primary'],
      ['Burn', 'destructive'],
    ]);
  });
});
