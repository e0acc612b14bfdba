import type { StatedFact } from './stated-facts.ts';

/** How many bytes of UTF-8 are carried, a line break for each fact included. */
const maxFactBytes = 1024;

/** Facts, oldest first: what was stated again, or otherwise, counts as new, and the oldest go when there are too many. */
export function carryFacts(earlier: readonly StatedFact[], later: readonly StatedFact[]): readonly StatedFact[] {
  const byKey = new Map<string, StatedFact>();
  for (const fact of [...earlier, ...later]) {
    byKey.delete(fact.key);
    byKey.set(fact.key, fact);
  }
  const kept: StatedFact[] = [];
  let bytes = 0;
  for (const fact of [...byKey.values()].reverse()) {
    bytes += factBytes(fact);
    if (bytes > maxFactBytes) break;
    kept.push(fact);
  }
  return kept.reverse();
}

const encoder = new TextEncoder();
const factBytes = ({ text }: StatedFact): number => encoder.encode(text).length + 1;
