import type { MachineContext } from 'xstate';
import type { Constants, NamedGuard } from './guard-texts.ts';
import { combinations, valuesFor } from './propose-values.ts';
import { addReads, emptyReads, type ReadTree, recording } from './read-tree.ts';

/** So many combinations of values are tried, spread over all of them, to learn what a guard reads behind its first conditions. */
const maxTries = 48;
const maxRounds = 4;

/** What a guard reads of a state, behind its conditions too. */
export function readsOfGuard({ passes }: NamedGuard, samples: readonly MachineContext[], constants: Constants): ReadTree {
  const reads = emptyReads();
  for (const sample of samples) noteReads(passes, sample, reads);
  for (let round = 0; round < maxRounds; round++) {
    const found = emptyReads();
    for (const sample of samples) {
      const members = [...reads.members].map(([key, inside]) => [key, valuesFor(inside, sample[key], constants)] as const);
      const { combined } = combinations(members, 2_000);
      const step = Math.max(1, Math.floor(combined.length / maxTries));
      for (let at = 0; at < combined.length; at += step) noteReads(passes, { ...sample, ...combined[at] }, found);
    }
    if (!addReads(reads, found)) break;
  }
  return reads;
}

/** Notes what a function reads of a state, and what it would read if nothing in it were empty. */
function noteReads(look: (state: MachineContext) => unknown, state: MachineContext, reads: ReadTree): void {
  for (const fill of [false, true]) {
    try {
      look(recording(state, reads, fill));
    } catch {
      // what it read before it threw is noted
    }
  }
}
