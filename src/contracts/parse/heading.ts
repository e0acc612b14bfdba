import type { ContractLine } from './contract-lines.ts';

/** A line that may be the heading of something: whether it is one is decided by what stands around it. */
export interface Heading {
  readonly kind: 'article' | 'chapter' | 'addenda' | 'exhibit';
  /** The index of its line. */
  readonly line: number;
  /** What its number belongs to: numbers of one scheme follow each other. */
  readonly scheme: '조' | 'Article' | 'Section' | 'Clause' | 'number' | '';
  readonly label: string;
  /** `제10조의2` has 10 and 2. */
  readonly numbers: readonly number[];
  /** `제2조부터 제5조까지 생략` stands for 2 to 5. */
  readonly through: number;
  readonly title: string;
  /** Where its label ends, and where its text begins. */
  readonly labelEnd: number;
  readonly textStart: number;
  /** 4: Markdown's `#`. 3: a title in brackets or the like. 2: a label with words that may be a title. 1: a label with a sentence. */
  readonly strength: number;
  /** Text follows on its own line. */
  readonly hasText: boolean;
}

/** A line, and the text that it stands in. */
export interface HeadingSource {
  readonly original: string;
  readonly folded: string;
  readonly line: ContractLine;
  readonly index: number;
}

/** Words of the original between two places, on one line and without Markdown's marks. */
export const wordsOf = (original: string, from: number, to: number): string =>
  original
    .slice(from, Math.min(to, from + 400))
    .replace(/\*\*|__|\\+(?=[[\]().*_#<>~-])/g, '')
    .replace(/\s+/g, ' ')
    .replace(/[\s*_#]{1,400}$/, '')
    .trimStart();

/** Where the next word begins, Markdown's bold marks skipped too. */
export function skipMarks(text: string, at: number, end: number): number {
  let i = at;
  while (i < end && ' \t*_'.includes(text.charAt(i))) i++;
  return i;
}

/** How sure a heading is, from what it looks like and how its line is marked. */
export function strengthOf({ hashes, listed, bold, inline }: ContractLine, looks: number): number {
  if (hashes > 0) return 4;
  const marked = bold && looks === 2 ? 3 : looks;
  if (inline) return Math.min(1, marked);
  return listed ? Math.min(2, marked) : marked;
}
