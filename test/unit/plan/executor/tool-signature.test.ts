import type { JsonObject } from 'agent-machines';
import { toolSignature } from 'agent-machines/tools';
import { describe, expect, it } from 'vitest';

const signature = (args: JsonObject, name = 'search'): string => toolSignature({ name, args });

describe('toolSignature', () => {
  it('is the name and the arguments in canonical form', () => {
    expect(signature({ query: 'x', limit: 1.0 })).toBe('search:{"limit":1,"query":"x"}');
    expect(signature({})).toBe('search:{}');
  });

  it('does not depend on the order of keys, at any depth', () => {
    expect(signature({ a: { x: 1, y: [{ p: 1, q: 2 }] }, b: 2 })).toBe(signature({ b: 2, a: { y: [{ q: 2, p: 1 }], x: 1 } }));
  });

  it.each<[JsonObject, JsonObject]>([
    [{ a: 1 }, { a: '1' }],
    [{ a: [1, 2] }, { a: [2, 1] }],
    [{ a: null }, {}],
    [{ a: 'x' }, { a: 'X' }],
    [{ a: 'x' }, { a: 'x ' }],
    [{ a: { b: 1 } }, { 'a.b': 1 }],
  ])('tells %j from %j', (one, other) => {
    expect(signature(one)).not.toBe(signature(other));
  });

  it('tells tools apart', () => {
    expect(signature({ a: 1 })).not.toBe(signature({ a: 1 }, 'other'));
  });
});
