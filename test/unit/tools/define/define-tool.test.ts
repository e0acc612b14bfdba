import type { JsonObject, ToolContext } from 'agent-machines';
import { defineTool, jsonSchemaValidator } from 'agent-machines/tools';
import { describe, expect, it } from 'vitest';
import { type ZodType, z } from 'zod';
import { plainInputOf } from '../../../fixtures/plain-input.ts';

const context: ToolContext = { signal: new AbortController().signal, idempotencyKey: 'call-1', attempt: 2 };

const text = z.strictObject({ text: z.string() });
const named = (name: string): unknown => defineTool({ name, description: 'x', access: 'write', input: text, execute: async () => null });
const taking = (input: ZodType): unknown =>
  defineTool({ name: 'tool', description: 'x', access: 'write', input, execute: async () => null });
const invalid = (reason: string): unknown =>
  expect.objectContaining({ code: 'TOOL_INVALID', message: expect.stringContaining(reason), hint: expect.stringMatching(/./) });

describe('defineTool', () => {
  it('keeps its definition, and derives a JSON Schema of the input', async () => {
    const tool = defineTool({
      name: 'shout-2_X',
      description: 'Repeats a text in capitals.',
      access: 'compute',
      risk: 'high',
      timeoutMs: 5,
      maxAttempts: 2,
      maxOutputBytes: 10,
      unavailable: 'No voice.',
      primaryInput: 'text',
      capabilities: { untrusted: true },
      input: z.strictObject({ text: z.string().describe('What to say'), times: z.int().min(1).default(1) }),
      execute: async () => null,
    });
    expect(tool).toMatchObject({
      name: 'shout-2_X',
      description: 'Repeats a text in capitals.',
      effect: 'pure',
      risk: 'high',
      timeoutMs: 5,
      maxAttempts: 2,
      maxOutputBytes: 10,
      unavailable: 'No voice.',
      primaryInput: 'text',
      capabilities: { private: false, untrusted: true, external: false },
      inputSchema: {
        type: 'object',
        properties: { text: { type: 'string', description: 'What to say' }, times: { type: 'integer', minimum: 1, default: 1 } },
        required: ['text'],
        additionalProperties: false,
      },
    });
    expect(tool).not.toHaveProperty('input');
    expect(await plainInputOf(tool)).toEqual({ text: 'x' });
  });

  it('rejects a tool without a function', () => {
    const make = () => Reflect.apply(defineTool, undefined, [{ name: 'tool', description: 'x', input: text, run: async () => null }]);
    expect(make).toThrow(invalid('execute'));
  });

  it('derives a schema that the gate checks in full, and that refuses extra arguments', () => {
    for (const input of [text, z.object({ text: z.string() })]) {
      const { inputSchema } = defineTool({ name: 'tool', description: 'x', access: 'write', input, execute: async () => null });
      const schema = jsonSchemaValidator.compile(inputSchema);
      expect(schema).toMatchObject({ ok: true, ignored: [] });
      expect(schema.ok && schema.check({ text: 'x' })).toEqual([]);
      expect(schema.ok && schema.check({ text: 'x', more: 1 })).toMatchObject([{ path: '/more' }]);
    }
  });

  it('passes on the parsed arguments and the context', async () => {
    const calls: unknown[] = [];
    const tool = defineTool({
      name: 'tool',
      description: 'x',
      access: 'write',
      input: z.strictObject({ text: z.string().transform((value) => value.length), times: z.int().default(3) }),
      async execute(args, given) {
        calls.push(args, given);
        return { length: args.text };
      },
    });
    await expect(tool.execute({ text: 'four' }, context)).resolves.toEqual({ length: 4 });
    expect(calls).toEqual([{ text: 4, times: 3 }, context]);
    expect(calls[1]).toBe(context);
  });

  it.each<[JsonObject, string]>([
    [{}, 'text'],
    [{ text: 1 }, 'text'],
    [{ text: 'x', more: true }, 'more'],
  ])('does not call the tool with %j', async (args, named) => {
    let called = false;
    const tool = defineTool({
      name: 'tool',
      description: 'x',
      access: 'write',
      input: text,
      async execute() {
        called = true;
        return null;
      },
    });
    await expect(tool.execute(args, context)).rejects.toMatchObject({
      code: 'TOOL_INPUT_INVALID',
      message: expect.stringMatching(new RegExp(`^The arguments of "tool" are invalid: [^]*${named}`)),
    });
    expect(called).toBe(false);
  });

  it('fails with the error of the tool', async () => {
    const reason = new Error('no');
    const tool = defineTool({ name: 'tool', description: 'x', access: 'write', input: text, execute: () => Promise.reject(reason) });
    await expect(tool.execute({ text: 'x' }, context)).rejects.toBe(reason);
  });

  const [no, yes] = [false, true];
  it.each([
    ['compute', 'pure', no, no, no],
    ['read', 'pure', yes, no, no],
    ['inbox', 'pure', yes, yes, no],
    ['search', 'idempotent', no, yes, yes],
    ['write', 'once', no, no, no],
    ['send', 'once', no, no, yes],
  ] as const)('takes effect and capabilities of the access %s', (access, effect, ...[isPrivate, untrusted, external]) => {
    const common = { name: 'tool', description: 'x', access, input: text, execute: async () => null } as const;
    const capabilities = { private: isPrivate, untrusted, external };
    expect(defineTool(common)).toMatchObject({ effect, capabilities });
    expect(defineTool(common)).not.toHaveProperty('access');
    expect(defineTool({ ...common, targets: () => [] }).capabilities).toEqual({ ...capabilities, external: true });
    const unset = { effect: undefined, capabilities: { private: undefined } } as object;
    expect(defineTool({ ...common, ...unset })).toMatchObject({ effect, capabilities });
    const other = effect === 'once' ? 'pure' : 'once';
    expect(defineTool({ ...common, effect: other, capabilities: { private: !isPrivate } })).toMatchObject({
      effect: other,
      capabilities: { ...capabilities, private: !isPrivate },
    });
  });

  it.each([
    ['missing', undefined],
    ['"compte"', 'compte'],
    ['"toString"', 'toString'],
    ['null', null],
  ])('refuses an access that is %s, with the words to choose from', (shown, access) => {
    const definition: object = { name: 'tool', description: 'x', access, input: text, execute: async () => null };
    expect(() => Reflect.apply(defineTool, undefined, [definition])).toThrow(
      expect.objectContaining({
        code: 'TOOL_INVALID',
        message: expect.stringContaining(shown),
        hint: expect.stringMatching(/"compute".*"read".*"inbox".*"search".*"write".*"send"/),
      }),
    );
  });

  it.each(['a', 'A-z_09', 'github.issues.list', '.a', 'x'.repeat(128)])('accepts the name %s', (name) => {
    expect(named(name)).toMatchObject({ name });
  });

  it.each([
    ['nothing', ''],
    ['a space', 'web search'],
    ['a slash', '../../search'],
    ['129 characters', 'x'.repeat(129)],
    ['a full-width dot', 'web．search'],
    ['a one dot leader', 'web\u2024search'],
    ['a line break at its end', 'search\n'],
    ['another script', '검색'],
    ['a Cyrillic е', 's\u0435arch'],
    ['a full-width letter', 'ｓearch'],
    ['an accent', 'séarch'],
    ['a zero-width space', 'sea\u200brch'],
    ['a zero-width joiner', 'search\u200d'],
    ['a byte order mark', '\ufeffsearch'],
    ['a soft hyphen', 'sea\u00adrch'],
    ['a bidi override', '\u202esearch'],
    ['a tag character', 'search\u{e0061}'],
    ['a variation selector', 'search\ufe0f'],
    ['a NUL', 'search\0'],
    ['an escape sequence', '\u001b[31msearch'],
  ])('refuses a name that is or has %s', (_, name) => {
    expect(() => named(name)).toThrow(invalid('its name is not 1 to 128 of the characters a-z, A-Z, 0-9, _, - and .'));
  });

  it.each<[string, ZodType]>([
    ['a text', z.string()],
    ['a list', z.array(z.string())],
    ['one of two objects', z.union([text, z.strictObject({ url: z.string() })])],
    ['anything', z.unknown()],
  ])('refuses an input that is %s', (_, input) => {
    expect(() => taking(input)).toThrow(invalid('its input is not an object'));
  });

  it.each<[string, ZodType]>([
    ['a date', z.strictObject({ when: z.date() })],
    ['a bigint', z.strictObject({ n: z.bigint() })],
    ['a function', z.strictObject({ f: z.function() as unknown as ZodType })],
  ])('refuses an input with %s, which JSON cannot hold', (_, input) => {
    expect(() => taking(input)).toThrow(invalid('its input has no JSON Schema'));
  });

  it('rejects `errors` that are neither a known word nor a function', () => {
    const make = (errors: unknown): unknown =>
      Reflect.apply(defineTool, undefined, [
        { name: 'tool', description: 'x', access: 'write', input: text, errors, execute: async () => null },
      ]);
    expect(() => make('code')).toThrow(invalid("its `errors` is neither 'message' nor 'hidden' nor a function"));
    expect(make('hidden')).toMatchObject({ errors: 'hidden' });
  });

  it('refuses a primaryInput that is not an argument', () => {
    const primary = (primaryInput: string): unknown =>
      defineTool({ name: 'tool', description: 'x', access: 'write', input: text, primaryInput, execute: async () => null });
    expect(() => primary('query')).toThrow(invalid('its primaryInput "query" is not an argument'));
    expect(() => primary('toString')).toThrow(invalid('its primaryInput "toString" is not an argument'));
    expect(primary('text')).toMatchObject({ primaryInput: 'text' });
  });

  it('leaves a pattern of non-linear time to zod', async () => {
    const input = z.object({ span: z.iso.duration(), code: z.string().regex(/^a(?!b)/), mail: z.email() });
    const tool = defineTool({ name: 'tool', description: 'x', access: 'write', input, execute: async () => 'made' });
    expect(jsonSchemaValidator.compile(tool.inputSchema)).toMatchObject({ ok: true });
    expect(Object.entries(Object(tool.inputSchema).properties).map(([name, schema]) => [name, 'pattern' in Object(schema)])).toEqual([
      ['span', false],
      ['code', false],
      ['mail', true],
    ]);
    await expect(tool.execute({ span: 'P1D', code: 'ab', mail: 'a@b.co' }, context)).rejects.toMatchObject({ code: 'TOOL_INPUT_INVALID' });
    await expect(tool.execute({ span: 'P1D', code: 'ac', mail: 'a@b.co' }, context)).resolves.toBe('made');
  });

  it('fails if its output does not match its output schema', async () => {
    const answers: unknown[] = [{ n: 1 }, { n: 'one' }, {}];
    const tool = defineTool({
      name: 'tool',
      description: 'x',
      access: 'write',
      input: text,
      output: z.object({ n: z.int() }),
      execute: async () => answers.shift() as { n: number },
    });
    await expect(tool.execute({ text: 'x' }, context)).resolves.toEqual({ n: 1 });
    for (const _ of [1, 2]) {
      await expect(tool.execute({ text: 'x' }, context)).rejects.toMatchObject({
        code: 'TOOL_FAILED',
        message: expect.stringMatching(/^The output of "tool" does not match its schema: n: /),
      });
    }
    expect(tool).not.toHaveProperty('output');
  });
});
