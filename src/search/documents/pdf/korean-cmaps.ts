import { cp949Characters } from '../cp949.ts';

/**
 * Returns the character map that a PDF names for a Korean font, as PostScript text, or `undefined` for any other name. The maps are
 * computed from the order of the character sets, so no data is shipped. Glyphs 101 to 8055 of Adobe-Korea1 are KS X 1001 in its order, 9333
 * to 18154 the other Hangul syllables.
 */
export function koreanCMap(name: string): string | undefined {
  if (name === 'Adobe-Korea1-UCS2') return printMap(name, 2, bfEntries());
  const vertical = name.endsWith('-V');
  if (/^(?:KSC-EUC|KSCms-UHC(?:-HW)?|KSCpc-EUC)-[HV]$/.test(name)) return printMap(name, 'mixed', cidEntries('code'), vertical);
  if (/^UniKS-(?:UCS2|UTF16)-[HV]$/.test(name)) return printMap(name, 2, cidEntries('unicode'), vertical);
  return undefined;
}

interface Glyph {
  readonly id: number;
  readonly code: number;
  readonly character: string;
}

function glyphs(): readonly Glyph[] {
  const found: Glyph[] = [];
  for (let code = 0x20; code <= 0x7e; code++) found.push({ id: code - 0x1f, code, character: String.fromCharCode(code) });
  const idOf = new Map<string, number>();
  const doubles: Omit<Glyph, 'id'>[] = [];
  let standardId = 101;
  let extendedId = 9_333;
  for (const { code, character, standard } of cp949Characters()) {
    const isSyllable = character >= '가' && character <= '힣';
    if ((!standard && !isSyllable) || code === filler) continue;
    // KS X 1001 repeats hanja with several readings, but they share one glyph
    if (character >= '\uf900' && character <= '\ufaff') doubles.push({ code, character: character.normalize('NFC') });
    else {
      const id = standard ? standardId++ : extendedId++;
      idOf.set(character, id);
      found.push({ id, code, character });
      const variant = variants[character];
      if (variant) found.push({ id, code, character: variant });
    }
  }
  for (const { code, character } of doubles) {
    const id = idOf.get(character);
    if (id !== undefined) found.push({ id, code, character });
  }
  return found;
}

const filler = 0xa4d4;

/** Dashes and bars with two code points in Unicode; text means the second one. */
const variants: Readonly<Record<string, string>> = { '\u00ad': '–', '―': '—', '∥': '‖' };

type Entry = readonly [from: string, to: string];

const cidEntries = (by: 'code' | 'unicode'): readonly Entry[] =>
  glyphs().map(({ id, code, character }) => [
    by === 'unicode' ? hex(character.charCodeAt(0), 4) : hex(code, code < 256 ? 2 : 4),
    String(id),
  ]);

const bfEntries = (): readonly Entry[] => glyphs().map(({ id, character }) => [hex(id, 4), `<${hex(character.charCodeAt(0), 4)}>`]);

function printMap(name: string, bytes: 2 | 'mixed', entries: readonly Entry[], vertical = false): string {
  const kind = name.endsWith('-UCS2') ? 'bfchar' : 'cidchar';
  const spaces = bytes === 2 ? ['<0000> <ffff>'] : ['<00> <80>', '<8141> <fefe>'];
  const lines = entries.map(([from, to]) => `<${from}> ${to}`).join('\n');
  return `begincmap /CMapName /${name} def /WMode ${vertical ? 1 : 0} def
${spaces.length} begincodespacerange ${spaces.join(' ')} endcodespacerange
${entries.length} begin${kind}
${lines}
end${kind} endcmap`;
}

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');
