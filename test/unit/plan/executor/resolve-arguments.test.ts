import type { Json, JsonObject, Tool } from 'agent-machines';
import type { PlanStep } from 'agent-machines/tools';
import { describe, expect, it } from 'vitest';
import { toEnvironment } from '../../../../src/plan/executor/journal-call.ts';
import { resolveArguments } from '../../../../src/plan/executor/resolve-arguments.ts';

const tool: Tool = {
  name: 'tool',
  inputSchema: {
    type: 'object',
    properties: { text: { type: 'string' }, limit: { type: 'integer' }, rows: { type: 'array', items: { type: 'string' } } },
    required: ['text'],
  },
  execute: async () => null,
};
const outputs: ReadonlyMap<number, Json> = new Map<number, Json>([
  [1, 'first'],
  [2, { title: 'second', pages: [3, 4], rows: ['a', 'b'], nothing: null }],
  [3, null],
]);
const resolve = (step: Omit<PlanStep, 'step_id' | 'tool'>, more: Partial<Tool> = {}): JsonObject =>
  resolveArguments({ step_id: 9, tool: 'tool', ...step }, { ...tool, ...more }, outputs, toEnvironment({ tools: [] }));
const invalid = (reason: string): unknown =>
  expect.objectContaining({
    code: 'TOOL_INPUT_INVALID',
    message: expect.stringMatching(new RegExp(`^Step 9 was not called: .*${reason}.*\\.$`)),
    hint: expect.stringMatching(/./),
    retryable: false,
    data: { tool: 'tool' },
  });

describe('resolveArguments', () => {
  it.each<[Omit<PlanStep, 'step_id' | 'tool'>, JsonObject]>([
    [{ input: 'x' }, { text: 'x' }],
    [{ input: { text: 'x', limit: 2 } }, { text: 'x', limit: 2 }],
    [{ input_from: 'step_1' }, { text: 'first' }],
    [{ input_from: 'step_2#/title' }, { text: 'second' }],
    [
      { input: { limit: 2 }, input_from: 'step_1' },
      { text: 'first', limit: 2 },
    ],
    [
      { input: { text: 'x' }, input_from: { limit: 'step_2#/pages/1', rows: 'step_2#/rows' } },
      { text: 'x', limit: 4, rows: ['a', 'b'] },
    ],
    [
      { input: 'x', input_from: { limit: 'step_2#/pages/0' } },
      { text: 'x', limit: 3 },
    ],
  ])('puts %j together', (step, expected) => {
    expect(resolve(step)).toEqual(expected);
  });

  it('fills the declared primary input', () => {
    const inputSchema = { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } } };
    expect(resolve({ input: 'x' }, { inputSchema, primaryInput: 'b' })).toEqual({ b: 'x' });
    expect(resolve({ input_from: 'step_1' }, { inputSchema, primaryInput: 'b' })).toEqual({ b: 'first' });
  });

  it('leaves the input of the step unchanged', () => {
    const input = Object.freeze({ text: 'x' });
    expect(resolve({ input, input_from: { limit: 'step_2#/pages/0' } })).toEqual({ text: 'x', limit: 3 });
    expect(input).toEqual({ text: 'x' });
  });

  it.each<[string, Omit<PlanStep, 'step_id' | 'tool'>, string]>([
    ['a step without output', { input_from: 'step_7' }, 'step_7 has no value'],
    ['a part that is not there', { input_from: 'step_2#/author' }, 'step_2#/author has no value'],
    ['a part of a text', { input_from: 'step_1#/0' }, 'step_1#/0 has no value'],
    ['a part of null', { input_from: 'step_3#/title' }, 'step_3#/title has no value'],
    ['an item past the end', { input_from: 'step_2#/pages/2' }, 'step_2#/pages/2 has no value'],
    ['an inherited part', { input_from: 'step_2#/constructor/name' }, 'step_2#/constructor/name has no value'],
    ['no reference', { input_from: 'the first step' }, 'the first step has no value'],
    ['an output of another type', { input_from: 'step_2' }, 'its arguments do not fit "tool": /text must be string'],
    ['null for a text', { input_from: 'step_3' }, '/text must be string'],
    ['null for a part', { input_from: 'step_2#/nothing' }, '/text must be string'],
    ['a wrong part among right ones', { input: 'x', input_from: { limit: 'step_2#/title' } }, '/limit must be integer'],
    ['a missing argument', { input_from: { limit: 'step_2#/pages/0' } }, "must have required property 'text'"],
    ['an extra argument', { input: 'x', input_from: { more: 'step_1' } }, '/more is not a declared argument'],
  ])('refuses %s', (_, step, reason) => {
    expect(() => resolve(step)).toThrow(invalid(reason));
  });

  it('names every invalid argument', () => {
    expect(() => resolve({ input_from: { text: 'step_3', limit: 'step_1' } })).toThrow(
      invalid('/text must be string; /limit must be integer'),
    );
  });

  it('refuses all arguments of a tool with an unusable schema', () => {
    expect(() => resolve({ input: { text: 'x' } }, { inputSchema: { type: 'string' } })).toThrow(invalid('not of type "object"'));
  });
});
