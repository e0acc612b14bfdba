/** A character of the old Korean code page: two bytes, the first with its high bit set. */
export interface Cp949Character {
  readonly code: number;
  readonly character: string;
  /** True for the standard KS X 1001; false for Microsoft's extension. */
  readonly standard: boolean;
}

/**
 * Returns every two-byte character of CP949, first in the order of the standard, then of the extension. Node's decoder supports only the
 * standard: it cannot decode `똠` or `펲`. The extension contains all other Hangul syllables, in Unicode order.
 */
export function cp949Characters(): readonly Cp949Character[] {
  if (!known) {
    const standard = [...standardCharacters()];
    known = [...standard, ...extendedCharacters(standard)];
  }
  return known;
}

let known: readonly Cp949Character[] | undefined;
let byCode: ReadonlyMap<number, string> | undefined;

/** Decodes CP949 (EUC-KR with Microsoft's extension). Returns `undefined` for other bytes. */
export function decodeCp949(bytes: Uint8Array): string | undefined {
  byCode ??= new Map(cp949Characters().map(({ code, character }) => [code, character]));
  let text = '';
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    const character = byte < 0x80 ? String.fromCharCode(byte) : byCode.get(byte * 256 + (bytes[++at] ?? 0));
    if (character === undefined) return undefined;
    text += character;
  }
  return text;
}

function* standardCharacters(): Generator<Cp949Character> {
  const decoder = new TextDecoder('euc-kr');
  for (let high = 0xa1; high <= 0xfd; high++) {
    if (high === 0xc9) continue; // reserved for user-defined characters
    for (let low = 0xa1; low <= 0xfe; low++) {
      const character = decoder.decode(new Uint8Array([high, low]));
      const code = high * 256 + low;
      // before the decoder's own: a decoder that knows them must not make them standard characters, whose order numbers the glyphs
      if (added[code]) yield { code, character: added[code], standard: false };
      else if (/^[^\u{fffd}\u{e000}-\u{f8ff}]$/u.test(character)) yield { code, character, standard: true };
    }
  }
}

// the euro sign, the registered trade mark and the circled postal mark are newer than the decoder
const added: Readonly<Record<number, string>> = { 41702: '€', 41703: '®', 41704: '㉾' };

function* extendedCharacters(standard: readonly Cp949Character[]): Generator<Cp949Character> {
  const used = new Set(standard.map(({ character }) => character));
  const codes = extendedCodes();
  for (let point = 0xac00; point <= 0xd7a3; point++) {
    const character = String.fromCharCode(point);
    if (used.has(character)) continue;
    const { value } = codes.next();
    if (value) yield { code: value, character, standard: false };
  }
}

function* extendedCodes(): Generator<number> {
  for (let high = 0x81; high <= 0xc6; high++) {
    for (let low = 0x41; low <= (high < 0xa1 ? 0xfe : 0xa0); low++) {
      if (low <= 0x5a || (low >= 0x61 && low <= 0x7a) || low >= 0x81) yield high * 256 + low;
    }
  }
}
