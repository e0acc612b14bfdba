const compiled = new Map<string, RegExp>();
/** Where an English word begins; `non-exclusive` is not `exclusive`. */
const start = String.raw`(?<![\w-]|\bnon[\s-]{1,2})`;

/**
 * A cue as a pattern. `…` stands for up to 90 characters of one sentence (in Korean 40), `*` for the rest of a word, `#` for a number,
 * `(a|b)` for either, `?` makes what is before it optional; a blank or a hyphen is any white space, a hyphen, or in Korean nothing. An
 * English cue consists of whole words; a Korean one stands anywhere.
 *
 * @example toCue('assign* … (consent|approval)').test('shall not assign it without the prior consent') // true
 */
export function toCue(cue: string): RegExp {
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
