import { describe, expect, it } from 'vitest';
import { mergeJson } from '../../../../src/core/util/merge-json.ts';

describe('mergeJson', () => {
  it.each([
    [{ a: 1 }, {}, { a: 1 }],
    [{ a: 1 }, { a: 2, b: 3 }, { a: 2, b: 3 }],
    [{ a: { b: { c: 1, d: 2 } } }, { a: { b: { c: 3 } } }, { a: { b: { c: 3, d: 2 } } }],
    [{ a: { b: 1 } }, { a: null }, { a: null }],
    [{ a: { b: 1 } }, { a: [1] }, { a: [1] }],
    [{ a: [1, 2] }, { a: [3] }, { a: [3] }],
    [{ a: 1 }, { a: { b: 2 } }, { a: { b: 2 } }],
    [{ a: {} }, JSON.parse('{"__proto__":{"x":1},"a":{"constructor":1}}'), JSON.parse('{"a":{"constructor":1},"__proto__":{"x":1}}')],
  ])('merges %j under %j', (below, above, expected) => {
    const before = JSON.stringify([below, above]);
    expect(JSON.stringify(mergeJson(below, above))).toBe(JSON.stringify(expected));
    expect(JSON.stringify([below, above])).toBe(before);
    expect(({} as { x?: number }).x).toBeUndefined();
  });
});
