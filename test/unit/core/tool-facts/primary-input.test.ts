import type { JsonSchema } from 'agent-machines';
import { describe, expect, it } from 'vitest';
import { primaryInputOf } from '../../../../src/core/tool-facts/primary-input.ts';

const text = { type: 'string' } as const;
const number = { type: 'number' } as const;
const primaryOf = (inputSchema: JsonSchema, primaryInput?: string): string | undefined =>
  primaryInputOf({ name: 'tool', inputSchema, ...(primaryInput === undefined ? {} : { primaryInput }) });

describe('primaryInputOf', () => {
  it('is the only required string', () => {
    expect(primaryOf({ type: 'object', properties: { query: text }, required: ['query'] })).toBe('query');
    expect(primaryOf({ type: 'object', properties: { limit: number, query: text }, required: ['limit', 'query'] })).toBe('query');
  });

  it('skips optional strings', () => {
    expect(primaryOf({ type: 'object', properties: { note: text, query: text }, required: ['query'] })).toBe('query');
    expect(primaryOf({ type: 'object', properties: { note: text } })).toBeUndefined();
  });

  it('is undefined with several required strings', () => {
    expect(primaryOf({ type: 'object', properties: { from: text, to: text }, required: ['from', 'to'] })).toBeUndefined();
  });

  it('is the declared argument, whatever the others', () => {
    const schema: JsonSchema = { type: 'object', properties: { from: text, to: text, limit: number }, required: ['from', 'to'] };
    expect(primaryOf(schema, 'to')).toBe('to');
    expect(primaryOf(schema, 'limit')).toBe('limit');
  });

  it('is undefined if the declared one is not an argument', () => {
    const schema: JsonSchema = { type: 'object', properties: { query: text }, required: ['query'] };
    expect(primaryOf(schema, 'text')).toBeUndefined();
    expect(primaryOf(schema, 'toString')).toBeUndefined();
    expect(primaryOf(schema, '__proto__')).toBeUndefined();
  });

  it.each<JsonSchema>([
    true,
    false,
    {},
    { type: 'object', required: ['query'] },
    { type: 'object', properties: { query: true }, required: ['query'] },
    { type: 'object', properties: { query: number }, required: ['query'] },
    { type: 'object', properties: null, required: ['query'] },
    { type: 'object', properties: { query: text }, required: 'query' },
    { type: 'object', properties: { query: text }, required: [0, null, 'constructor', '__proto__'] },
  ])('is nothing for the schema %j', (schema) => {
    expect(primaryOf(schema)).toBeUndefined();
  });
});
