import type { ContractLine } from './contract-lines.ts';
import type { Heading } from './heading.ts';
import { listItems } from './list-items.ts';
import { type OutlineMarker, type OutlineScheme, outlineMarkers } from './outline-markers.ts';

/** A heading of an outline, by its position in the text. It may begin in the middle of a line. */
export type PlacedHeading = Omit<Heading, 'line'> & { readonly start: number };

/** Weight of a sequence by scheme. A word is stronger evidence than a number, and numbers with two levels are mostly paragraphs. */
const trust: Readonly<Record<OutlineScheme, number>> = {
  article: 1.5,
  section: 1.5,
  subsection: 1.2,
  조: 1.5,
  number: 1,
  roman: 0.8,
  decimal: 0.4,
  letter: 0.5,
};
const schemes: readonly OutlineScheme[] = ['article', 'section', 'subsection', '조', 'number', 'roman', 'letter', 'decimal'];
/** If at least this share of the first numbers (of 1.1 to 9.4) have their own headings, those headings are the articles. */
const minAbove = 0.6;
/** If more of the headings are empty, the text after them is not theirs. */
const maxEmpty = 0.3;
const above: readonly OutlineScheme[] = ['article', 'section', 'number', 'roman'];
/** Two headings suffice if each has its own line or title. */
const minPairWeight = 2;

/**
 * Returns the headings of a text with useless line breaks. For each numbering scheme it finds the consecutive numbers anywhere in the text,
 * then takes the scheme with the most weight. Empty if there is none.
 */
export function outlineHeadings(folded: string, lines: readonly ContractLine[], korean: boolean): readonly PlacedHeading[] {
  const markers = outlineMarkers(folded, furnitureTest(lines));
  const chains = new Map(schemes.map((scheme) => [scheme, outlineChain(markers, scheme)]));
  const worth = (scheme: OutlineScheme): number => {
    const chain = chains.get(scheme) ?? [];
    const isEnough = chain.length >= 3 || (chain.length === 2 && chain.every(({ weight }) => weight >= minPairWeight));
    if (emptyShare(chain, folded) > maxEmpty) return 0;
    return isEnough ? trust[scheme] * chain.reduce((sum, { weight }) => sum + weight, 0) : 0;
  };
  const firstNumbers = new Set(chains.get('decimal')?.map(({ numbers }) => numbers[0]));
  const isAbove = above.some((scheme) => (chains.get(scheme)?.length ?? 0) >= Math.max(3, firstNumbers.size * minAbove));
  const candidates = schemes.filter((scheme) => scheme !== 'decimal' || !isAbove);
  const [best] = candidates.sort((a, b) => worth(b) - worth(a));
  if (best === undefined || worth(best) === 0) return [];
  const both = (best === 'article' || best === 'subsection') && worth('article') > 0 && worth('subsection') > 0;
  const chosen = both ? nested(chains.get('article') ?? [], chains.get('subsection') ?? []) : (chains.get(best) ?? []);
  return chosen
    .toSorted((a, b) => a.start - b.start)
    .map((marker) => headingOf(marker, folded.slice(marker.start, marker.labelEnd), korean));
}

/** Combines `Article 4` with its `Section 4.02`. Drops an article if its own sections do not follow it. */
function nested(articles: readonly OutlineMarker[], sections: readonly OutlineMarker[]): readonly OutlineMarker[] {
  const isAbove = ({ start, numbers: [number] }: OutlineMarker): boolean => {
    const next = sections.find((section) => section.start > start);
    return next === undefined || next.numbers[0] === number || !sections.some((section) => section.numbers[0] === number);
  };
  return [...articles.filter(isAbove), ...sections];
}

/** Returns the share of headings without title and text: a PDF may separate numbers from their text. */
function emptyShare(chain: readonly OutlineMarker[], folded: string): number {
  const empty = chain.filter(({ title, textStart }, i) => title === '' && !/\p{L}{3}/u.test(folded.slice(textStart, chain[i + 1]?.start)));
  return empty.length / Math.max(1, chain.length);
}

function headingOf(
  { scheme, numbers, start, labelEnd, title, textStart, hasText }: OutlineMarker,
  written: string,
  korean: boolean,
): PlacedHeading {
  const number = scheme === 'subsection' || scheme === 'decimal' ? (/\d+\.\d+/.exec(written)?.[0] ?? '') : numbers.join('.');
  const names: Readonly<Record<OutlineScheme, readonly [Heading['scheme'], string]>> = {
    article: /clause/i.test(written) ? ['Clause', `Clause ${number}`] : ['Article', `Article ${number}`],
    section: ['Section', `Section ${number}`],
    subsection: ['Section', `Section ${number}`],
    decimal: ['Section', `Section ${number}`],
    조: ['조', `제${number}조`],
    number: ['number', korean ? number : `Article ${number}`],
    letter: ['number', written.replace(/[^A-Z가-하]/g, '')],
    roman: ['number', korean ? written.replace(/[^IVXⅠ-Ⅻ]/g, '') : `Article ${number}`],
  };
  const [name, label] = names[scheme];
  return {
    kind: 'article',
    scheme: name,
    label,
    labelEnd,
    numbers,
    through: numbers[0] ?? 0,
    title,
    textStart,
    strength: 4,
    hasText,
    start,
  };
}

/** Returns a test for positions in a page number, a header, a table of contents, or a list item. */
function furnitureTest(lines: readonly ContractLine[]): (at: number) => boolean {
  const items = listItems(lines);
  return (at) => {
    let [low, high] = [0, lines.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((lines[middle]?.start ?? 0) <= at) low = middle;
      else high = middle - 1;
    }
    const kind = lines[low]?.kind;
    return kind === 'page' || kind === 'contents' || kind === 'matter' || items.has(low);
  };
}

/** Cost of a missing number; less than the weight of a heading on its own line. */
const missingCost = 1.5;
const maxMissing = 3;
/** Cost of a heading without text, such as an entry of a table of contents. */
const emptyCost = 2;

interface Link {
  readonly marker: OutlineMarker;
  readonly before: Link | undefined;
  readonly total: number;
  readonly length: number;
}

/** Returns the sequence of markers of a scheme with the highest total weight, one marker per number. */
function outlineChain(markers: readonly OutlineMarker[], scheme: OutlineScheme): readonly OutlineMarker[] {
  const own = markers.filter((marker) => marker.scheme === scheme);
  const best = new Map<string, Link>();
  let end: Link | undefined;
  own.forEach((marker, i) => {
    const next = own[i + 1];
    const isEmpty = !marker.hasText && next !== undefined && next.start - marker.textStart < 3;
    const worth = marker.weight - (isEmpty ? emptyCost : 0);
    const key = marker.numbers.join('.');
    for (const [before, missing] of previousOf(marker.numbers)) {
      const link = before === '' ? undefined : best.get(before);
      if (before !== '' && !link) continue;
      const total = (link?.total ?? 0) + worth - missing * missingCost;
      if (total <= (best.get(key)?.total ?? 0)) continue;
      best.set(key, { marker, before: link, total, length: (link?.length ?? 0) + 1 });
    }
    const reached = best.get(key);
    if (reached && reached.total > (end?.total ?? 0)) end = reached;
  });
  const chain: OutlineMarker[] = [];
  for (let link = end; link; link = link.before) chain.unshift(link.marker);
  return chain;
}

/** Returns the possible previous numbers, each with its count of missing numbers. `''` is the beginning. */
function previousOf(numbers: readonly number[]): readonly (readonly [string, number])[] {
  const [first = 0, second] = numbers;
  const found: [string, number][] = [];
  if (second === undefined) {
    for (let skip = 0; skip <= maxMissing && first - 1 - skip > 0; skip++) found.push([String(first - 1 - skip), skip]);
    if (first - 1 <= maxMissing) found.push(['', first - 1]);
    return found;
  }
  for (let skip = 0; skip <= maxMissing && second - 1 - skip > 0; skip++) found.push([`${first}.${second - 1 - skip}`, skip]);
  if (second === 1) {
    for (let last = 1; last <= 40; last++) found.push([`${first - 1}.${last}`, 0], [`${first - 2}.${last}`, 1]);
    if (first <= 2) found.push(['', first - 1]);
  }
  return found;
}
