import type { OutlineMarker, OutlineScheme } from './outline-markers.ts';

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
export function outlineChain(markers: readonly OutlineMarker[], scheme: OutlineScheme): readonly OutlineMarker[] {
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
