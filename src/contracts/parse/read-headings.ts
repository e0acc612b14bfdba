import type { ContractLine } from './contract-lines.ts';
import { englishHeading, numberedHeading } from './english-heading.ts';
import type { Heading, HeadingSource } from './heading.ts';
import { koreanHeading } from './korean-heading.ts';
import { partHeading } from './part-heading.ts';
import { type Selected, selectHeadings } from './select-headings.ts';

const minNumbered = 3;

/** Finds the headings of a text, in the one style that most of its articles have. */
export function readHeadings(original: string, folded: string, lines: readonly ContractLine[], isKorean: boolean): readonly Selected[] {
  const read = (reader: (source: HeadingSource) => Heading | undefined): Heading[] =>
    lines.flatMap((line, index) => (line.kind === 'text' ? (reader({ original, folded, line, index }) ?? []) : []));
  const korean = read((source) => koreanHeading(source) ?? partHeading(source));
  const english = read((source) => partHeading(source) ?? englishHeading(source));
  const [best, other] = countOf(korean) >= countOf(english) ? [korean, english] : [english, korean];
  const selected = selectHeadings(withExhibits(best, other), lines, folded);
  if (selected.some(isArticle)) return selected;
  const numbered = read((source) => partHeading(source) ?? englishPart(source) ?? numberedHeading(source, isKorean));
  const byNumber = selectHeadings(numbered, lines, folded);
  return byNumber.filter(isArticle).length >= minNumbered ? byNumber : selected;
}

const englishPart = (source: HeadingSource): Heading | undefined => {
  const heading = englishHeading(source);
  return heading?.kind === 'article' ? undefined : heading;
};

const isArticle = ({ kind }: Heading): boolean => kind === 'article';

/** How much speaks for a style: headings of Markdown are meant to be seen. */
const countOf = (headings: readonly Heading[]): number =>
  headings.reduce((sum, { kind, strength }) => sum + (kind !== 'article' || strength < 2 ? 0 : strength === 4 ? 3 : 1), 0);

/** A Korean contract may have an `Exhibit A`: exhibits count in every style. */
function withExhibits(best: readonly Heading[], other: readonly Heading[]): readonly Heading[] {
  const taken = new Set(best.map(({ line }) => line));
  const more = other.filter(({ kind, line, strength }) => kind === 'exhibit' && strength >= 3 && !taken.has(line));
  return more.length === 0 ? best : [...best, ...more].sort((a, b) => a.line - b.line);
}
