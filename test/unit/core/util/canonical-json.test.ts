import { canonicalJson, type Json } from 'agent-machines';
import { describe, expect, it } from 'vitest';

/** The number whose IEEE 754 bits these are. */
function fromBits(bits: string): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, BigInt(`0x${bits}`));
  return view.getFloat64(0);
}

describe('canonicalJson', () => {
  it.each<[Json, string]>([
    [null, 'null'],
    [true, 'true'],
    ['', '""'],
    [[], '[]'],
    [{}, '{}'],
    [[1, [2, []], {}], '[1,[2,[]],{}]'],
    [{ b: 1, a: [2] }, '{"a":[2],"b":1}'],
    [{ b: { d: 1, c: 2 }, a: [{ z: 0, y: null }] }, '{"a":[{"y":null,"z":0}],"b":{"c":2,"d":1}}'],
  ])('spells %j as %s', (value, expected) => {
    expect(canonicalJson(value)).toBe(expected);
  });

  it('keeps the order of a list', () => {
    expect(canonicalJson([3, 1, 2])).toBe('[3,1,2]');
  });

  it('sorts keys that look like numbers as texts', () => {
    expect(canonicalJson({ 10: 'a', 9: 'b', 1: 'c', '-1': 'd' })).toBe('{"-1":"d","1":"c","10":"a","9":"b"}');
  });

  /** @see https://www.rfc-editor.org/rfc/rfc8785#section-3.2.2 */
  it('spells the example of RFC 8785 like the RFC', () => {
    const value = JSON.parse(String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`) as Json;
    expect(canonicalJson(value)).toBe(
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    );
  });

  /** @see https://www.rfc-editor.org/rfc/rfc8785#section-3.2.3 */
  it('sorts keys by UTF-16 code units', () => {
    const value = {
      '\u20ac': 'Euro Sign',
      '\r': 'Carriage Return',
      '\ufb33': 'Hebrew Letter Dalet With Dagesh',
      '1': 'One',
      '\ud83d\ude00': 'Emoji: Grinning Face',
      '\u0080': 'Control',
      '\u00f6': 'Latin Small Letter O With Diaeresis',
    };
    expect(canonicalJson(value)).toBe(
      '{"\\r":"Carriage Return","1":"One","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis","\u20ac":"Euro Sign",' +
        '"\ud83d\ude00":"Emoji: Grinning Face","\ufb33":"Hebrew Letter Dalet With Dagesh"}',
    );
  });

  /** @see https://www.rfc-editor.org/rfc/rfc8785#appendix-B */
  it.each([
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['8000000000000001', '-5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['ffefffffffffffff', '-1.7976931348623157e+308'],
    ['4340000000000000', '9007199254740992'],
    ['c340000000000000', '-9007199254740992'],
    ['4430000000000000', '295147905179352830000'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['44b52d02c7e14af7', '1.0000000000000001e+23'],
    ['444b1ae4d6e2ef4e', '999999999999999700000'],
    ['444b1ae4d6e2ef4f', '999999999999999900000'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['41b3de4355555553', '333333333.3333332'],
    ['41b3de4355555554', '333333333.33333325'],
    ['41b3de4355555555', '333333333.3333333'],
    ['41b3de4355555556', '333333333.3333334'],
    ['41b3de4355555557', '333333333.33333343'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
    ['43143ff3c1cb0959', '1424953923781206.2'],
  ])('spells the number with the bits %s as %s', (bits, expected) => {
    expect(canonicalJson({ n: fromBits(bits) })).toBe(`{"n":${expected}}`);
  });

  it('reads an own key named __proto__', () => {
    expect(canonicalJson(JSON.parse('{"b":1,"__proto__":{"d":1,"c":2}}') as Json)).toBe('{"__proto__":{"c":2,"d":1},"b":1}');
  });

  it('spells texts of different Unicode forms differently', () => {
    expect(canonicalJson('é'.normalize('NFC'))).not.toBe(canonicalJson('é'.normalize('NFD')));
  });
});
