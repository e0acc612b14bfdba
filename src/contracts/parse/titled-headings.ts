import type { ContractLine } from './contract-lines.ts';
import { isHeadingTitle } from './english-heading.ts';
import { type Heading, wordsOf } from './heading.ts';

type Style = 'markdown' | 'bold' | 'boxed' | 'loud' | 'alone';

const minOf: Readonly<Record<Style, number>> = { markdown: 2, bold: 3, boxed: 2, loud: 3, alone: 5 };
/** Minimum share of the text below the first heading. */
const minCovered = 0.5;
const maxTitleChars = 80;
/** Shorter lines below a heading are names and dates. */
const minTextChars = 25;
const minProseChars = 60;
/** Excludes parties, formulas and names of parts, which also appear in capitals. */
const noTitle =
  /\b(?:INC|LLC|L\.L\.C|LTD|LIMITED|CORP|CORPORATION|COMPANY|GMBH|PLC|S\.A|L\.P|BY|BETWEEN|WITNESSETH|WHEREOF|WHEREAS|AGREEMENT|CONTRACT|CONTENTS|PAGE|CONFIDENTIAL TREATMENT)\b\.?|^(?:AND|EXHIBIT|SCHEDULE|ANNEX|APPENDIX|NAME|TITLE|DATE|TO|FROM|RE)\b|_{3}|:$|계약서$|합의서$|약정서$/;

/**
 * Finds headings without numbers, for a text without any others: `## Term`, `**Term**`, `TERM` or `Term` alone on a line with text below.
 * Their words are their labels.
 */
export function titledHeadings(original: string, lines: readonly ContractLine[]): readonly Heading[] {
  const found = lines.flatMap((line, index) => candidate(original, lines, line, index) ?? []);
  const levels = [1, 2, 3, 4, 5, 6].map((level) => found.filter(({ style, hashes }) => style === 'markdown' && hashes === level));
  const styles = [...levels, ...(['bold', 'boxed', 'loud', 'alone'] as const).map((style) => found.filter((one) => one.style === style))];
  const latest = original.length * (1 - minCovered);
  const chosen = styles.find((all) => {
    const [first] = all;
    return first !== undefined && all.length >= minOf[first.style] && (lines[first.heading.line]?.start ?? 0) <= latest;
  });
  return (chosen ?? []).map(({ heading }) => heading);
}

interface Candidate {
  readonly style: Style;
  readonly hashes: number;
  readonly heading: Heading;
}

function candidate(original: string, lines: readonly ContractLine[], line: ContractLine, index: number): Candidate | undefined {
  if (line.kind !== 'text' || line.listed || line.core.length > maxTitleChars) return undefined;
  const words = wordsOf(original, line.coreStart, line.coreStart + line.core.length).replace(/[\s.:]+$/, '');
  const isBoxed = /[■□◆◇▣▶▷◎]/.test(original.slice(line.start, line.coreStart));
  const style = isBoxed ? 'boxed' : styleOf(line, words, lines[index - 1]?.kind === 'blank');
  if (style === undefined || !/\p{L}{2}/u.test(words)) return undefined;
  if (
    style !== 'markdown' &&
    style !== 'boxed' &&
    (noTitle.test(words) || textBelow(lines, index) < (style === 'alone' ? minProseChars : minTextChars))
  )
    return undefined;
  return {
    style,
    hashes: line.hashes,
    heading: {
      kind: 'article',
      line: index,
      scheme: '',
      label: words,
      labelEnd: line.coreStart + line.core.length,
      numbers: [],
      through: 0,
      title: words,
      textStart: line.end,
      strength: 4,
      hasText: false,
    },
  };
}

function styleOf({ hashes, bold }: ContractLine, words: string, isBehindBlank: boolean): Style | undefined {
  if (hashes > 0) return 'markdown';
  if (!isHeadingTitle(words)) return undefined;
  if (bold) return 'bold';
  if (/[A-Z]{4}/.test(words) && !/[a-z]{2}|\d{3}/.test(words)) return 'loud';
  return isBehindBlank && /^[A-Z][a-z]/.test(words) && words.length <= 60 ? 'alone' : undefined;
}

/** Returns the length of the next line with words, skipping blank lines. */
function textBelow(lines: readonly ContractLine[], index: number): number {
  for (let i = index + 1; i < Math.min(lines.length, index + 4); i++) {
    const line = lines[i];
    if (line?.kind === 'text') return line.end - line.start;
  }
  return 0;
}
