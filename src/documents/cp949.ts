/** A character of the old Korean code page: two bytes, the first of them high. */
export interface Cp949Character {
  readonly code: number;
  readonly character: string;
  /** In the standard KS X 1001, not only in Microsoft's extension of it. */
  readonly standard: boolean;
}

/**
 * Every two-byte character of CP949, in the order of the standard, then of the extension. Node's own decoder knows the standard
 * only: it cannot read `똠` or `펲`. The extension is every other syllable of Hangul, in the order of Unicode.
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

/** The text of bytes in CP949 (EUC-KR with Microsoft's extension), or `undefined` when they are not in it. */
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
    if (high === 0xc9) continue; // for characters of one's own
    for (let low = 0xa1; low <= 0xfe; low++) {
      const character = decoder.decode(new Uint8Array([high, low]));
      const code = high * 256 + low;
      // first, for a decoder that knows them must not make them characters of the standard, by whose order glyphs are numbered
      if (added[code]) yield { code, character: added[code], standard: false };
      else if (/^[^\u{fffd}\u{e000}-\u{f8ff}]$/u.test(character)) yield { code, character, standard: true };
    }
  }
}

// the euro, the registered trade mark and the circled post mark came later than the decoder
const added: Readonly<Record<number, string>> = { 41702: '€', 41703: '®', 41704: '㉾' };

function* extendedCharacters(standard: readonly Cp949Character[]): Generator<Cp949Character> {
  const taken = new Set(standard.map(({ character }) => character));
  const codes = extendedCodes();
  for (let point = 0xac00; point <= 0xd7a3; point++) {
    const character = String.fromCharCode(point);
    if (taken.has(character)) continue;
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
