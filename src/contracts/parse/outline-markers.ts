import { isHeadingTitle } from './english-heading.ts';
import { romanNumber } from './roman-number.ts';

/** The numbering scheme of a marker: `Article 4`, `Section 4`, `Section 4.02`, `4.`, `4.2`, `IV.`, `D.` or `라.`, `4조` without its 제. */
export type OutlineScheme = 'article' | 'section' | 'subsection' | 'number' | 'decimal' | 'roman' | 'letter' | '조';

/** A position where a heading may begin, at the start of a line or inside it. */
export interface OutlineMarker {
  readonly scheme: OutlineScheme;
  /** The numbers of the label: 4 and 2 for `4.02`. */
  readonly numbers: readonly number[];
  readonly start: number;
  readonly labelEnd: number;
  readonly title: string;
  readonly textStart: number;
  /** Evidence for a heading: the text before it, and a title. */
  readonly weight: number;
  readonly hasText: boolean;
}

const words = [
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
  'thirteen',
  'fourteen',
  'fifteen',
];
const hangul = '가나다라마바사아자차카타파하';
const mark =
  /(?<![\w.$€£,:/(–-])(?:(ARTICLE|Article|CLAUSE|Clause|SECTION|Section|§)\s{0,3}(\d{1,3}(?:\.\d{1,3})?|[IVXL]{1,7}|[A-Za-z]{3,8})(?![\w])(?!\.\d|\()|(\d{1,3})\.(\d{1,2})(?!\.?\d)|(\d{1,3})(?![\d.]|\s?조)|(\d{1,3})(?:\.0)?[.)](?!\d)|(\d{1,3})\s?조(?=\s|[([【])|([IVX]{1,6}|[Ⅰ-Ⅻ])(?:[.)]|(?=[ \t]{1,3}[-–—][ \t])|(?<=(?:^|\n)[ \t]{0,8}[IVX]{1,6})(?=[ \t]*\n))|(?<=(?:^|\n)[ \t]{0,8})([A-Z]|[가나다라마바사아자차카타파하])\.(?=[ \t]))/g;
const citing =
  /(?:\b(?:articles?|sections?|clauses?|paragraphs?|exhibits?|schedules?|rules?|chapter|part|items?|no|nos|and|or|to|of|in|under|with|by|through|per|see|than|this|that|the|a|page|pages|at|from|for|on|is|are)\.?|,)\s*$/i;
const lookBehind = 48;
/** No contract has more markers; each takes 0.1 ms. */
const maxMarkers = 20_000;
const maxTitleChars = 100;
const maxLineChars = 400;
const maxListedChars = 160;
/** Penalty for an entry of a table of contents; outweighs the evidence for it. */
const listedCost = 2.5;

/**
 * Returns the positions where a heading may begin, in text order. `isFurniture` is true for page numbers and entries of a table of
 * contents.
 */
export function outlineMarkers(folded: string, isFurniture: (at: number) => boolean): readonly OutlineMarker[] {
  const markers: OutlineMarker[] = [];
  for (const match of folded.matchAll(mark)) {
    if (markers.length >= maxMarkers) break;
    const read = readLabel(match);
    if (!read || isFurniture(match.index)) continue;
    const place = placeOf(folded, match.index);
    const labelEnd = match.index + match[0].length;
    const behind = /^[ \t]{0,3}(?:[.:–—|-]{1,3})?[ \t*_]{0,16}/.exec(folded.slice(labelEnd, labelEnd + 24))?.[0] ?? '';
    const from = labelEnd + behind.length;
    if (!isPossible(match[0], behind, folded.slice(from, from + 2), read.scheme, place)) continue;
    const title = titleAt(folded, from, read.numbers);
    const weight = place.weight + title.weight;
    const isBare = /^\d+$/.test(match[0]) && !/\s{2,}|[-–—:|]/.test(behind);
    if (isBare && title.weight < 1.5) continue;
    if (place.cites && title.weight < 2) continue;
    if (place.weight < 1 && title.weight < 1.5) continue;
    if (place.atLine && title.text === '' && isWrapped(folded, place.start)) continue;
    markers.push({ ...read, start: place.start, labelEnd, title: title.text, textStart: title.end, weight, hasText: title.hasText });
  }
  return markers.map((marker, i) => (isListed(folded, markers, i) ? { ...marker, weight: marker.weight - listedCost } : marker));
}

/** True if the line above ends like `Sections 4 and`: a number below it continues the citation. */
const isWrapped = (folded: string, lineStart: number): boolean =>
  /[^\n]\n$/.test(folded.slice(Math.max(0, lineStart - 2), lineStart)) &&
  citing.test(folded.slice(Math.max(0, lineStart - lookBehind), lineStart - 1));

/** True for a marker in a table of contents: it, or its neighbours, end with a page number. */
function isListed(folded: string, markers: readonly OutlineMarker[], i: number): boolean {
  const ends = (at: number): boolean => {
    const [from, to] = [markers[at]?.labelEnd ?? 0, markers[at + 1]?.start ?? folded.length];
    return markers[at] !== undefined && to - from <= maxListedChars && /\D\d{1,3}\s*$/.test(folded.slice(from, to));
  };
  return (ends(i) || ends(i - 1) || ends(i - 2)) && (ends(i) || ends(i + 1) || ends(i + 2)) && (ends(i - 1) || ends(i + 1) || ends(i + 2));
}

function readLabel(match: RegExpMatchArray): Pick<OutlineMarker, 'scheme' | 'numbers'> | undefined {
  const [, word, number, whole, part, bare, dotted, article, roman, letter] = match;
  if (word !== undefined && number !== undefined) {
    const numbers = /^\d/.test(number) ? number.split('.').map(Number) : [namedNumber(number)];
    if (Number.isNaN(numbers[0])) return undefined;
    const isArticle = /^[ac]/i.test(word);
    return { scheme: isArticle ? 'article' : numbers.length > 1 ? 'subsection' : 'section', numbers };
  }
  if (whole !== undefined) {
    if (Number(part) === 0) return { scheme: 'number', numbers: [Number(whole)] }; // 1.0 Scope
    return { scheme: 'decimal', numbers: [Number(whole), Number(part)] };
  }
  const plain = bare ?? dotted;
  if (plain !== undefined) return Number(plain) > 0 ? { scheme: 'number', numbers: [Number(plain)] } : undefined;
  if (article !== undefined) return { scheme: '조', numbers: [Number(article)] };
  if (letter !== undefined)
    return { scheme: 'letter', numbers: [/[A-Z]/.test(letter) ? letter.charCodeAt(0) - 64 : hangul.indexOf(letter) + 1] };
  const value = roman === undefined ? Number.NaN : romanNumber(roman.normalize('NFKC'));
  return Number.isNaN(value) ? undefined : { scheme: 'roman', numbers: [value] };
}

const namedNumber = (text: string): number => {
  const named = words.indexOf(text.toLowerCase());
  return named >= 0 ? named + 1 : /^[IVXL]+$/.test(text) ? romanNumber(text) : Number.NaN;
};

interface Place {
  /** Start of the line, or of the marker if it begins inside the line. */
  readonly start: number;
  readonly weight: number;
  readonly atLine: boolean;
  /** True if the text before the marker reads like a citation. */
  readonly cites: boolean;
}

/** Returns the weight of the text before a marker: the start of a line, a gap, the end of a sentence. */
function placeOf(folded: string, at: number): Place {
  const behind = folded.slice(Math.max(0, at - lookBehind), at);
  const lineBreak = behind.lastIndexOf('\n');
  const before = behind.slice(lineBreak + 1);
  const lineStart = at - before.length;
  if ((lineBreak >= 0 || at <= lookBehind) && /^[ \t#*_>•-]*$/.test(before))
    return { start: lineStart, weight: 2, atLine: true, cites: false };
  const inLine = { start: at, atLine: false };
  if (citing.test(before.trimEnd()) && !/\s{3,}$/.test(before)) return { ...inLine, weight: 0, cites: true };
  if (/\S(?: {2,}|\t)$/.test(before)) return { ...inLine, weight: 1.5, cites: false };
  if (/[.;:!?][)"”’\]]{0,2}\s$/.test(before)) return { ...inLine, weight: 1, cites: false };
  return { ...inLine, weight: /[A-Z]{3}["”)]?\s$/.test(before) ? 0.6 : 0.2, cites: false };
}

/** True if the text after the label can start a heading: a capital, a quotation, Korean, or the end of the line. */
function isPossible(label: string, behind: string, next: string, scheme: OutlineScheme, { atLine }: Place): boolean {
  const ends = next === '' || next.startsWith('\n');
  if (ends) return atLine && /\D/.test(label);
  if (!/^["“‘'([【]?[A-Z가-힣]|^\[\*/.test(next) && !(atLine && /\D/.test(label) && /\s{3,}$/.test(behind))) return false;
  if (/^\d+$/.test(label)) return atLine;
  if (scheme === '조') return atLine;
  return behind !== '' || /^[([【]/.test(next);
}

interface Title {
  readonly text: string;
  readonly end: number;
  readonly weight: number;
  readonly hasText: boolean;
}

/**
 * Returns the title after a label: the words in capitals, the words up to a full stop or to its own first number, or the rest of the line.
 */
function titleAt(folded: string, from: number, [number = 0]: readonly number[]): Title {
  const rest = folded.slice(from, from + maxLineChars);
  const line = /^[^\n]*/.exec(rest)?.[0] ?? '';
  const lineEnd = from + line.length;
  const end = (length: number): number => from + length + (/^[\s.:*_–—-]*/.exec(line.slice(length))?.[0].length ?? 0);
  if (line.trim() === '') return titleBelow(folded, lineEnd);
  const bracketed = /^[([【]([^()[\]【】\n]{1,60})[)\]】]/.exec(line);
  if (bracketed?.[1])
    return { text: bracketed[1].trim(), end: end(bracketed[0].length), weight: 2, hasText: end(bracketed[0].length) < lineEnd };
  const own = new RegExp(String.raw`^(.{2,${maxTitleChars}}?)\s{1,6}(?:${number}\.\s?0?1\b|\([a1i]\)\s)`).exec(line);
  if (own?.[1] && isHeadingTitle(own[1])) return { text: cleaned(own[1]), end: end(own[1].length), weight: 3, hasText: true };
  const apart = /^(\S(?:.{0,88}?\S)??)\s{3,}(?=\S)/.exec(line);
  if (apart?.[1] && isHeadingTitle(apart[1]) && !/[ ]{2}/.test(apart[1])) {
    const isListed = /^\d{1,3}\s*$/.test(line.slice(apart[0].length)); // a page number
    return { text: cleaned(apart[1]), end: end(apart[0].length), weight: isListed ? -1 : 2, hasText: !isListed };
  }
  const goesOn = /^\n[ \t]{0,40}[a-z]/.test(folded.slice(lineEnd, lineEnd + 42));
  if (line.length <= maxTitleChars + 20 && !goesOn && isHeadingTitle(line)) {
    return { text: cleaned(line), end: lineEnd, weight: isCapitals(line) ? 2.5 : 1.5, hasText: false };
  }
  const capitals = capitalWords(line);
  if (capitals !== '') return { text: cleaned(capitals), end: end(capitals.length), weight: 2, hasText: true };
  const runIn = /^([^.:;\n]{2,70})(?:[.:]["”]?(?:\*\*|__)?(?=\s)| [–—-](?=\s)|\s{3,})/.exec(line);
  if (runIn?.[1] && isHeadingTitle(runIn[1].replace(/[*_]/g, ''))) {
    return { text: cleaned(runIn[1]), end: end(runIn[0].length), weight: 1.5, hasText: true };
  }
  return { text: '', end: from, weight: 0, hasText: true };
}

/** Reads a label alone on its line: the next line may be its title, unless it has a number of its own. */
function titleBelow(folded: string, lineEnd: number): Title {
  const next = /^\n[ \t]{0,40}([^\n]{2,90})(?=\n|$)/.exec(folded.slice(lineEnd, lineEnd + 140));
  if (next?.[1] && !/^\d{1,3}(?:\.\d|[.)]\s)/.test(next[1]) && isHeadingTitle(next[1]) && !/\.\s*$/.test(next[1])) {
    return { text: cleaned(next[1]), end: lineEnd + next[0].length, weight: isCapitals(next[1]) ? 2 : 1, hasText: false };
  }
  return { text: '', end: lineEnd, weight: 0, hasText: false };
}

/** Returns the leading words in capitals. In `SERVICES MMI will produce`, the last of them is the subject of a sentence. */
function capitalWords(line: string): string {
  const found =
    /^["“]?[A-Z](?:[A-Z\d&,;:'’()/-]| (?! )){2,90}?[A-Z)][.:]?["”]?(?=\s+(?:["“([]?[A-Z][a-z]|["“([]|A\s|[A-Z]\.\s|[a-z])|\s{2,})/.exec(
      line,
    )?.[0] ?? '';
  const behind = line.slice(found.length).trimStart();
  const words = /^[a-z]/.test(behind) ? found.replace(/[\s,]+\S+$/, '') : found;
  return /[A-Z]{4}/.test(words) ? words : '';
}

const isCapitals = (text: string): boolean => /[A-Z]{4}/.test(text) && !/[a-z]{3}/.test(text);

const cleaned = (text: string): string =>
  text
    .replace(/\*\*|__|[-=_]{3,}/g, '')
    .replace(/\s+/g, ' ')
    .replace(/[\s.:–—-]+$/, '')
    .trim();
