import { type MarkdownLine, markdownLines } from './markdown-lines.ts';

/** A sentence as written in its text. */
export interface Sentence {
  readonly text: string;
  /** True for the title of a heading. */
  readonly heading: boolean;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Splits a Markdown or plain text in Korean or English into its sentences, verbatim and in order. Headings, list items and table cells are
 * separate sentences. Their marks, code blocks and lines of images or tags are left out.
 *
 * @example splitSentences('- It is stored. 버전은 v5.33이다.') // ['It is stored.', '버전은 v5.33이다.']
 */
export function splitSentences(text: string): string[] {
  return sentencesOf(text).map((sentence) => sentence.text);
}

/** Like `splitSentences`, and marks headings. */
export function sentencesOf(text: string): readonly Sentence[] {
  const sentences: Sentence[] = [];
  for (const { start, end, heading } of blocksOf(text)) {
    const block = text.slice(start, end);
    for (const span of heading ? [{ start: 0, end: block.length }] : sentenceSpans(block)) {
      const sentence = block.slice(span.start, span.end).trim();
      if (/[\p{L}\p{N}]/u.test(sentence)) sentences.push({ text: sentence, heading });
    }
  }
  return sentences;
}

/**
 * Longest start of a text within `maxChars` UTF-16 units that ends with a sentence. If that loses more than half, it ends with a word, and
 * if that does too, with a character.
 */
export function cutAtSentence(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const lastStart = /[\uD800-\uDBFF]/.test(text.charAt(maxChars - 1)) ? maxChars - 1 : maxChars; // not in the middle of a character
  const ends = sentenceSpans(text.slice(0, maxChars + lookAhead)).map((span) => span.end);
  const sentence = ends.findLast((end) => end <= lastStart && end >= maxChars / 2);
  const word = text.slice(0, lastStart + 1).search(/\s\S*$/);
  return text.slice(0, sentence ?? (word >= maxChars / 2 ? word : lastStart)).trimEnd();
}

type Block = Span & { readonly heading: boolean };

const listMark = /^[\s>]*(?:(?:#{1,6}|[-*+•·]|\(?\d{1,3}[.)]|[①-⑳])\s+)?(?:\[[ xX]\]\s+)?/;
const quoteMark = /^\s*>/;
/** Lines without a sentence: tags, images and badges, addresses of links, kinds of call-outs. */
const noProse = /^[\s>]*(?:<[^<>]*>\s*|\[?!\[[^[\]]*\]\([^()]*\)(?:\]\([^()]*\))?\s*)*$|^\s*\[(?!\^)[^\]]+\]:\s|^[\s>]*\[![A-Za-z]+\]\s*$/;
const cell = /(?:\\.|`[^`|]*`|[^|\\])+/g;

/** Stretches of a text that contain whole sentences. */
function* blocksOf(text: string): Generator<Block> {
  let open: { start: number; end: number; quoted: boolean } | undefined;
  for (const line of markdownLines(text)) {
    const end = line.start + line.text.length;
    const prose = line.kind === 'text' && !noProse.test(line.text);
    const mark = prose ? (listMark.exec(line.text)?.[0] ?? '') : '';
    const quoted = quoteMark.test(line.text);
    if (open && prose && mark.replace(/[\s>]/g, '') === '' && quoted === open.quoted) {
      open.end = end;
      continue;
    }
    if (open) yield { start: open.start, end: open.end, heading: false };
    open = prose ? { start: line.start + mark.length, end, quoted } : undefined;
    if (line.kind === 'heading') yield headingBlock(line);
    if (line.kind === 'table') {
      for (const { 0: content, index } of line.text.matchAll(cell)) {
        yield { start: line.start + index, end: line.start + index + content.length, heading: false };
      }
    }
  }
  if (open) yield { start: open.start, end: open.end, heading: false };
}

function headingBlock(line: MarkdownLine): Block {
  const start = line.start + line.text.indexOf(line.title);
  return { start, end: start + line.title.length, heading: true };
}

/** Inline code to skip, or marks that may end a sentence, with closing quotes and brackets. */
const stops = /`[^`\n]*`|([.!?…]+|[。！？]+)["'”’)\]」』»*_~]*/g;

/** Cuts one block at the ends of its sentences; the spans cover it without gaps. */
function sentenceSpans(block: string): Span[] {
  const spans: Span[] = [];
  let start = 0;
  for (const match of block.matchAll(stops)) {
    const marks = match[1];
    const end = match.index + match[0].length;
    if (marks === undefined || !isEnd(block, start, match.index, marks, end)) continue;
    spans.push({ start, end });
    start = end;
  }
  if (block.slice(start).trim() !== '') spans.push({ start, end: block.length });
  return spans;
}

/** Number of characters after a mark that decide whether it ends a sentence. */
const lookAhead = 20;

/** Never end a sentence. */
const titles = /(?:^|[^\p{L}.])(?:e\.g|i\.e|cf|vs|viz|ca|approx|dr|mr|mrs|ms|prof|st)$/iu;
/** `J.` and `U.S.` do not either. */
const initials = /(?:^|[^\p{L}.])(?:[A-Z]\.)*[A-Z]$/u;
/** End one unless a small letter or a comma follows. */
const tails = /(?:^|\P{L})(?:etc|inc|ltd|co|corp|al|jr|sr)$/iu;
/** End one unless a number follows. */
const labels = /(?:^|\P{L})(?:no|nos|fig|sec|eq|vol|ch|art|pp?|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)$/iu;
/** `제5조.`, `제3조의2 (정의).` and `Step 1.` belong to what follows them. */
const numbered =
  /(?:제\s?\d+\s?[조항호장절관편](?:의\s?\d+)?(?:\s?\([^()]*\))?|(?:^|\P{L})(?:step|article|section|chapter|figure|table|part|item)\s\d+)$/iu;
/** Year, or year and month, of a date such as `2028. 3. 31.`, and the whole date. */
const yearPart = /(?:^|[^\d.])(?:(?:19|20)\d\d|['’‘]\d\d)$/u;
const monthPart = /(?:^|[^\d.])(?:(?:19|20)\d\d|['’‘]\d\d)\.\s?\d{1,2}$/u;
const wholeDate = /(?:^|[^\d.])(?:(?:19|20)\d\d|['’‘]\d\d)\.\s?\d{1,2}\.\s?\d{1,2}$/u;

/** A Korean sentence does not end with a number, so a date on the same line belongs to the words behind it. */
function isWithinDate(before: string, after: string): boolean {
  if (yearPart.test(before)) return /^[ \t]\d{1,2}\.(?:[ \t]\d{1,2}(?!\d)|[ \t]?(?:까지|부터))/u.test(after);
  if (monthPart.test(before)) return /^[ \t](?:\d{1,2}(?!\d)|까지|부터)/u.test(after);
  return wholeDate.test(before) && /^[ \t](?:\d{1,3}\s?)?\p{sc=Hangul}/u.test(after);
}

function isEnd(block: string, start: number, at: number, marks: string, end: number): boolean {
  if (/[。！？]/.test(marks)) return true;
  const before = block.slice(Math.max(start, at - 60), at);
  const after = block.slice(end, end + lookAhead);
  if (after !== '' && !/^\s/.test(after)) return marks === '.' && /[다요죠까]$/.test(before) && /^\p{sc=Hangul}/u.test(after);
  const next = after.trimStart();
  if (marks.length > 1 || marks === '…') return !/^\p{Ll}/u.test(next) || /[!?]/.test(marks);
  if (marks !== '.') return true;
  if (/^\s*(?:\(?\d{1,3}|\p{L})$/u.test(before) && before.length === at - start) return false; // `1.` or `가.` in front of an item
  if (isWithinDate(before, after)) return false;
  if (titles.test(before) || initials.test(before) || numbered.test(before)) return false;
  if (tails.test(before)) return !/^(?:\p{Ll}|,)/u.test(next);
  return !(labels.test(before) && /^\d/.test(next));
}
