import type { ContractLine } from './contract-lines.ts';

/** A line that may be a heading. The surrounding lines decide. */
export interface Heading {
  readonly kind: 'article' | 'chapter' | 'addenda' | 'exhibit';
  /** Index of its line. */
  readonly line: number;
  /** The numbering scheme; numbers form a sequence within one scheme. */
  readonly scheme: '조' | 'Article' | 'Section' | 'Clause' | 'number' | '';
  readonly label: string;
  /** The numbers of the label: 10 and 2 for `제10조의2`. */
  readonly numbers: readonly number[];
  /** Last number of a range: `제2조부터 제5조까지 생략` covers 2 to 5. */
  readonly through: number;
  readonly title: string;
  /** End of the label, and start of the text. */
  readonly labelEnd: number;
  readonly textStart: number;
  /**
   * Confidence from 1 to 4. 4: Markdown's `#`. 3: a title in brackets or the like. 2: a label with words that may be a title. 1: a label
   * with a sentence.
   */
  readonly strength: number;
  /** True if text follows on the same line. */
  readonly hasText: boolean;
}

/** A line with the text that contains it. */
export interface HeadingSource {
  readonly original: string;
  readonly folded: string;
  readonly line: ContractLine;
  readonly index: number;
}

/** Returns the words of the original in a range, on one line and without Markdown marks. */
export const wordsOf = (original: string, from: number, to: number): string =>
  original
    .slice(from, Math.min(to, from + 400))
    .replace(/\*\*|__|\\+(?=[[\]().*_#<>~-])/g, '')
    .replace(/\s+/g, ' ')
    .replace(/[\s*_#]{1,400}$/, '')
    .trimStart();

/** Returns the position of the next word, after blanks and Markdown's bold marks. */
export function skipMarks(text: string, at: number, end: number): number {
  let i = at;
  while (i < end && ' \t*_'.includes(text.charAt(i))) i++;
  return i;
}

/** Returns the strength of a heading, from its looks and the marks of its line. */
export function strengthOf({ hashes, listed, bold, inline }: ContractLine, looks: number): number {
  if (hashes > 0) return 4;
  const marked = bold && looks === 2 ? 3 : looks;
  if (inline) return Math.min(1, marked);
  return listed ? Math.min(2, marked) : marked;
}
