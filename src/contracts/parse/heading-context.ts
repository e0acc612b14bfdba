import type { ContractLine } from './contract-lines.ts';

/** The context above a line. */
export interface HeadingContext {
  /** True if the sentence above continues: a label here is a citation. */
  readonly unfinished: boolean;
  /** True below `… 다음과 같이 개정한다.`: the following text is a quotation. */
  readonly quoted: boolean;
}

/** List entries end in nouns like 경우. */
const closed = /[.。:;!?>\])】」』"'”’]$|다$|[함음임것때자날]$|(?:경우|사항|행위|서류|비용|기간|자료|내용|계획|의무|업무)$/;
const open =
  /(?:[를에는와및,·(]|[가-힣](?:은|을)|또는|내지|부터|까지|에서|으로|하여|따라|위한|대한|관한|따른|하고|하며|의하여|"을|"은|\b(?:and|or|of|to|in|under|the|with|by|this|that|per|see))$/i;
const item = /^(?:[①-⑳]|\d{1,2}\s?[.)]|\(\d{1,2}\)|[가-하]\s?[.)]|[a-z]\s?[.)]|\([a-z]{1,4}\))/;
const amends = /다음과\s{0,3}같이\s{0,3}(?:각각\s{0,3})?(?:개정|신설|변경|수정|정정)?\s?(?:한다|하다|합니다|함)[.:]?$/;
/** Shorter lines are not running text, but a title, a party or a date. */
const minRunningChars = 30;

/** Checks the last words above a line. Skips page numbers; a blank line ends a sentence. */
export function headingContextOf(
  lines: readonly ContractLine[],
  folded: string,
  index: number,
  isHeading: (line: number) => boolean,
): HeadingContext {
  let above = index - 1;
  let blanks = 0;
  let pages = 0;
  for (; above >= 0 && index - above < 8; above--) {
    const kind = lines[above]?.kind;
    if (kind === 'blank') blanks++;
    else if (kind === 'page') pages++;
    else break;
  }
  const line = lines[above];
  if (line?.kind !== 'text') return { unfinished: false, quoted: false };
  const end = folded.slice(Math.max(line.start, line.end - 60), line.end).replace(/[\s*_]{1,60}$/, '');
  const quoted = amends.test(end);
  if ((blanks > 0 && pages === 0) || isHeading(above) || line.hashes > 0) return { unfinished: false, quoted };
  if (open.test(end)) return { unfinished: true, quoted };
  if (closed.test(end) || item.test(line.core)) return { unfinished: false, quoted };
  return { unfinished: line.core.length >= minRunningChars, quoted };
}
