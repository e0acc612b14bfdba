import type { JsonSchema, ModelToolCall, SchemaValidator, ToolSpec } from 'agent-machines';
import { checkToolCall, executeCalls, parseToolCall } from 'agent-machines/tools';
import { describe, expect, it } from 'vitest';

const search: ToolSpec = {
  name: 'search',
  inputSchema: { type: 'object', properties: { query: { type: 'string' }, limit: { type: 'integer' } }, required: ['query'] },
};
const now: ToolSpec = { name: 'now', inputSchema: { type: 'object', properties: {} } };
const tools = [now, search];

const call = (args: string, name = 'search'): ModelToolCall => ({ id: 'call_1', name, arguments: args });
const refused = (...reasons: readonly string[]): unknown =>
  expect.objectContaining({
    code: 'TOOL_CALL_INVALID',
    message: expect.stringMatching(new RegExp(`^The arguments of "search" were rejected: [^]*${reasons.join('[^]*')}`)),
    hint: expect.stringMatching(/./),
    data: { tool: 'search' },
  });

describe('parseToolCall', () => {
  it('reads a call, and marks the returned object, and no copy, as executable', async () => {
    const parsed = parseToolCall(call(' {"query":"x","limit":3}\n'), { tools });
    expect(parsed).toEqual({ id: 'call_1', name: 'search', args: { query: 'x', limit: 3 } });
    await expect(executeCalls([parsed], { tools: [] })).resolves.toHaveProperty('results');
    for (const copy of [{ ...parsed }, structuredClone(parsed)])
      await expect(executeCalls([copy], { tools: [] })).rejects.toMatchObject({ code: 'TOOL_CALL_INVALID' });
  });

  it('returns frozen arguments', () => {
    const { args } = parseToolCall(call('{"query":"x"}'), { tools });
    expect(() => Object.assign(args, { query: 'y' })).toThrow(TypeError);
  });

  it('returns a frozen call', () => {
    const parsed = parseToolCall(call('{"query":"x"}'), { tools });
    expect(() => Object.assign(parsed, { name: 'now' })).toThrow(TypeError);
  });

  it('refuses a name of several tools, because the wrong one might run', () => {
    expect(() => parseToolCall(call('{"query":"x"}'), { tools: [search, { ...now, name: 'search' }] })).toThrow(
      refused('several tools have this name'),
    );
  });

  it('reads an empty text as no arguments', () => {
    expect(parseToolCall(call('', 'now'), { tools }).args).toEqual({});
    expect(parseToolCall(call(' \n', 'now'), { tools }).args).toEqual({});
    expect(() => parseToolCall(call(''), { tools })).toThrow(refused("'query'"));
  });

  it.each(['Search', 'search ', 'sеarch', 'sea\u200brch', 'search\u{e0061}', 'read_file', '', 'toString', '__proto__'])(
    'refuses the unknown tool %j',
    (name) => {
      expect(() => parseToolCall(call('{"query":"x"}', name), { tools })).toThrow(
        expect.objectContaining({
          code: 'TOOL_UNKNOWN',
          message: `There is no tool ${JSON.stringify(name)}.`,
          hint: 'Call one of now, search.',
          data: { tool: name },
        }),
      );
    },
  );

  it.each<[string, string]>([
    ['{"query":', 'it is not JSON'],
    ["{'query':'x'}", 'it is not JSON'],
    ['{"query":"x"} ok', 'it is not JSON'],
    ['{"query":"x","query":"y"}', 'occurs twice'],
    ['{"query":"x","__proto__":{}}', 'is not allowed'],
    ['{"query":"x","limit":9007199254740993}', 'cannot be represented exactly'],
    ['["x"]', 'they are not an object'],
    ['null', 'they are not an object'],
    ['"x"', 'they are not an object'],
    ['1', 'they are not an object'],
    ['{}', "must have required property 'query'"],
    ['{"query":5}', '/query must be string'],
    ['{"query":"x","limit":1.5}', '/limit must be integer'],
    ['{"query":"x","limit":"1"}', '/limit must be integer'],
    ['{"query":"x","safe":false}', '/safe is not a declared argument'],
    ['{"query":"x","Query":"x"}', '/Query is not a declared argument'],
  ])('refuses the arguments %s', (args, reason) => {
    expect(() => parseToolCall(call(args), { tools })).toThrow(refused(reason));
  });

  it('returns at most 4,000 characters, however many violations there are', () => {
    const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`${n}${'x'.repeat(n % 500 === 0 ? 5_000 : 5)}`, 1]));
    const calls = [
      call(JSON.stringify(many)),
      call('{}', 'y'.repeat(100_000)),
      call(`{"${'z'.repeat(100_000)}":1,"${'z'.repeat(100_000)}":1}`),
    ];
    const offered = [...tools, ...Array.from({ length: 2_000 }, (_, n) => ({ ...now, name: `tool_${n}` }))];
    for (const one of calls) {
      const checked = checkToolCall(one, { tools: offered });
      const text = JSON.stringify('error' in checked && checked.error);
      expect(text.length).toBeGreaterThan(50);
      expect(text.length).toBeLessThan(6_000);
    }
    expect(() => parseToolCall(calls[0] ?? call(''), { tools })).toThrow(/; and 9\d\d more\.$/);
  });

  it('names every violation', () => {
    expect(() => parseToolCall(call('{"query":5,"limit":"x","safe":1}'), { tools })).toThrow(
      expect.objectContaining({ message: expect.stringMatching(/^(?=.*\/query)(?=.*\/limit)(?=.*\/safe)/) }),
    );
  });

  it.each<JsonSchema>([true, { type: 'string' }, { type: 'object', properties: { query: { type: 'text' } } }])(
    'refuses every call of a tool with the schema %j',
    (inputSchema) => {
      expect(() => parseToolCall(call('{"query":"x"}'), { tools: [{ name: 'search', inputSchema }] })).toThrow(
        expect.objectContaining({
          code: 'TOOL_INVALID',
          message: expect.stringMatching(/^The schema of the tool "search" cannot be used: ./),
          data: { tool: 'search' },
        }),
      );
    },
  );

  it('checks with the given validator', () => {
    const validator: SchemaValidator = {
      compile: (schema) => ({
        ok: true,
        ignored: [],
        check: (value) => [{ path: '', keyword: 'own', message: `${schema === search.inputSchema} ${JSON.stringify(value)}` }],
      }),
    };
    expect(() => parseToolCall(call('{"query":"x"}'), { tools, validator })).toThrow(refused('true {"query":"x"}'));
  });
});
