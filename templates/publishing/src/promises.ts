import { always, type ExploreOptions, type Invariant, neverLoses, onlyAfter } from 'agent-machines/testing';
import type { Draft } from './workflow.ts';

export { publishing } from './workflow.ts';

/** Promises of every run, for the test and for `agent-machines verify`. */
export const invariants: readonly Invariant<Draft>[] = [
  onlyAfter('nothing is published before a human approves it', 'publish', { from: 'review', on: 'APPROVE' }),
  onlyAfter('a run is only published after its text was', 'published', { from: 'publish', on: 'done' }),
  always('every text is reviewed', ({ took, isIn }) => !took('write', 'done') || isIn('review')),
  always('an approved text is published', ({ took, isIn }) => !took('review', 'APPROVE') || isIn('publish')),
  always(
    'a revision is written with its remark',
    ({ took, isIn, state }) => !took('review', 'REVISE') || (isIn('write') && state.remarks.length > 0),
  ),
  always('a published text ends the run', ({ took, isIn }) => !took('publish', 'done') || isIn('published')),
  always('a run fails exactly when a node fails', ({ isIn, edges }) => isIn('failed') === edges.some(({ on }) => on === 'error')),
  neverLoses('no remark is lost', ['remarks']),
];

/** What `agent-machines verify` explores: an input, and examples of what a human may answer. */
export const exploreOptions: ExploreOptions<{ topic: string }, Draft> = {
  inputs: [{ topic: 'otters' }],
  outcomes: { review: [{ event: { type: 'APPROVE' } }, { event: { type: 'REVISE', remark: 'shorter' } }] },
};
