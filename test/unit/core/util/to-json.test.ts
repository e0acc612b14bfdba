import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toJson } from '../../../../src/core/util/to-json.ts';
import { codePoint } from '../../../fixtures/code-point.ts';
import { share } from '../../../fixtures/share.ts';

type Members = Record<string, unknown>;
const isFrozen = (value: unknown): boolean =>
  typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(isFrozen));

class Point {
  x = 1;
}

const cycle: { self?: unknown } = {};
cycle.self = cycle;
const longCycle: { a: { b: unknown[] } } = { a: { b: [] } };
longCycle.a.b.push(longCycle.a);
// biome-ignore lint/suspicious/noSparseArray: the hole is what is tested
const hole = [1, , 3];

/** What `toJson` says of a value that it refuses: the path, and the message. */
function refusalOf(value: unknown): { readonly path: unknown; readonly message: string } {
  try {
    toJson(value, 'output');
  } catch (error) {
    expect(error).toMatchObject({ name: 'WorkflowError', code: 'VALUE_NOT_JSON', retryable: false, hint: expect.stringMatching(/./) });
    const { data, message } = error as { data: { path: unknown }; message: string };
    return { path: data.path, message };
  }
  throw new Error('It was taken.');
}

describe('toJson', () => {
  it.each([null, true, false, '', '가나다', 0, -1.5, 1e300, [], {}, [1, [2, { a: null }]], { a: { b: [false] } }])('copies %j', (value) => {
    expect(toJson(value, 'output')).toEqual(value);
  });

  it('omits undefined properties, and turns -0 into 0', () => {
    const copy = toJson({ a: undefined, b: -0, c: [-0, { d: undefined }] }, 'output');
    expect(copy).toStrictEqual({ b: 0, c: [0, {}] });
  });

  it('copies an object without a prototype to a plain one', () => {
    const copy = toJson(Object.assign(Object.create(null), { a: 1 }), 'output');
    expect(copy).toStrictEqual({ a: 1 });
  });

  it('copies a value that occurs twice, twice', () => {
    const shared = { a: 1 };
    const copy = toJson({ left: shared, right: [shared, shared] }, 'output');
    expect(copy).toEqual({ left: { a: 1 }, right: [{ a: 1 }, { a: 1 }] });
  });

  it('keeps the copy unchanged by later changes of the value', () => {
    const value = { list: [{ a: 1 }] };
    const copy = toJson(value, 'output');
    Object.assign(value.list[0] ?? {}, { a: 2 });
    value.list.push({ a: 3 });
    expect(copy).toEqual({ list: [{ a: 1 }] });
  });

  it('freezes the copy, but not the value', () => {
    const value = { list: [{ a: 1 }] };
    const copy = toJson(value, 'output') as typeof value;
    expect([copy, copy.list, copy.list[0]].map(Object.isFrozen)).toEqual([true, true, true]);
    expect([value, value.list, value.list[0]].map(Object.isFrozen)).toEqual([false, false, false]);
  });

  it('keeps lone surrogates, which JSON text can hold', () => {
    const copy = toJson({ text: '\ud800x\udfff' }, 'output');
    expect(JSON.parse(JSON.stringify(copy))).toEqual({ text: '\ud800x\udfff' });
  });

  it.each<[string, unknown, string]>([
    ['a bigint', 10n, 'a bigint'],
    ['a symbol', Symbol('s'), 'a symbol'],
    ['a function', () => 1, 'a function'],
    ['a class', Point, 'a function'],
    ['NaN', Number.NaN, 'NaN'],
    ['Infinity', Number.POSITIVE_INFINITY, 'Infinity'],
    ['-Infinity', Number.NEGATIVE_INFINITY, '-Infinity'],
    ['a Date', new Date(0), 'a Date'],
    ['a Map', new Map([['a', 1]]), 'a Map'],
    ['a Set', new Set([1]), 'a Set'],
    ['a RegExp', /a/, 'a RegExp'],
    ['an Error', new Error('no'), 'a Error'],
    ['a Promise', Promise.resolve(1), 'a Promise'],
    ['a class instance', new Point(), 'a Point'],
    ['an instance without a name', new (class {})(), 'a class instance'],
    ['an object with a prototype of its own', Object.create({ a: 1 }), 'a Object'],
    ['an array of a subclass', new (class Row extends Array {})(), 'a Row'],
    ['a typed array', new Uint8Array(2), 'a Uint8Array'],
    ['a boxed string', Object('a'), 'a String'],
    ['a symbol key', { a: 1, [Symbol('k')]: 2 }, 'an object with symbol keys'],
  ])('refuses %s, at any depth', (_, value, what) => {
    expect(refusalOf(value)).toEqual({ path: 'output', message: `output is ${what}, which JSON would change silently.` });
    expect(refusalOf([1, value])).toMatchObject({ path: 'output[1]' });
    expect(refusalOf({ a: [{ b: value }] })).toMatchObject({ path: 'output.a[0].b' });
  });

  it('reports that no value was returned', () => {
    expect(refusalOf(undefined)).toEqual({ path: 'output', message: 'output is undefined.' });
    expect(refusalOf([1, undefined])).toEqual({ path: 'output[1]', message: 'output[1] is undefined, which JSON would change silently.' });
  });

  it('refuses an own key __proto__', () => {
    const value: unknown = JSON.parse('{"a":[{"__proto__":{"polluted":1}}]}');
    expect(refusalOf(value)).toMatchObject({ path: 'output.a[0].__proto__', message: expect.stringContaining('prototype') });
    expect({}).not.toHaveProperty('polluted');
  });

  it('refuses a hole in an array', () => {
    expect(refusalOf({ list: hole })).toMatchObject({ path: 'output.list[1]', message: expect.stringContaining('undefined') });
    expect(refusalOf(new Array(3))).toMatchObject({ path: 'output[0]' });
  });

  it('refuses a cycle where it closes', () => {
    expect(refusalOf(cycle)).toMatchObject({ path: 'output.self', message: expect.stringContaining('a cycle') });
    expect(refusalOf(longCycle)).toMatchObject({ path: 'output.a.b[0]', message: expect.stringContaining('a cycle') });
  });

  it('refuses a value that is nested more than 200 levels deep', () => {
    const nested = (depth: number): unknown => (depth === 0 ? 'end' : [nested(depth - 1)]);
    expect(() => toJson(nested(200), 'output')).not.toThrow();
    expect(refusalOf(nested(201))).toMatchObject({
      path: `output${'[0]'.repeat(200)}`,
      message: expect.stringContaining('200 levels deep'),
    });
  });

  it('names the first refused value', () => {
    expect(refusalOf({ a: 1, b: [Number.NaN], c: 2n })).toMatchObject({ path: 'output.b[0]' });
  });

  it('names the right path after accepted siblings', () => {
    expect(refusalOf({ a: { x: [1, { y: 2 }] }, skipped: undefined, b: [[], {}, { c: 1n }] })).toMatchObject({ path: 'output.b[2].c' });
  });
});

describe('toJson: values without a JSON form', () => {
  it('refuses an array with named properties', () => {
    expect(refusalOf(Object.assign([1], { more: 2 }))).toMatchObject({ path: expect.stringContaining('output') });
  });
});

const safeKey = fc.string({ unit: codePoint, maxLength: 6 }).filter((key) => key !== '__proto__');

/** What JSON.stringify takes without loss but for -0 and undefined properties. */
const { value: jsonable } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom(null, true, false, 0, -0),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.string({ unit: codePoint }),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(safeKey, fc.oneof({ weight: 5, arbitrary: tie('value') }, { weight: 1, arbitrary: fc.constant(undefined) }), {
      maxKeys: 5,
    }),
  ),
}));

/** Each makes a value that JSON would change; `root` is what it is planted into. */
const unfaithful: readonly (readonly [what: string, make: (root: unknown) => unknown, below: string])[] = [
  ['a bigint', () => 1n, ''],
  ['a function', () => () => 1, ''],
  ['a symbol', () => Symbol('s'), ''],
  ['NaN', () => Number.NaN, ''],
  ['Infinity', () => Number.POSITIVE_INFINITY, ''],
  ['-Infinity', () => Number.NEGATIVE_INFINITY, ''],
  ['a Date', () => new Date(0), ''],
  ['a Map', () => new Map(), ''],
  ['a Set', () => new Set([1]), ''],
  ['a class instance', () => new Point(), ''],
  ['a boxed number', () => Object(1), ''],
  ['bytes', () => new Uint8Array(1), ''],
  ['a symbol key', () => ({ a: 1, [Symbol('k')]: 1 }), ''],
  ['a hole', () => [0, ...new Array(1), 2].slice(0, 1).concat(new Array(1)), '[1]'],
  ['undefined in an array', () => ['x', undefined], '[1]'],
  ['an own __proto__', () => ({ a: { ...JSON.parse('{"b":1}'), ['__proto__']: null } }), '.a.__proto__'],
  ['a cycle', (root) => [root], '[0]'],
];

/** Plants a value where `path` leads, as far as it leads, and says where that is. Nothing when it leads nowhere. */
function plant(root: unknown, path: readonly number[], make: (root: unknown) => unknown): string | undefined {
  let at = root;
  let place = '';
  for (const [depth, n] of path.entries()) {
    if (typeof at !== 'object' || at === null) return undefined;
    const keys = Object.keys(at).filter((key) => (at as Members)[key] !== undefined);
    const key = keys[n % keys.length];
    if (key === undefined) return undefined;
    place += Array.isArray(at) ? `[${key}]` : `.${key}`;
    const child: unknown = (at as Members)[key];
    const isLast = depth === path.length - 1 || typeof child !== 'object' || child === null || Object.keys(child).length === 0;
    if (isLast) {
      (at as Members)[key] = make(root);
      return place;
    }
    at = child;
  }
  return undefined;
}

describe('toJson of any value', () => {
  it('copies what JSON can hold as JSON does, frozen all the way down', () => {
    fc.assert(
      fc.property(jsonable, (value) => {
        const copy = toJson(value, 'value');
        expect(copy).toStrictEqual(JSON.parse(JSON.stringify(value)));
        expect(isFrozen(copy)).toBe(true);
        expect(toJson(copy, 'value')).toStrictEqual(copy);
      }),
      { numRuns: share(1_000) },
    );
  });

  it('refuses what JSON would change, wherever it stands, and says where', () => {
    let planted = 0;
    fc.assert(
      fc.property(
        jsonable,
        fc.array(fc.nat({ max: 9 }), { minLength: 1, maxLength: 5 }),
        fc.constantFrom(...unfaithful),
        (value, path, [, make, below]) => {
          const place = plant(value, path, make);
          if (place === undefined) return;
          planted++;
          expect(() => toJson(value, 'value')).toThrow(
            expect.objectContaining({ code: 'VALUE_NOT_JSON', data: { path: `value${place}${below}` } }),
          );
        },
      ),
      { numRuns: share(3_000) },
    );
    expect(planted).toBeGreaterThan(share(300));
  });
});
