import type { PageLine } from './page-lines.ts';
import { createWordBreaks, type Joint } from './word-breaks.ts';

/** Minimum width of a column, as a multiple of its letter size. */
const minWidth = 15;

/** Two consecutive lines. */
interface Pair {
  readonly above: PageLine;
  readonly below: PageLine;
  /** Index of `below` among the lines. */
  readonly index: number;
  /** True if `below` is at the top of the next page or column. */
  readonly turns: boolean;
}

/** Returns the free space at the right of a line, as a multiple of its letter size. */
type FreeWidth = (line: PageLine) => number;

/** Returns the text of pages, one line per paragraph: lines that were only wrapped at the edge are joined. */
export function unwrapped(pages: readonly (readonly PageLine[])[]): string {
  const lines = pages.flat();
  const edges = edgesOf(pages);
  const freeWidth: FreeWidth = (line) => ((edges.get(line) ?? Number.POSITIVE_INFINITY) - line.right) / line.size;
  const isFull = fullness(lines, freeWidth);
  const lastOnPage = new Set(pages.map((page) => page.at(-1)));
  const pairs = lines
    .slice(1)
    .map((below, index): Pair => {
      const above = lines[index] as PageLine;
      return { above, below, index: index + 1, turns: lastOnPage.has(above) || above.column !== below.column };
    })
    .filter((pair) => isFull(pair) && continuesBelow(pair, lines, freeWidth));
  const maxLeading = 1.12 * median(pairs.filter(({ turns }) => !turns).map(leadingOf));
  const wrapped = pairs.filter((pair) => pair.turns || leadingOf(pair) <= maxLeading);
  const joints = new Map<PageLine, Joint>(wrapped.map(({ above, below }) => [above, { left: above.text, right: below.text }]));
  const wordBreaks = createWordBreaks({
    lines: lines.map(({ text }) => text),
    joints: [...joints.values()],
    // if words are split, lines are filled to the last letter
    wholeWords: wrapped.filter(({ above }) => freeWidth(above) > 1.2).length > wrapped.length * 0.25,
  });
  const written = lines.map((line) => {
    const text = wordBreaks.close(line.text);
    const joint = joints.get(line);
    const at = joint && wordBreaks.at(joint);
    if (at === 'hyphen') return text.slice(0, -1);
    return at === 'inside' ? text : `${text}${at === 'end' ? ' ' : '\n'}`;
  });
  return written.join('').trimEnd();
}

const leadingOf = ({ above, below }: Pair): number => (below.y - above.y) / below.size;

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;

/** Returns the right edge of each column, by line. */
function edgesOf(pages: readonly (readonly PageLine[])[]): ReadonlyMap<PageLine, number> {
  const edges = new Map<PageLine, number>();
  // upright pages may include a landscape page
  const columnOf = ({ column, pageWidth }: PageLine): string => `${column} ${Math.round(pageWidth)}`;
  const parts = pages.flatMap((page) => [...Map.groupBy(page, columnOf)]);
  for (const same of Map.groupBy(parts, ([column]) => column).values()) {
    const whole = edgeOf(same.flatMap(([, lines]) => lines)) ?? Number.POSITIVE_INFINITY;
    for (const [, lines] of same) {
      // the last page may not have three such lines
      const edge = Math.max(whole, edgeOf(lines) ?? 0);
      for (const line of lines) edges.set(line, edge);
    }
  }
  return edges;
}

/** Returns the rightmost position where three lines end, or nearly end. */
function edgeOf(lines: readonly PageLine[]): number | undefined {
  const ends = lines.filter(({ isRow }) => !isRow).sort((a, b) => b.right - a.right);
  return ends.find(({ right, size }, index) => right - (ends[index + 2]?.right ?? Number.NEGATIVE_INFINITY) < size * 1.2)?.right;
}

/** Returns a test for a line without space for the next word. */
function fullness(lines: readonly PageLine[], freeWidth: FreeWidth): (pair: Pair) => boolean {
  const near = lines.map(freeWidth).filter((width) => width < 4);
  const flush = near.filter((width) => width < 0.4);
  const isJustified = flush.length > near.length * 0.85;
  return ({ above, below }) =>
    above.right - above.left > above.size * minWidth && freeWidth(above) < (isJustified ? 1 : widthOfFirstWord(below) / above.size + 0.9);
}

function widthOfFirstWord({ text, left, right }: PageLine): number {
  const [first = ''] = text.split(' ', 1);
  return ((right - left) * weightOf(first)) / Math.max(1, weightOf(text));
}

/** Korean letters are about twice as wide as others. */
const weightOf = (text: string): number => text.length + (text.match(/[\u1100-\u11ff\u3000-\u9fff\uac00-\ud7af]/g)?.length ?? 0);

const marked =
  /^(?:[①-⓿㈀-㈜㉠-㉻❶-➓•‣◦▪▫■□●○◆◇▶▷※*·☞✓#-]|[[【<〈《〔]|제\s?\d{1,4}\s?(?:조|장|절|편|관)(?:\s?의\s?\d{1,3})?(?:\s{0,2}[([【<]|\s|$)|(?:부\s{0,6}칙|별지|별표|별첨|붙임|첨부|부록)(?![가-힣])|\(?(?:\d{1,3}|[가나다라마바사아자차카타파하]|[a-z]|[ivx]{1,5})[.)](?=\s|$)|\d{1,3}(?:\.\d{1,3}){1,4}\.?\s)/i;
const headingStart = /^(?:article|section|clause|chapter|part|exhibit|schedule|annex|appendix|attachment)\s{1,3}(?:\d|[IVXA-Z]{1,5}\b)/i;
const endsSentence = /[.!?:;。][)\]"'”’」』]?$/;
const leader = /[.·…‥⋯]{3}\s{0,3}\d{0,4}$/;

/** True if nothing marks the second line as the start of something else. */
function continuesBelow(pair: Pair, lines: readonly PageLine[], freeWidth: FreeWidth): boolean {
  const { above, below } = pair;
  if (above.isRow || below.isRow || leader.test(above.text) || leader.test(below.text)) return false;
  if (marked.test(below.text) && !endsWithDa(pair, lines)) return false;
  const hasEnded = endsSentence.test(above.text);
  if (headingStart.test(below.text) && (hasEnded || !/[a-z,]$/.test(above.text))) return false;
  // a short line without a full stop is a heading
  if (hasEnded && !endsSentence.test(below.text) && freeWidth(below) > 4) return false;
  if (Math.abs(above.size - below.size) > above.size * 0.08) return false;
  // the other column may hold the same text in another language
  if (above.column !== below.column) return /[가-힣]/.test(above.text) === /[가-힣]/.test(below.text);
  const indent = (below.left - above.left) / below.size;
  return indent > -8 && (indent < 0.7 || marked.test(above.text));
}

/**
 * True for `… 한` with `다.` on the next line. The end of this sentence looks like the third item of a list, but the second item is missing.
 */
function endsWithDa({ above, below, index }: Pair, lines: readonly PageLine[]): boolean {
  if (!/^다\./.test(below.text) || !/[가-힣]$/.test(above.text)) return false;
  const before = lines.slice(Math.max(0, index - 41), index);
  const item = before.findLast(({ text }) => /^(?:[가-하]\.\s|[①-⑳]|제\s?\d+\s?조)/.test(text));
  return below.text === '다.' || !item?.text.startsWith('나.');
}
