import type { ContractPart } from '../contract-document.ts';
import type { ContractLine } from './contract-lines.ts';
import type { Heading } from './heading.ts';
import { type HeadingContext, headingContextOf } from './heading-context.ts';
import { withoutContents } from './table-of-contents.ts';

/** A confirmed heading, with the part that contains it. */
export interface SelectedHeading extends Heading {
  readonly part: ContractPart;
}

/** Longest jump in numbers that the looks of a heading alone justify. */
const maxJump = 3;
const maxGap = 50;

interface Sequence {
  numbers: readonly number[];
}

/** The range between two headings of addenda or exhibits. Numbers are compared only within it. */
interface Region {
  readonly hashes: boolean;
  /** Greatest strength of each label. */
  readonly strongest: ReadonlyMap<string, number>;
  /** Last index of each number among likely headings. */
  readonly lastOf: ReadonlyMap<string, number>;
}

/** Selects the real headings among the candidates, by their looks and by the next expected number. */
export function selectHeadings(all: readonly Heading[], lines: readonly ContractLine[], folded: string): readonly SelectedHeading[] {
  const candidates = withoutContents(all, lines);
  const regions = regionsOf(candidates);
  const selected: SelectedHeading[] = [];
  const usedLines = new Set<number>();
  const isHeading = (line: number): boolean => usedLines.has(line);
  let part: ContractPart = 'body';
  const body = new Map<string, Sequence>();
  let own = new Map<string, Sequence>();
  let bodyCount = 0;
  let hasArticles = false; // a law's addenda may come alone, and several in a row
  let skipped: Heading[] = [];
  const take = (heading: Heading, where: ContractPart): void => {
    selected.push({ ...heading, part: where });
    usedLines.add(heading.line);
    // the title of the heading
    if ((lines[heading.line + 1]?.end ?? Number.POSITIVE_INFINITY) <= heading.textStart) usedLines.add(heading.line + 1);
    part = where;
  };
  candidates.forEach((heading, i) => {
    const around = headingContextOf(lines, folded, heading.line, isHeading);
    if (heading.kind !== 'article') {
      if (around.unfinished && heading.strength < (heading.kind === 'addenda' ? 3 : 4)) return;
      if (heading.kind === 'chapter') {
        if (part === 'body') take(heading, part);
        else skipped.push(heading);
      } else if (bodyCount > 0 || (heading.kind === 'addenda' && (!hasArticles || part === 'addenda'))) {
        own = new Map();
        skipped = [];
        take(heading, heading.kind);
      }
      return;
    }
    hasArticles = true;
    const region = regions[i] ?? noRegion;
    const candidate: HeadingCandidate = { heading, around, region, next: candidates[i + 1], index: i };
    if (part === 'exhibit' && continuesBody(heading, body, own) && !around.unfinished) {
      for (const chapter of skipped) take(chapter, 'body');
      skipped = [];
      part = 'body';
    }
    const sequences = part === 'body' ? body : own;
    const before = sequences.get(heading.scheme)?.numbers ?? [0];
    const follows = isNext(before, heading.numbers);
    const accepted = part === 'body' ? isInBody(candidate, before, follows) : isInPart(candidate, before, follows, part);
    if (!accepted) return;
    sequences.set(heading.scheme, { numbers: heading.through > (heading.numbers[0] ?? 0) ? [heading.through] : heading.numbers });
    if (part === 'body') bodyCount++;
    take(heading, part);
  });
  return selected;
}

interface HeadingCandidate {
  readonly heading: Heading;
  readonly around: HeadingContext;
  readonly region: Region;
  readonly next: Heading | undefined;
  readonly index: number;
}

function isInBody({ heading, around, region, next, index }: HeadingCandidate, before: readonly number[], follows: boolean): boolean {
  const { strength, label, numbers } = heading;
  const [number = 0] = numbers;
  const [last = 0] = before;
  if (strength >= 4) return true;
  const strongest = region.strongest.get(label) ?? 0;
  const isFree = strongest <= strength;
  if (region.hashes) return follows && isFree && strength >= 3 && !around.unfinished && !around.quoted;
  const starts = last === 0 && before.length === 1;
  if (strength === 3) {
    if (follows) return !around.unfinished || heading.scheme === '조';
    if (around.unfinished || around.quoted) return false;
    const returns = next?.kind === 'article' && next.strength >= 3 && isNext(before, next.numbers);
    return starts || number <= last + maxJump || !returns;
  }
  if (around.unfinished || around.quoted || !isFree) return false;
  if (follows) return true;
  const skips = number > last && number <= last + (strength === 2 ? maxGap : maxJump) && !hasLaterNumber(region, heading, last, index);
  if (strength === 2) return skips || (number <= last && strongest === 2 && heading.title !== '');
  return skips && last > 0;
}

function isInPart(
  { heading, around, region, index }: HeadingCandidate,
  before: readonly number[],
  follows: boolean,
  part: ContractPart,
): boolean {
  const { strength, label, numbers } = heading;
  const [number = 0] = numbers;
  const [last = 0] = before;
  if (strength >= 4) return true;
  if (around.unfinished || (region.strongest.get(label) ?? 0) > strength) return false;
  if (part === 'exhibit') return number === 1 ? follows && strength >= 2 : last > 0 && follows;
  if (follows) return numbers.length === 1 || !around.quoted;
  if (around.quoted || strength < 2 || numbers.length > 1) return false;
  if (number === 1) return strength >= 3;
  return number > last && number <= last + maxGap && !hasLaterNumber(region, heading, last, index);
}

/** True if a missing number comes later: then this number is early, and only a citation. */
function hasLaterNumber({ lastOf }: Region, { scheme, numbers }: Heading, last: number, index: number): boolean {
  for (let number = last + 1; number < (numbers[0] ?? 0); number++) {
    if ((lastOf.get(`${scheme} ${number}`) ?? -1) > index) return true;
  }
  return false;
}

/** True for `제6조` or `제5조의2` after `제5조`, and for `제5조의3` after `제5조의2`. Nothing, or 0, comes before 1. */
function isNext(before: readonly number[], numbers: readonly number[]): boolean {
  const [last = 0] = before;
  const [number = 0] = numbers;
  if (numbers.length === 1 && number === last + 1) return true;
  if (last === 0 && before.length === 1 && number === 0) return true;
  if (numbers.length === 2 && number === last + 1 && (numbers[1] ?? 0) <= 1) return true; // Section 2.1 after 1.4
  if (number !== last || numbers.length < 2) return false;
  const i = numbers.findIndex((value, at) => value !== before[at]);
  return i > 0 && (numbers[i] ?? 0) > (before[i] ?? 0) && (numbers[i] ?? 0) <= (before[i] ?? 1) + maxJump;
}

const continuesBody = (
  { strength, scheme, numbers }: Heading,
  body: ReadonlyMap<string, Sequence>,
  own: ReadonlyMap<string, Sequence>,
): boolean => strength >= 2 && numbers[0] !== 1 && !own.has(scheme) && isNext(body.get(scheme)?.numbers ?? [0], numbers);

const noRegion: Region = { hashes: false, strongest: new Map(), lastOf: new Map() };

function regionsOf(headings: readonly Heading[]): readonly Region[] {
  const regions: Region[] = [];
  for (let from = 0; from < headings.length; ) {
    let to = from + 1;
    while (to < headings.length && !(headings[to]?.kind === 'addenda' || headings[to]?.kind === 'exhibit')) to++;
    const region = regionOf(headings, from, to);
    for (; from < to; from++) regions.push(region);
  }
  return regions;
}

function regionOf(headings: readonly Heading[], from: number, to: number): Region {
  const strongest = new Map<string, number>();
  const lastOf = new Map<string, number>();
  let hashes = 0;
  let others = 0;
  for (let i = from; i < to; i++) {
    const heading = headings[i];
    if (heading?.kind !== 'article') continue;
    const { label, strength, scheme, numbers } = heading;
    strongest.set(label, Math.max(strength, strongest.get(label) ?? 0));
    if (strength >= 2 && numbers.length === 1) lastOf.set(`${scheme} ${numbers[0]}`, i);
    if (strength >= 4) hashes++;
    else if (strength === 3) others++;
  }
  return { hashes: hashes > 0 && hashes >= others, strongest, lastOf };
}
