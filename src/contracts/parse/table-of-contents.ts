import type { ContractLine } from './contract-lines.ts';
import type { Heading } from './heading.ts';

const minEntries = 3;
const tries = 3;
/** Minimum share of entries that recur below: an entry's spelling may differ, or its article may be gone. */
const minComeAgain = 0.8;

/**
 * Removes headings that are only listed: the entries of a table of contents, and of a list of attached exhibits. The entries of a table of
 * contents are at the top, have no text, and recur below.
 */
export function withoutContents(headings: readonly Heading[], lines: readonly ContractLine[]): readonly Heading[] {
  const texts = textCounts(lines);
  const isEmpty = (i: number): boolean => {
    const heading = headings[i];
    const next = headings[i + 1];
    if (heading === undefined || heading.hasText) return false;
    const below = heading.line + ((lines[heading.line + 1]?.end ?? Number.POSITIVE_INFINITY) <= heading.textStart ? 2 : 1);
    return (texts[next?.line ?? lines.length] ?? 0) <= (texts[below] ?? 0);
  };
  const [from, to] = contentsOf(headings, isEmpty);
  const later = new Map<string, number>();
  headings.forEach((heading, i) => {
    if (heading.kind === 'exhibit' && !isEmpty(i)) later.set(heading.label, i);
  });
  return headings.filter((heading, i) => {
    if (i >= from && i < to) return false;
    return heading.kind !== 'exhibit' || !isEmpty(i) || (later.get(heading.label) ?? -1) < i;
  });
}

/** Returns the number of lines with words before each line. */
function textCounts(lines: readonly ContractLine[]): readonly number[] {
  const counts = [0];
  for (const { kind } of lines) counts.push((counts.at(-1) ?? 0) + (kind === 'text' ? 1 : 0));
  return counts;
}

/** Returns the entries of the table of contents, as a range of headings. Empty if there is none. */
function contentsOf(headings: readonly Heading[], isEmpty: (i: number) => boolean): readonly [number, number] {
  const last = new Map(headings.map((heading, i) => [keyOf(heading), i]));
  for (let first = 0; first < tries; first++) {
    const heading = headings[first];
    if (!heading) break;
    const seen = new Set([keyOf(heading)]);
    let end = first + 1;
    for (; end < headings.length; end++) {
      const next = headings[end];
      if (!next || !isEmpty(end - 1) || keyOf(next) === keyOf(heading)) break;
      seen.add(keyOf(next));
    }
    const again = headings[end];
    const closes = again !== undefined && (keyOf(again) === keyOf(heading) || (last.get(keyOf(heading)) ?? 0) > end);
    const entries = headings.slice(first, end);
    const comeAgain = entries.filter((entry) => (last.get(keyOf(entry)) ?? 0) >= end).length;
    if (closes && seen.size >= minEntries && comeAgain >= entries.length * minComeAgain && !isNest(entries)) return [first, end];
  }
  return [0, 0];
}

const depths = ['편', '장', '절', '관'];

/** True for 편, 장, 절 and 조, each below the one before: the headings of one article. Chapter headings may recur in the next 편. */
function isNest(entries: readonly Heading[]): boolean {
  const depthOf = ({ kind, label }: Heading): number =>
    kind === 'chapter' ? depths.findIndex((one) => label.includes(one)) : kind === 'article' ? depths.length : -1;
  return entries.every((entry, i) => i === 0 || depthOf(entry) > depthOf(entries[i - 1] ?? entry));
}

const keyOf = ({ kind, label, title }: Heading): string => `${kind} ${label} ${kind === 'chapter' ? title.replace(/\s/g, '') : ''}`;
