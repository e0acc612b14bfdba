import type { Article, ContractPart } from '../contract-document.ts';

/** A section outside the articles. */
export type DocumentPart = Pick<Article, 'part' | 'label' | 'written' | 'title' | 'start' | 'end'>;

const names: Readonly<Partial<Record<ContractPart, readonly [english: string, korean: string]>>> = {
  preamble: ['Preamble', '전문'],
  contents: ['Contents', '목차'],
  signatures: ['Signatures', '서명'],
  paragraph: ['Paragraph', '문단'],
};

/** Creates a section without a heading. */
export const partWithoutHeading = (part: ContractPart, start: number, end: number, korean: boolean): DocumentPart => ({
  part,
  label: names[part]?.[korean ? 1 : 0] ?? '',
  written: '',
  title: '',
  start,
  end,
});

/**
 * Divides a document into parts; each character belongs to exactly one. The text before the first part is the preamble. Blanks and repeated
 * headings between two parts belong to the earlier one. A document without articles is divided into paragraphs.
 */
export function documentParts(
  text: string,
  articles: readonly Article[],
  others: readonly DocumentPart[],
  korean: boolean,
): readonly Article[] {
  if (articles.length === 0) {
    const paragraphs = textParagraphs(text, 0, text.length);
    return withIds(
      paragraphs.map(({ start, end }) => partWithoutHeading('paragraph', start, end, korean)),
      text,
    );
  }
  const known: readonly (Article | DocumentPart)[] = [...articles, ...others].sort((a, b) => a.start - b.start);
  const first = known[0]?.start ?? 0;
  const isPreamble = text.slice(0, first).trim() !== '';
  const found = known.map((part, i) => ({
    ...part,
    start: i === 0 && !isPreamble ? 0 : part.start,
    end: known[i + 1]?.start ?? text.length,
  }));
  return withIds(isPreamble ? [partWithoutHeading('preamble', 0, first, korean), ...found] : found, text);
}

/** Adds ids. A repeated label gets a number in its id, paragraphs get one in their label. */
function withIds(parts: readonly (Article | DocumentPart)[], text: string): readonly Article[] {
  const seen = new Map<string, number>();
  return parts.map((part) => {
    if ('id' in part) return part;
    const name = `${part.part}/${part.label}`;
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    const isCounted = part.part === 'paragraph';
    return {
      ...part,
      id: isCounted ? `${name} ${count}` : count === 1 ? name : `${name}#${count}`,
      label: isCounted ? `${part.label} ${count}` : part.label,
      text: text.slice(part.start, part.end).trim(),
      deleted: false,
      chapter: '',
      paragraphs: [],
      items: [],
      references: [],
    };
  });
}

interface TextStretch {
  readonly start: number;
  readonly end: number;
}

const maxChars = 1_000;
/** Shorter blocks are headings or page ends, and join the next block. */
const minChars = 120;
const blankLine = /\n[^\S\n]*\n\s*/g;
const sentenceEnd = /[.!?。;:]["'”’)\]]{0,2}\s+|다\.\s*/g;

/**
 * Divides a range of a text into pieces of at most 1,000 characters, without gaps. Splits at blank lines, and longer blocks at the end of a
 * line or a sentence. Short blocks join the next one.
 */
function textParagraphs(text: string, start: number, end: number): readonly TextStretch[] {
  const cuts = [...text.slice(start, end).matchAll(blankLine)].map(({ 0: gap, index }) => start + index + gap.length);
  const pieces: TextStretch[] = [];
  let from = start;
  const close = (to: number): void => {
    if (to > from) pieces.push({ start: from, end: to });
    from = to;
  };
  for (const [i, cut] of [...cuts, end].entries()) {
    if (cut === end && i < cuts.length) continue;
    const previous = i === 0 ? start : (cuts[i - 1] ?? start);
    if (cut - from > maxChars && previous - from >= minChars) close(previous);
    while (cut - from > maxChars) close(from + cutPoint(text.slice(from, from + maxChars)));
    if (cut - from >= minChars || cut === end) close(cut);
  }
  return pieces;
}

/** Returns the length of the next piece: whole sentences, else whole lines, else whole words, else whole characters. */
function cutPoint(text: string): number {
  const sentences = [...text.matchAll(sentenceEnd)].map(({ 0: mark, index }) => index + mark.length);
  const sentence = sentences.findLast((at) => at >= maxChars / 2);
  const [line, word] = [text.lastIndexOf('\n') + 1, text.search(/\s\S*$/) + 1];
  const at = sentence ?? (line >= maxChars / 2 ? line : word >= maxChars / 2 ? word : text.length);
  return at === text.length && /[\uD800-\uDBFF]$/.test(text) ? at - 1 : at;
}
