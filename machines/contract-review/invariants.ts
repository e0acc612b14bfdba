import type { ContractReview, ProposedFinding } from 'agent-machines/contracts';
import { always, callsWithin, canReach, type ExploreOptions, eventually, type Invariant, never, onlyAfter } from 'agent-machines/testing';
import type { ContractReviewInput } from './contract-review.ts';
import type { ContractReviewState } from './state.ts';

const review: ContractReview = {
  document: 'contract.md',
  title: 'Contract',
  language: 'en',
  type: 'other',
  typeTitle: '',
  parties: [],
  term: {},
  money: [],
  deadlines: [],
  duties: [],
  findings: [],
  absent: [],
  notes: [],
};

const proposal: ProposedFinding = { title: 't', quote: 'a quote of the contract', reason: 'r' };

/** Options of the exploration. */
export const exploreOptions: ExploreOptions<ContractReviewInput, ContractReviewState> = {
  inputs: [{ contract: { name: 'contract.md', text: '' } }],
  outcomes: {
    apply_rules: [{ name: 'a review', patch: { review } }],
    ask_model: [
      { name: 'no finding', patch: { proposed: [] } },
      { name: 'two findings', patch: { proposed: [proposal, proposal] } },
    ],
    check_findings: ({ proposed }) =>
      proposed
        .map((_, dropped) => ({ name: `${dropped} dropped`, patch: { review, added: proposed.length - dropped, dropped } }))
        .concat([{ name: 'all dropped', patch: { review, added: 0, dropped: proposed.length } }]),
  },
  abstract: ({ hasModel, review, proposed, added, dropped, error }) => [
    hasModel,
    review !== null,
    proposed.length,
    added,
    dropped,
    error !== null,
  ],
};

const modelCalls = { per: 'model', calls: { apply_rules: 0, ask_model: 1, check_findings: 0 } } as const;

/** Promises of the machine with a model. Without one, `ask_model` is never reached: see `invariantsWithoutModel`. */
export const invariants: readonly Invariant<ContractReviewState>[] = [
  onlyAfter('the model is asked only after the rules', 'ask_model', { from: 'apply_rules', on: 'done' }),
  never('no model is asked if there is none', ({ isIn, state }) => isIn('ask_model') && !state.hasModel),
  onlyAfter('findings are checked only after the model has given them', 'check_findings', { from: 'ask_model', on: 'done' }),
  never(
    'no finding of a model reaches the end unchecked',
    ({ isIn, state }) => isIn('done') && state.proposed.length !== state.added + state.dropped,
  ),
  always('with a model the review ends after the check', ({ isIn, by }) => !isIn('done') || by === 'check_findings' || by === undefined),
  always(
    'a finished review exists and has no error',
    ({ isIn, state }) => !isIn('done') || (state.review !== null && state.error === null),
  ),
  always('a node that throws stops the review', ({ where, state }) => (state.error !== null) === (where === 'stopped')),
  never(
    'a failure of the model loses the review by rules',
    ({ isIn, by, state }) => isIn('stopped') && by !== 'apply_rules' && by !== undefined && state.review === null,
  ),
  callsWithin('a review takes one model call', { ...modelCalls, to: 'done', min: 1, max: 1 }),
  eventually('every review ends', ({ done }) => done),
  canReach(
    'a contract can be reviewed',
    ({ isIn }) => isIn('done'),
    ({ isIn }) => isIn('apply_rules'),
  ),
];

/** Promises of the machine without a model. */
export const invariantsWithoutModel: readonly Invariant<ContractReviewState>[] = [
  onlyAfter('a review ends only after the rules', 'done', { from: 'apply_rules', on: 'done' }),
  always(
    'a finished review exists and has no error',
    ({ isIn, state }) => !isIn('done') || (state.review !== null && state.error === null),
  ),
  callsWithin('no model is asked, and nothing of one is checked', {
    per: 'model',
    calls: { apply_rules: 0, ask_model: 1, check_findings: 1 },
    to: 'done',
    min: 0,
    max: 0,
  }),
  eventually('every review ends', ({ done }) => done),
];
