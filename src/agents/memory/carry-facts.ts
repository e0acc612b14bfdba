import type { StatedFact } from './stated-facts.ts';

/** Maximum size of all facts in UTF-8 bytes, including a line break for each fact. */
const maxFactBytes = 1024;

/** Merges facts, oldest first. A fact stated again counts as new, also with another value. The oldest are evicted beyond the limit. */
export function carryFacts(earlier: readonly StatedFact[], later: readonly StatedFact[]): readonly StatedFact[] {
  const byKey = new Map<string, StatedFact>();
  for (const fact of [...earlier, ...later]) {
    byKey.delete(fact.key);
    byKey.set(fact.key, fact);
  }
  const newest: StatedFact[] = [];
  let bytes = 0;
  for (const fact of [...byKey.values()].reverse()) {
    bytes += factBytes(fact);
    if (bytes > maxFactBytes) break;
    newest.push(fact);
  }
  return newest.reverse();
}

const encoder = new TextEncoder();
const factBytes = ({ text }: StatedFact): number => encoder.encode(text).length + 1;
