import {
  always,
  callsWithin,
  canReach,
  type ExploreOptions,
  eventually,
  type Invariant,
  never,
  neverLoses,
  type OutcomeClass,
  onlyAfter,
} from 'agent-machines/testing';
import type { ContractAgentInput } from './contract-agent.ts';
import type { CollectedArticle, ContractAgentState, ContractSide, Decision, PlannedCall } from './state.ts';

type Outcome = OutcomeClass<ContractAgentState>;
type State = Readonly<ContractAgentState>;

// --- outcomes of nodes ---

const call = (id: string, parallel: boolean): PlannedCall => ({ id, name: 'get_article_by_index', args: {}, signature: id, parallel });

const asks = (name: string, ...nextTools: readonly PlannedCall[]): Outcome => ({ name, patch: { nextTools, allToolsSkipped: false } });

const article = (side: ContractSide, id: string): CollectedArticle => ({
  side,
  id,
  label: '',
  title: '',
  deleted: false,
  text: '',
  via: 'get_article_by_index',
});

const found = [article('user', '1'), article('user', '2'), article('standard', '1')];

const lookedUp: readonly Outcome[] = [{ name: 'what was found', patch: { nextTools: [], collectedInfo: found } }];

/** The model or the limit decides; an unreadable evaluation counts as not enough. */
function evaluated({ iterationCount, maxIterations }: State): readonly Outcome[] {
  const iteration = iterationCount + 1;
  const decide = (name: string, action: Decision['action'], by: Decision['by']): Outcome => ({
    name,
    patch: { iterationCount: iteration, decisionLog: [{ iteration, action, by, reasoning: '', missingInfo: null }] },
  });
  if (iteration >= maxIterations) return [decide('the limit', 'finish', 'limit')];
  return [decide('enough', 'finish', 'model'), decide('not enough', 'continue', 'model'), decide('unreadable', 'continue', 'unreadable')];
}

/** Options of the exploration. */
export const exploreOptions: ExploreOptions<ContractAgentInput, ContractAgentState> = {
  inputs: [{ input: '제5조 내용이 뭐야?' }],
  outcomes: {
    scope_validator: [
      { name: 'about the contract', patch: { inScope: true } },
      { name: 'not about the contract', patch: { inScope: false, finalResponse: 'only about the contract' } },
    ],
    check_previous_context: [{ name: 'decided', patch: { needPreviousContext: false } }],
    plan_next_action: [
      asks('no calls'),
      { name: 'calls that cannot be made', patch: { nextTools: [], allToolsSkipped: true } },
      asks('a call', call('a', true)),
      asks('a call that is made alone', call('a', false)),
      asks('two calls', call('a', true), call('b', true)),
      asks('two calls, of which one is made alone', call('a', true), call('b', false)),
      { name: 'a question for each contract', patch: { nextTools: [], allToolsSkipped: false, eachQuestion: 'question' } },
      { name: 'the same beside calls that cannot be made', patch: { nextTools: [], allToolsSkipped: true, eachQuestion: 'question' } },
    ],
    execute_tools: lookedUp,
    execute_tools_parallel: lookedUp,
    evaluate_sufficiency: evaluated,
    generate_response: [{ name: 'an answer', patch: { finalResponse: 'the answer' } }],
    ask_each_contract: [{ name: 'a table', patch: { finalResponse: 'the table' } }],
  },
  abstract: ({
    inScope,
    needPreviousContext,
    nextTools,
    allToolsSkipped,
    eachQuestion,
    iterationCount,
    decisionLog,
    finalResponse,
    error,
  }) => [
    inScope,
    eachQuestion !== null,
    needPreviousContext,
    nextTools.map(({ parallel }) => parallel),
    allToolsSkipped,
    iterationCount,
    decisionLog.at(-1)?.action,
    finalResponse !== null,
    error !== null,
  ],
};

// --- invariants ---

const wantsMore = ({ decisionLog }: State): boolean => decisionLog.at(-1)?.action === 'continue';
/** Calls run in parallel if there are at least two and all of them allow it. */
const areTogether = ({ nextTools }: State): boolean => nextTools.length >= 2 && nextTools.every(({ parallel }) => parallel);

/** Rules may decide before a model is called. An unreadable reply, or an answer with a wrong citation, is requested once more. */
const modelCalls = {
  per: 'model',
  calls: {
    scope_validator: [0, 2],
    check_previous_context: [0, 2],
    plan_next_action: 1,
    execute_tools: 0,
    execute_tools_parallel: 0,
    evaluate_sufficiency: [0, 2],
    generate_response: [1, 2],
    ask_each_contract: [0, 40],
  },
} as const;

/** Invariants of every run, whatever models and tools do. */
export const invariants: readonly Invariant<ContractAgentState>[] = [
  always(
    'a question outside the contract ends the run',
    ({ isIn, by, state }) =>
      isIn('out_of_scope') === (by === 'scope_validator' && state.error === null && !state.inScope) || by === undefined,
  ),
  never(
    'nothing is searched or answered before the question is found to be about the contract',
    ({ isIn, where, state }) => !state.inScope && !isIn('scope_validator') && !isIn('out_of_scope') && where !== 'stopped',
  ),
  onlyAfter('nothing is planned before it is known whether the last turn is needed', 'plan_next_action', {
    from: 'check_previous_context',
    on: 'done',
  }),
  onlyAfter('nothing is answered before it is planned', 'generate_response', { from: 'plan_next_action', on: 'done' }),
  always(
    'a question about the contract is planned',
    ({ isIn, by, state }) => by !== 'check_previous_context' || state.error !== null || isIn('plan_next_action'),
  ),
  never(
    'a question is classified once',
    ({ isIn, by }) =>
      (isIn('scope_validator') && by !== undefined) || (isIn('check_previous_context') && by !== 'scope_validator' && by !== undefined),
  ),

  always(
    'calls run in parallel unless one of them must run alone',
    ({ isIn, by, state }) =>
      isIn('execute_tools_parallel') === (by === 'plan_next_action' && state.error === null && areTogether(state)) || by === undefined,
  ),
  always(
    'all other calls run one after the other',
    ({ isIn, by, state }) =>
      isIn('execute_tools') === (by === 'plan_next_action' && state.error === null && state.nextTools.length > 0 && !areTogether(state)) ||
      by === undefined,
  ),
  never(
    'results are evaluated before the next step',
    ({ isIn, by, state }) =>
      (by === 'execute_tools' || by === 'execute_tools_parallel') && state.error === null && !isIn('evaluate_sufficiency'),
  ),
  always(
    'each contract is asked when that is planned, and only then',
    ({ isIn, by, state }) =>
      isIn('ask_each_contract') === (by === 'plan_next_action' && state.error === null && state.eachQuestion !== null) || by === undefined,
  ),
  always(
    'a table of all contracts is the answer',
    ({ isIn, by, state }) => by !== 'ask_each_contract' || state.error !== null || isIn('done'),
  ),
  always(
    'calls that cannot run are evaluated, not ignored',
    ({ isIn, by, state }) =>
      by !== 'plan_next_action' ||
      state.error !== null ||
      isIn('evaluate_sufficiency') === (state.nextTools.length === 0 && state.allToolsSkipped && state.eachQuestion === null),
  ),
  always(
    'the answer follows when the model calls no tool',
    ({ isIn, by, state }) =>
      by !== 'plan_next_action' ||
      state.error !== null ||
      isIn('generate_response') === (state.nextTools.length === 0 && !state.allToolsSkipped && state.eachQuestion === null),
  ),
  always(
    'the loop continues while the evaluation asks for more, then answers',
    ({ isIn, by, state }) =>
      by !== 'evaluate_sufficiency' || state.error !== null || isIn(wantsMore(state) ? 'plan_next_action' : 'generate_response'),
  ),
  always('iterations stay within their limit', ({ state }) => state.iterationCount <= state.maxIterations),

  always('a node that throws stops the run', ({ isIn, state }) => isIn('stopped') === (state.error !== null)),
  always(
    'a run without an error ends with an answer, or with the reason why there is none',
    ({ done, state }) => !done || state.finalResponse !== null,
  ),
  always(
    'only an answer ends a run as done',
    ({ isIn, by }) => !isIn('done') || by === 'generate_response' || by === 'ask_each_contract' || by === undefined,
  ),
  always('an answer is written once', ({ isIn, by }) => !isIn('generate_response') || by !== 'generate_response'),
  callsWithin('a question outside the contract takes at most 2 model calls', {
    ...modelCalls,
    to: 'out_of_scope',
    max: 2,
  }),
  neverLoses('no tool call, article, finding, exception or decision is lost', [
    'toolHistory',
    'collectedInfo',
    'exploredArticles',
    'findings',
    'exceptions',
    'decisionLog',
  ]),
  eventually('every run ends', ({ done }) => done),
  canReach(
    'a question for each contract can be answered',
    ({ isIn }) => isIn('ask_each_contract'),
    ({ isIn }) => isIn('plan_next_action'),
  ),
  canReach(
    'a question can be answered',
    ({ isIn }) => isIn('done'),
    ({ isIn }) => isIn('scope_validator'),
  ),
];
