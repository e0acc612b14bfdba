import { defineTool, objectSchema, type SchemaOutput } from 'agent-machines/tools';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { standardJsonSchema } from '../../../../src/core/schema/standard-json-schema.ts';

const schema = objectSchema(
  {
    query: { type: 'string', minLength: 1, maxLength: 5, description: 'What to look for.' },
    limit: { default: 5, type: 'integer', minimum: 1, maximum: 10 },
    kinds: { default: [], type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
    note: { type: ['string', 'null'] },
    'a/b': { anyOf: [{ type: 'boolean' }, { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }] },
    zone: { type: 'string' },
  },
  { optional: ['zone'] },
);
const given = { note: null, 'a/b': true, query: 'x' };
const read = (value: unknown): unknown => schema['~standard'].validate(value);

describe('objectSchema', () => {
  it('converts to a closed JSON Schema, and requires only the members that are not optional', () => {
    expect(standardJsonSchema(schema)).toMatchObject({
      type: 'object',
      properties: { query: { type: 'string', minLength: 1, maxLength: 5, description: 'What to look for.' }, limit: { default: 5 } },
      required: ['query', 'note', 'a/b'],
      additionalProperties: false,
    });
    expect(standardJsonSchema(objectSchema({ a: { type: 'string', default: '' } }))).not.toHaveProperty('required');
  });

  it('fills in defaults in the order of its members, and omits optional members', () => {
    const { value } = read(given) as { readonly value: object };
    expect(Object.entries(value)).toEqual([
      ['query', 'x'],
      ['limit', 5],
      ['kinds', []],
      ['note', null],
      ['a/b', true],
    ]);
    expect(read({ ...given, zone: undefined, limit: undefined })).toEqual({ value });
    expect(read({ ...given, zone: 'KST', limit: 7 })).toEqual({ value: { ...value, zone: 'KST', limit: 7 } });
  });

  it('gives each result its own copy of a default', () => {
    const members = { kinds: { default: ['a'], type: 'array', items: { type: 'string' } } } as const;
    const own = objectSchema(members);
    const first = own['~standard'].validate({}) as { readonly value: { readonly kinds: string[] } };
    expect(() => first.value.kinds.push('b')).toThrow(TypeError);
    (members.kinds.default as unknown as string[]).push('c');
    expect(own['~standard'].validate({})).toEqual({ value: { kinds: ['a'] } });
  });

  it.each<readonly [what: string, value: unknown, path: readonly string[]]>([
    ['nothing', undefined, []],
    ['a list', [given], []],
    ['a text', 'x', []],
    ['an empty text', { ...given, query: '' }, ['query']],
    ['a text that is too long', { ...given, query: 'xxxxxx' }, ['query']],
    ['a part of a number', { ...given, limit: 1.5 }, ['limit']],
    ['a number out of bounds', { ...given, limit: 11 }, ['limit']],
    ['a value that is none of those named', { ...given, kinds: ['a', 'c'] }, ['kinds', '1']],
    ['neither of two kinds', { ...given, 'a/b': 5 }, ['a/b']],
    ['null where there is no null', { ...given, zone: null }, ['zone']],
    ['a date', { ...given, note: new Date() }, ['note']],
  ])('refuses %s, and says where', (_, value, path) => {
    const { issues } = read(value) as { readonly issues: readonly unknown[] };
    expect(issues.length).toBeGreaterThan(0);
    for (const issue of issues) expect(issue).toEqual({ path, message: expect.any(String) });
  });

  it.each([
    ['a member that it does not have', { ...given, more: 1 }],
    ['a member that only the prototype of its members has', { ...given, constructor: 1 }],
    ['a member called __proto__', JSON.parse('{"query":"x","note":null,"a/b":true,"__proto__":{"limit":9}}')],
  ])('refuses %s', (_, value) => {
    expect(read(value)).toMatchObject({ issues: [expect.anything()] });
  });

  it('does not read a member from a prototype', () => {
    expect(read(Object.create(given))).toHaveProperty('issues');
  });

  it('infers the types of a tool', async () => {
    expectTypeOf<SchemaOutput<typeof schema>>().toExtend<{
      readonly query: string;
      readonly limit: number;
      readonly kinds: readonly ('a' | 'b')[];
      readonly note: string | null;
      readonly 'a/b': boolean | { readonly n: number };
      readonly zone?: string | undefined;
    }>();
    const tool = defineTool({
      name: 'shout',
      description: 'Repeats a text in capitals.',
      access: 'compute',
      input: objectSchema({ text: { type: 'string' }, times: { type: 'integer', default: 1 } }),
      execute: async ({ text, times }) => text.toUpperCase().repeat(times),
    });
    const context = { signal: new AbortController().signal } as never;
    await expect(tool.execute({ text: 'a' }, context)).resolves.toBe('A');
    await expect(tool.execute({ text: 5 }, context)).rejects.toMatchObject({
      code: 'TOOL_INPUT_INVALID',
      message: expect.stringContaining('text'),
    });
    // @ts-expect-error a member that has to be there
    const lacking: NonNullable<(typeof schema)['~standard']['types']>['input'] = { query: 'x', note: null };
    expect(lacking).toBeDefined();
  });
});
