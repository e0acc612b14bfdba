import type { MachineContext } from 'xstate';
import type { Constants, NamedGuard } from './guard-texts.ts';
import { combinations, valuesFor } from './propose-values.ts';
import { addReads, emptyReads, type ReadTree, recording } from './read-tree.ts';

/** Number of value combinations, evenly sampled, to find the values that a guard reads behind its first conditions. */
const maxTries = 48;
const maxRounds = 4;

/** Returns the values that a guard reads from a state, including those behind its conditions. */
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

/** Records the values that a function reads, and those that it would read if empty values were filled. */
function noteReads(look: (state: MachineContext) => unknown, state: MachineContext, reads: ReadTree): void {
  for (const fill of [false, true]) {
    try {
      look(recording(state, reads, fill));
    } catch {
      // values read before the error are recorded
    }
  }
}
