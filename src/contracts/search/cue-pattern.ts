const compiled = new Map<string, RegExp>();
/** Start of an English word; `non-exclusive` does not match `exclusive`. */
const start = String.raw`(?<![\w-]|\bnon[\s-]{1,2})`;

/**
 * Compiles a cue to a pattern. An English cue matches whole words; a Korean one matches anywhere.
 *
 * - `…`: up to 90 characters of one sentence, 40 in Korean
 * - `*`: the rest of a word
 * - `#`: a number
 * - `(a|b)`: either
 * - `?`: makes the item before it optional
 * - a blank or a hyphen: white space or a hyphen; in Korean optional white space
 *
 * @example toCuePattern('assign* … (consent|approval)').test('shall not assign it without the prior consent') // true
 */
export function toCuePattern(cue: string): RegExp {
  const known = compiled.get(cue);
  if (known) return known;
  const isKorean = /[가-힣]/u.test(cue);
  const source = cue.replaceAll(/\s*…\s*|[\s-]\??|[*#'.+$^[\]{}\\]/gu, (mark) => {
    if (mark.includes('…')) return isKorean ? '[^.]{0,40}?' : String.raw`(?!\w)(?:[^.;]|\.(?=\w)){0,90}?${start}`;
    if (/^[\s-]/u.test(mark)) return isKorean ? String.raw`\s*` : mark.length > 1 ? String.raw`[\s-]*` : String.raw`[\s-]+`;
    if (mark === '*') return String.raw`\w*`;
    if (mark === '#') return String.raw`\d[\d,.]*`;
    if (mark === "'") return "['’]";
    return `\\${mark}`;
  });
  const pattern = new RegExp(isKorean ? source : String.raw`${start}(?:${source})(?!\w)`, 'iu');
  compiled.set(cue, pattern);
  return pattern;
}
