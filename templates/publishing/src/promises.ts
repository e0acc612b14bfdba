import { never, until } from 'agent-machines/testing';

export { publishing } from './workflow.ts';

/** Promises of every run, for the test and for `agent-machines verify`. */
export const invariants = [
  until(
    'nothing is published before a human approves it',
    ({ isIn }) => !isIn('publish'),
    ({ took }) => took('review', 'APPROVE'),
  ),
  until(
    'a run is only published after its text was',
    ({ isIn }) => !isIn('published'),
    ({ took }) => took('publish', 'done'),
  ),
  never('a run continues after an error', ({ took, isIn }) => (took('write', 'error') || took('publish', 'error')) && !isIn('failed')),
];

/** What `agent-machines verify` explores: an input, and examples of what a human may answer. */
export const exploreOptions = {
  inputs: [{ topic: 'otters' }],
  outcomes: { review: [{ event: { type: 'APPROVE' } }, { event: { type: 'REVISE', remark: 'shorter' } }] },
};
