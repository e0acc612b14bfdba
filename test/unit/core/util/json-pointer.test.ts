import type { Json } from 'agent-machines';
import { describe, expect, it } from 'vitest';
import { readPointer } from '../../../../src/core/util/json-pointer.ts';

describe('readPointer', () => {
  const value: Json = { list: [{ url: 'first' }, null, false], '': 'empty key', 'a/b': { 'm~n': 0 }, text: 'abc' };

  it.each<[string[], Json]>([
    [[], value],
    [['list', '0', 'url'], 'first'],
    [['list', '1'], null],
    [['list', '2'], false],
    [[''], 'empty key'],
    [['a/b', 'm~n'], 0],
  ])('finds what stands at %j', (pointer, expected) => {
    expect(readPointer(value, pointer)).toEqual(expected);
  });

  it.each([
    [['missing']],
    [['list', '3']],
    [['list', '-']],
    [['list', '-1']],
    [['list', '00']],
    [['list', '01']],
    [['list', '1.0']],
    [['list', ' 0']],
    [['list', '']],
    [['list', 'length']],
    [['list', '1', 'x']],
    [['text', '0']],
    [['text', 'length']],
    [['__proto__']],
    [['constructor', 'name']],
    [['toString']],
    [['list', 'map']],
  ])('finds nothing at %j', (pointer) => {
    expect(readPointer(value, pointer)).toBeUndefined();
  });

  it('reads an own key named __proto__', () => {
    expect(readPointer(JSON.parse('{"__proto__":{"a":1}}') as Json, ['__proto__', 'a'])).toBe(1);
  });
});
