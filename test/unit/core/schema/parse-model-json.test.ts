import type { Json } from 'agent-machines';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseModelJson } from '../../../../src/core/schema/parse-model-json.ts';
import { codePoint } from '../../../fixtures/code-point.ts';

const refused = expect.objectContaining({ code: 'MODEL_OUTPUT_INVALID' });
const refusedFor = (reason: string): unknown =>
  expect.objectContaining({
    code: 'MODEL_OUTPUT_INVALID',
    message: expect.stringContaining(reason),
    data: { issues: [{ code: 'NOT_JSON', path: '', message: expect.stringContaining(reason) }] },
  });

describe('parseModelJson', () => {
  it.each<[string, Json]>([
    ['{"a":[1,"2",null,true,-0.5e-3]}', { a: [1, '2', null, true, -0.0005] }],
    [' \r\n\t{"a":1}\n ', { a: 1 }],
    ['"text"', 'text'],
    ['12', 12],
    ['null', null],
    ['[]', []],
    ['9007199254740991', 9_007_199_254_740_991],
    ['-9007199254740991', -9_007_199_254_740_991],
    ['1e300', 1e300],
  ])('reads %j', (text, expected) => {
    expect(parseModelJson(text)).toEqual(expected);
  });

  it.each([
    '```json\n{"a":1}\n```',
    '```\n{"a":1}\n```',
    '```JSON\n{"a":1}\n```',
    '```json  \r\n{"a":1}\r\n```',
    '\n\n```json\n{"a":1}\n```\n\n',
    '```json\n\n  {\n"a": 1}\n\n```',
  ])('reads the one fenced block %j', (text) => {
    expect(parseModelJson(text)).toEqual({ a: 1 });
  });

  it.each([
    'Here it is: {"a":1}',
    '{"a":1} Good luck!',
    'Plan:\n```json\n{"a":1}\n```',
    '```json\n{"a":1}\n```\nGood luck!',
    '```json\n{"a":1}\n```\n```json\n{"a":2}\n```',
    '```json\n{"a":1}',
    '{"a":1}\n```',
    '```js\n{"a":1}\n```',
    '```json {"a":1}\n```',
    '````json\n{"a":1}\n````',
    '~~~json\n{"a":1}\n~~~',
    '`{"a":1}`',
  ])('refuses %j, which has text outside the JSON', (text) => {
    expect(() => parseModelJson(text)).toThrow(refusedFor('it is not JSON'));
  });

  it.each([
    '',
    '   ',
    '```json\n```',
    '```json\n\n```',
    '{',
    '{"a":1',
    '{"a":1,}',
    '[1,]',
    "{'a':1}",
    '{a:1}',
    '{"a":True}',
    '{"a":None}',
    '{"a":undefined}',
    '{"a":NaN}',
    '{"a":Infinity}',
    '{"a":01}',
    '{"a":+1}',
    '{"a":.5}',
    '{"a":0x10}',
    '{"a":1}{"b":2}',
    '{"a":1}\n{"b":2}',
    '{"a":1} // done',
    '/* plan */ {"a":1}',
    '{"a":"line\nbreak"}',
    '{"a":"\\x41"}',
    '{“a”:1}',
  ])('refuses %j without a repair', (text) => {
    expect(() => parseModelJson(text)).toThrow(refusedFor('it is not JSON'));
  });

  it.each([
    ['{"a":1,"a":1}', '"a"'],
    ['{"a":1,"b":{"c":1,"d":[],"c":2}}', '"c"'],
    ['[{"a":1},{"a":1,"x":{"a":1},"a":2}]', '"a"'],
    ['{"a":1,"\\u0061":2}', '"\\u0061"'],
    ['{"é":1,"\\u00e9":2}', '"\\u00e9"'],
    ['{"":1,"":2}', '""'],
    ['{"a":{},"b":[{}],"a":{}}', '"a"'],
    ['```json\n{"a":1,"a":2}\n```', '"a"'],
  ])('refuses %j, which has a duplicate key', (text, key) => {
    expect(() => parseModelJson(text)).toThrow(refusedFor(`the key ${key} occurs twice in one object`));
  });

  it('accepts equal keys in different objects, and keys that look like values', () => {
    const text = '{"a":{"a":[{"a":1},{"a":"a"}]},"b":"a","c":["a","a",":","{","\\"a\\":"],"A":2,"a ":3}';
    expect(parseModelJson(text)).toEqual({
      a: { a: [{ a: 1 }, { a: 'a' }] },
      b: 'a',
      c: ['a', 'a', ':', '{', '"a":'],
      A: 2,
      'a ': 3,
    });
  });

  it.each(['__proto__', 'constructor', 'prototype'])('refuses the key %s at any depth, and leaves the prototype unchanged', (key) => {
    const escaped = `\\u${key.charCodeAt(0).toString(16).padStart(4, '0')}${key.slice(1)}`;
    for (const text of [`{"${key}":{"polluted":1}}`, `[{"a":{"${key}":1}}]`, `{"${escaped}":{"polluted":1}}`]) {
      expect(() => parseModelJson(text)).toThrow(refusedFor('is not allowed'));
    }
    expect({}).not.toHaveProperty('polluted');
    expect(parseModelJson(`["${key}"]`)).toEqual([key]);
  });

  it.each([
    '9007199254740992',
    '-9007199254740993',
    '123456789012345678901234567890',
    '9007199254740993.0',
    '9007199254740993e0',
    '1e-400',
  ])('refuses the number %s', (number) => {
    expect(() => parseModelJson(`{"id":${number}}`)).toThrow(refusedFor(`the number ${number} cannot be represented exactly`));
    expect(parseModelJson(`{"id":"${number}"}`)).toEqual({ id: number });
  });

  it.each(['1e21', '120.0', '1.2e2', '0.0', '0e9', '0.1', '0.12345678901234567', '5e-324', '1.7976931348623157e308'])(
    'accepts the number %s',
    (number) => {
      expect(parseModelJson(number)).toBe(Number(number));
    },
  );

  it('refuses a number that overflows', () => {
    expect(() => parseModelJson('{"a":[1e400]}')).toThrow(refusedFor('reply.a[0] is Infinity'));
  });

  it('refuses a reply above the maximum length without parsing it', () => {
    const long = JSON.stringify('a'.repeat(999_998));
    expect(parseModelJson(long)).toHaveLength(999_998);
    expect(() => parseModelJson(`${long} `)).toThrow(refusedFor('it has 1000001 characters'));
  });

  it('refuses a reply above the maximum depth', () => {
    const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    expect(parseModelJson(nested(200))).toBeDefined();
    expect(() => parseModelJson(nested(201))).toThrow(refusedFor('nested more than 200 levels deep'));
    expect(() => parseModelJson(nested(100_000))).toThrow(refused);
  });

  it('returns a frozen value', () => {
    const value = parseModelJson('{"a":[{}]}');
    expect(Object.isFrozen(value)).toBe(true);
    expect(() => Object.assign(value as object, { b: 1 })).toThrow(TypeError);
  });

  it('gives a hint', () => {
    expect(() => parseModelJson('?')).toThrow(expect.objectContaining({ hint: expect.stringMatching(/\.$/), retryable: false }));
  });

  it('reads everything that JSON.stringify writes, fenced or not', () => {
    const safe = (value: Json): boolean =>
      typeof value !== 'number' || !Number.isInteger(value) || Number.isSafeInteger(value) || `${value}`.includes('e');
    const text = fc.string({ unit: codePoint }).filter((key) => !['__proto__', 'constructor', 'prototype'].includes(key));
    const { value } = fc.letrec<{ value: Json }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.constantFrom<Json>(null, true, false),
        fc.double({ noNaN: true, noDefaultInfinity: true }).filter(safe),
        fc.maxSafeInteger(),
        text,
        fc.array(tie('value')),
        fc.dictionary(text, tie('value'), { noNullPrototype: true }),
      ),
    }));
    fc.assert(
      fc.property(value, fc.constantFrom(0, 2, '\t'), fc.boolean(), (json, indent, fenced) => {
        const body = JSON.stringify(json, null, indent);
        expect(parseModelJson(fenced ? `\`\`\`json\n${body}\n\`\`\`` : body)).toEqual(JSON.parse(body));
      }),
      { numRuns: 500 },
    );
  });
});
