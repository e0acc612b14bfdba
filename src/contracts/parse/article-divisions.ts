import type { ContractItem, ContractParagraph } from '../contract-document.ts';
import { foldText } from './contract-lines.ts';

interface Marker {
  readonly style: string;
  readonly value: number;
  readonly label: string;
  readonly start: number;
  readonly textStart: number;
}

interface Division {
  readonly label: string;
  readonly start: number;
  readonly textStart: number;
  readonly depth: number;
}

const hangul = '가나다라마바사아자차카타파하';
const circledNumbers = '①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳';
/** Largest gap between numbers: deleted entries leave gaps, but no larger ones. */
const maxSkip = 5;

const atLine =
  /(?:^|\n)[ \t>*_#+-]{0,12}(?:([①-⑳])|\((\d{1,2})\)|(\d{1,2})(?:\s?의\s?(\d{1,2}))?\s?\.(?![\d])|(\d{1,2})\)|([가나다라마바사아자차카타파하])\s?\.|([가나다라마바사아자차카타파하])\)|\(([가나다라마바사아자차카타파하])\)|\(([a-z]{1,4})\)|(\d{1,2}\.\d{1,2})(?![.\d])|제\s?(\d{1,2})\s?항(?=\s))[ \t*_]{0,6}/g;
const inLine = /(?<=[.다>)\]][ \t*_]{1,4})([①-⑳])(?!\s{0,2}(?:항|호|[,·~]|내지|부터|및))[ \t*_]{0,6}/g;

/**
 * Divides the text of an article into paragraphs, items and sub-items. The numbering style that comes first is the outermost. With the
 * number of an English article, it also finds `4.2` and `(a)` within lines, because texts from PDF lose their line breaks.
 */
export function divide(
  text: string,
  number?: number,
): { readonly paragraphs: readonly ContractParagraph[]; readonly items: readonly ContractItem[] } {
  const divisions = divisionsOf(foldText(text), number);
  const items = nest(text, divisions, { from: 0, to: divisions.length, end: text.length });
  if (divisions[0]?.depth !== 0) return { paragraphs: [], items };
  return { paragraphs: items.map(({ subItems, ...paragraph }) => ({ ...paragraph, items: subItems })), items: [] };
}

interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly end: number;
}

/** Nests the divisions of a range: deeper ones go into the one before them. */
function nest(text: string, divisions: readonly Division[], { from, to, end }: Stretch): readonly ContractItem[] {
  const top = divisions[from]?.depth ?? 0;
  const items: ContractItem[] = [];
  for (let i = from; i < to; ) {
    let next = i + 1;
    while (next < to && (divisions[next]?.depth ?? 0) > top) next++;
    const { label, start, textStart } = divisions[i] ?? noDivision;
    const itemEnd = next < to ? (divisions[next]?.start ?? end) : end;
    const own = text.slice(textStart, next > i + 1 ? divisions[i + 1]?.start : itemEnd).trim();
    const subItems = nest(text, divisions, { from: i + 1, to: next, end: itemEnd });
    items.push({ label, text: own, subItems, start, end: itemEnd });
    i = next;
  }
  return items;
}

const noDivision: Division = { label: '', start: 0, textStart: 0, depth: 0 };

/** Keeps the numbers that form a sequence. Depth 0 are paragraphs, 1 items, 2 sub-items. */
function divisionsOf(folded: string, number: number | undefined): readonly Division[] {
  const divisions: Division[] = [];
  const open: { style: string; value: number }[] = [];
  let first: string | undefined;
  for (const { label, start, textStart, ...marker } of markersOf(folded, number)) {
    const last = open.at(-1);
    const isLetter = label === '(i)' && last?.style === '(a)' && last.value === 8; // after (h)
    const { style, value } = isLetter ? { style: '(a)', value: 9 } : marker;
    const at = open.findIndex((one) => one.style === style);
    if (at >= 0) {
      const before = open[at]?.value ?? 0;
      if (value <= before || value > before + maxSkip) continue;
      open.length = at + 1;
      open[at] = { style, value };
    } else {
      if (value !== 1 && !(style === '1.1' && value % 100 === 1)) continue;
      open.push({ style, value });
    }
    first ??= style;
    const depth = open.length - 1 + (isItem(first) ? 1 : 0);
    divisions.push({ label, start, textStart, depth });
  }
  return divisions;
}

const isItem = (style: string): boolean => style === '1.' || style === '가.';

function markersOf(folded: string, number: number | undefined): readonly Marker[] {
  const markers: Marker[] = [];
  for (const match of folded.matchAll(atLine)) {
    const marker = markerOf(match);
    const start = match.index + (match[0].startsWith('\n') ? 1 : 0);
    const textStart = match.index + match[0].length;
    if (marker && !(marker.style === '①' && /^(?:항|호|[,·~]|내지|부터|및)/.test(folded.slice(textStart, textStart + 2))))
      markers.push({ ...marker, start, textStart });
  }
  for (const match of folded.matchAll(inLine)) {
    const value = circledNumbers.indexOf(match[1] ?? '') + 1;
    markers.push({ style: '①', value, label: match[1] ?? '', start: match.index, textStart: match.index + match[0].length });
  }
  if (number !== undefined) {
    const known = new Set(markers.map(({ textStart }) => textStart));
    for (const marker of withinLines(folded, number)) if (!known.has(marker.textStart)) markers.push(marker);
  }
  return markers.sort((a, b) => a.start - b.start);
}

const citingWord = /(?:\b(?:articles?|sections?|clauses?|paragraphs?|and|or|to|of|in|under|with|by|through|see|than)|[(,–-])\s{0,3}$/i;
const clauseInLine = /(?<=[.;:)\]"”][ \t]{1,4}(?:and |or )?|\S {3,}|\n[ \t]{0,40})\((\d{1,2}|[a-z]{1,4})\)[ \t]{1,6}(?=["“(]?[A-Za-z[])/g;

function* withinLines(folded: string, number: number): Generator<Marker> {
  for (const match of folded.matchAll(new RegExp(String.raw`(?<![\w.$,(-])${number}\.(\d{1,2})\.?[ \t]{1,12}(?=["“(\[]?[A-Z]|\n)`, 'g'))) {
    const [all, part = ''] = match;
    if (citingWord.test(folded.slice(Math.max(0, match.index - 24), match.index))) continue;
    const label = `${number}.${part}`;
    yield { style: '1.1', value: Number(part), label, start: match.index, textStart: match.index + all.length };
  }
  for (const { 0: all, 1: inside = '', index } of folded.matchAll(clauseInLine)) {
    const read = /^\d/.test(inside) ? { style: '(1)', value: Number(inside), label: `(${inside})` } : latinMarker(inside);
    if (read) yield { ...read, start: index, textStart: index + all.length };
  }
}

function markerOf(match: RegExpMatchArray): Pick<Marker, 'style' | 'value' | 'label'> | undefined {
  const [, circled, round, dotted, sub, closed, letter, letterClosed, letterRound, latin, decimal, paragraph] = match;
  if (circled) return { style: '①', value: circledNumbers.indexOf(circled) + 1, label: circled };
  if (round) return { style: '(1)', value: Number(round), label: `(${Number(round)})` };
  if (dotted)
    return { style: '1.', value: Number(dotted) + Number(sub ?? 0) / 100, label: `${Number(dotted)}${sub ? `의${Number(sub)}` : ''}.` };
  if (closed) return { style: '1)', value: Number(closed), label: `${Number(closed)})` };
  if (letter) return { style: '가.', value: hangul.indexOf(letter) + 1, label: `${letter}.` };
  if (letterClosed) return { style: '가)', value: hangul.indexOf(letterClosed) + 1, label: `${letterClosed})` };
  if (letterRound) return { style: '(가)', value: hangul.indexOf(letterRound) + 1, label: `(${letterRound})` };
  if (latin) return latinMarker(latin);
  if (decimal) return { style: '1.1', value: Number(decimal.split('.')[1]), label: decimal };
  if (paragraph) return { style: '제1항', value: Number(paragraph), label: `제${Number(paragraph)}항` };
  return undefined;
}

/** Reads `(i)` as a roman number, except after `(h)`: see `divisionsOf`. */
function latinMarker(letters: string): Pick<Marker, 'style' | 'value' | 'label'> | undefined {
  const roman = ['i', 'ii', 'iii', 'iv', 'v', 'vi', 'vii', 'viii', 'ix', 'x', 'xi', 'xii'].indexOf(letters);
  if (roman >= 0) return { style: '(i)', value: roman + 1, label: `(${letters})` };
  return letters.length === 1 ? { style: '(a)', value: letters.charCodeAt(0) - 96, label: `(${letters})` } : undefined;
}
