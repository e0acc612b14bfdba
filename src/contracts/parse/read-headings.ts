import { type ContractLine, contractLines } from './contract-lines.ts';
import { englishHeading, loudExhibit, numberedHeading } from './english-heading.ts';
import type { Heading, HeadingSource } from './heading.ts';
import { koreanHeading } from './korean-heading.ts';
import { listItems } from './list-items.ts';
import { outlineHeadings, type PlacedHeading } from './outline-headings.ts';
import { partHeading } from './part-heading.ts';
import { type SelectedHeading, selectHeadings } from './select-headings.ts';
import { titledHeadings } from './titled-headings.ts';

/** The lines of a text, and its headings. */
export interface ReadHeadings {
  readonly lines: readonly ContractLine[];
  readonly headings: readonly SelectedHeading[];
}

const minNumbered = 3;
/** If the articles hold less than this share of the text, most headings were missed. */
const minCovered = 0.6;
/** An article with more than this share of the text contains others. */
const maxHeld = 0.4;
const moreHeadings = 1.4;

/**
 * Finds the headings of a text, in the style of most of its articles. It first looks for lines that look like headings. If there are none,
 * or they leave out most of the text, it looks for consecutive numbers anywhere.
 */
export function readHeadings(original: string, folded: string, korean: boolean): ReadHeadings {
  const lines = contractLines(folded);
  const byLine = headingsByLine(original, folded, lines, korean);
  if (!mayBeIncomplete(byLine, lines, folded.length)) return { lines, headings: byLine };
  const outline = outlineHeadings(folded, lines, korean);
  const count = byLine.filter(isArticle).length;
  const labels = new Set(outline.map(({ label }) => label));
  const hasAll = byLine.every((heading) => !isArticle(heading) || heading.part !== 'body' || labels.has(heading.label));
  const isFiner = count > 0 && outline.some(({ numbers, start }) => numbers.length > 1 && /^\s*\d/.test(folded.slice(start, start + 40)));
  const isMarked = byLine.every((heading) => !isArticle(heading) || heading.strength === 4); // headings marked in Markdown by the author
  const isBetter = hasAll ? outline.length >= count + (isMarked ? 1 : 0) : outline.length > count * moreHeadings && !isFiner;
  if (outline.length > 0 && isBetter) return placed(original, folded, outline);
  if (count > 0) return { lines, headings: byLine };
  return { lines, headings: selectHeadings(unnumbered(original, lines, byLine), lines, folded) };
}

/** Returns headings without numbers, or chapter headings if nothing else divides the text. Addenda and exhibits stay as found. */
function unnumbered(original: string, lines: readonly ContractLine[], byLine: readonly SelectedHeading[]): readonly Heading[] {
  const titled = titledHeadings(original, lines);
  const chapters = byLine.filter(({ kind }) => kind === 'chapter').map((one): Heading => ({ ...one, kind: 'article', strength: 4 }));
  const articles = titled.length > 0 ? titled : chapters.length > 1 ? chapters : [];
  return [...byLine.filter(({ kind }) => kind !== 'chapter'), ...articles].sort((a, b) => a.line - b.line);
}

function headingsByLine(original: string, folded: string, lines: readonly ContractLine[], isKorean: boolean): readonly SelectedHeading[] {
  const read = readerOf(original, folded, lines);
  const korean = read((source) => koreanHeading(source) ?? partHeading(source));
  const english = read((source) => partHeading(source) ?? englishHeading(source));
  const [best, other] = countOf(korean) >= countOf(english) ? [korean, english] : [english, korean];
  const selected = selectHeadings(withExhibits(best, other), lines, folded);
  if (selected.some(isArticle)) return selected;
  const numbered = read((source) => partHeading(source) ?? englishPart(source) ?? numberedHeading(source, isKorean));
  const byNumber = selectHeadings(numbered, lines, folded);
  return byNumber.filter(isArticle).length >= minNumbered ? byNumber : selected;
}

type Reader = (source: HeadingSource) => Heading | undefined;

function readerOf(original: string, folded: string, lines: readonly ContractLine[]): (reader: Reader) => Heading[] {
  const items = listItems(lines);
  return (reader) =>
    lines.flatMap((line, index) => {
      const heading = line.kind === 'text' && !items.has(index) ? reader({ original, folded, line, index }) : undefined;
      return heading === undefined || isCited(heading, lines) ? [] : [heading];
    });
}

/** True if the sentence continues below an exhibit's label: the label ends the line by chance. */
const isCited = ({ kind, line, strength }: Heading, lines: readonly ContractLine[]): boolean =>
  (kind === 'exhibit' || kind === 'addenda') &&
  strength < 4 &&
  /^[a-z]/.test(lines.slice(line + 1, line + 5).find((below) => below.kind === 'text')?.core ?? '');

/** True if headings may be missing: there are none, numbers are missing, or much of the text is outside the articles or in one. */
function mayBeIncomplete(headings: readonly SelectedHeading[], lines: readonly ContractLine[], length: number): boolean {
  const body = headings.filter((heading) => isArticle(heading) && heading.part === 'body');
  if (body.length === 0) return true;
  if (body.some(({ scheme }) => scheme === '조')) return false;
  const starts = [...headings, undefined].map((heading) => (heading ? (lines[heading.line]?.start ?? 0) : length));
  const held = headings.map((heading, i) => (isArticle(heading) ? (starts[i + 1] ?? length) - (starts[i] ?? 0) : 0));
  const covered = held.reduce((sum, one) => sum + one, 0);
  const numbers = new Set(body.map(({ numbers: [number = 0] }) => number));
  if (Math.max(...numbers) > numbers.size) return true;
  return covered < length * minCovered || Math.max(...held) > length * maxHeld;
}

/** Places each heading of an outline at the start of a line, cutting lines where needed. Exhibits after them are read as usual. */
function placed(original: string, folded: string, outline: readonly PlacedHeading[]): ReadHeadings {
  const lines = contractLines(
    folded,
    outline.map(({ start }) => start),
  );
  const at = new Map(lines.map(({ start }, index) => [start, index]));
  const articles = outline.map(({ start, ...heading }): Heading => ({ ...heading, line: at.get(start) ?? 0 }));
  const usedLines = new Set(articles.map(({ line }) => line));
  const first = articles[0]?.line ?? 0;
  const parts = readerOf(original, folded, lines)((source) => partHeading(source) ?? englishPart(source) ?? loudExhibit(source));
  const others = parts.filter(({ kind, line, strength }) => {
    if (usedLines.has(line)) return false;
    return kind === 'chapter' || (line > first && strength >= 3);
  });
  const once = others.filter(({ kind, label }, i) => kind === 'chapter' || others[i - 1]?.label !== label); // the others are page headers
  const all = [...articles, ...once].sort((a, b) => a.line - b.line);
  return { lines, headings: selectHeadings(all, lines, folded) };
}

const englishPart: Reader = (source) => {
  const heading = englishHeading(source);
  return heading?.kind === 'article' ? undefined : heading;
};

const isArticle = ({ kind }: Heading): boolean => kind === 'article';

/** Score of a style. Markdown headings count 3 times, because their author marked them. */
const countOf = (headings: readonly Heading[]): number =>
  headings.reduce((sum, { kind, strength }) => sum + (kind !== 'article' || strength < 2 ? 0 : strength === 4 ? 3 : 1), 0);

/** Adds the exhibits of the other style, because a Korean contract may have an `Exhibit A`. */
function withExhibits(best: readonly Heading[], other: readonly Heading[]): readonly Heading[] {
  const usedLines = new Set(best.map(({ line }) => line));
  const more = other.filter(({ kind, line, strength }) => kind === 'exhibit' && strength >= 3 && !usedLines.has(line));
  return more.length === 0 ? best : [...best, ...more].sort((a, b) => a.line - b.line);
}
