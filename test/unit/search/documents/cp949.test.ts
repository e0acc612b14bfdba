import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { cp949Characters, decodeCp949 } from '../../../../src/search/documents/cp949.ts';

const bytesOf = (code: number): Uint8Array => Uint8Array.of(code >> 8, code & 255);

describe('the characters of CP949', () => {
  it('are 8,224 of KS X 1001, three later ones, and the other 8,822 syllables of Hangul', () => {
    const characters = cp949Characters();
    const isSyllable = (character: string): boolean => character >= '가' && character <= '힣';
    expect(characters.filter(({ standard }) => standard)).toHaveLength(8_224);
    expect(characters.filter(({ standard, character }) => !standard && !isSyllable(character)).map(({ character }) => character)).toEqual([
      '€',
      '®',
      '㉾',
    ]);
    expect(characters.filter(({ character }) => isSyllable(character))).toHaveLength(11_172);
    expect(characters.filter(({ standard, character }) => !standard && isSyllable(character))).toHaveLength(8_822);
  });

  // compared with the table of iconv-lite 0.7.3: equal, but for ㉾, which that does not have
  it('are exactly these, independent of the decoder of Node', () => {
    const table = cp949Characters()
      .map(({ code, character, standard }) => `${code.toString(16)} ${character} ${standard}`)
      .join('\n');
    expect(createHash('sha256').update(table).digest('hex')).toBe('6ddb087acc85456b7b0ae7f5bd274b40f60af8eb769bb36bf8c3d8fd4e6d7a11');
  });
});

describe('decodeCp949', () => {
  it('reads every character, also all in one text', () => {
    const characters = cp949Characters();
    expect(characters.filter(({ code, character }) => decodeCp949(bytesOf(code)) !== character)).toEqual([]);
    const all = Uint8Array.from(characters.flatMap(({ code }) => [...bytesOf(code)]));
    expect(decodeCp949(all)).toBe(characters.map(({ character }) => character).join(''));
  });

  it('rejects every other pair', () => {
    const codes = new Set(cp949Characters().map(({ code }) => code));
    const others = Array.from({ length: 0x8000 }, (_, index) => 0x8000 + index).filter((code) => !codes.has(code));
    expect(others.filter((code) => decodeCp949(bytesOf(code)) !== undefined)).toEqual([]);
  });

  it('refuses half a character at the end, in the standard and in the extension', () => {
    for (const half of [0xb0, 0x81, 0xff]) expect(decodeCp949(Uint8Array.from([0x41, half]))).toBeUndefined();
  });
});
