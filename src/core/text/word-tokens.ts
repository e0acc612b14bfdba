/** A word, number or mark of a text, with the blanks after it. */
export interface WordToken {
  /** Empty only for leading blanks of a text. */
  readonly word: string;
  readonly gap: string;
}

const unit = '(?:천|백)?(?:억|만)?(?:원|달러)|퍼센트|개?년|개월|월|주|영업일|일|시간|분|회|부|명|배|조|항|호|%';
/** `30일` is one word, and so are `10,000,000원` and `party's`. */
const pieces = new RegExp(
  String.raw`(\p{N}+(?:[.,]\p{N}+)*(?:${unit})?|[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}]+)*|[^\s\p{L}\p{M}\p{N}])(\s*)`,
  'gu',
);
/** A noun and its particle are two words: 임대인은 and 임차인은 differ in the noun alone. */
const particle =
  /^([가-힣]{2,}?|[갑을병])(에게서|으로서|으로써|에서는|에게는|에서|에게|으로|로서|로써|부터|까지|한테|은|는|이|가|을|를|의|에|와|과|로|도|만)$/u;

/** Splits a text into words; joined with their gaps they equal the text. */
export function wordTokens(text: string): readonly WordToken[] {
  const lead = /^\s*/.exec(text)?.[0] ?? '';
  const tokens: WordToken[] = lead === '' ? [] : [{ word: '', gap: lead }];
  for (const [, word = '', gap = ''] of text.matchAll(pieces)) {
    const parts = particle.exec(word);
    if (parts?.[1] && parts[2]) tokens.push({ word: parts[1], gap: '' }, { word: parts[2], gap });
    else tokens.push({ word, gap });
  }
  return tokens;
}
