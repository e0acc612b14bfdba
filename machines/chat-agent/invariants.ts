import type { ModelToolCall } from 'agent-machines';
import { pendingCallsOutcomes, toolReviewOutcomes } from 'agent-machines/executor';
import {
  accepts,
  always,
  callsWithin,
  canReach,
  type ExploreOptions,
  eventually,
  type Invariant,
  never,
  type OutcomeClass,
  until,
} from 'agent-machines/testing';
import type { ChatAgentInput } from './chat-agent.ts';
import type { ChatAgentState } from './state.ts';

type Outcome = OutcomeClass<ChatAgentState>;
type State = Readonly<ChatAgentState>;

// --- outcomes of nodes and humans ---

const call = (id: string): ModelToolCall => ({ id, name: 'calculator', arguments: '{}' });

/** The model answers, or calls tools while rounds are left. After the last round, the node throws if the model does not answer. */
function said({ toolRounds, maxToolRounds }: State): readonly Outcome[] {
  const answer: Outcome = { name: 'an answer', patch: { answer: 'the answer', pendingCalls: [] } };
  if (toolRounds >= maxToolRounds) return [answer, { name: 'calls after the last round', error: 'LIMIT_EXCEEDED' }];
  const calls = (...pendingCalls: readonly ModelToolCall[]): Outcome => ({
    name: pendingCalls.length === 1 ? 'a call' : 'two calls',
    patch: { pendingCalls, toolRounds: toolRounds + 1 },
  });
  return [answer, calls(call('1')), calls(call('1'), call('2'))];
}

/** Options of the exploration. */
export const exploreOptions: ExploreOptions<ChatAgentInput, ChatAgentState> = {
  inputs: [{ input: 'a question' }],
  outcomes: {
    router: [
      { name: 'documents are needed', patch: { route: 'rag' } },
      { name: 'no documents are needed', patch: { route: 'agent' } },
    ],
    rag: [{ name: 'passages', patch: { context: [], sources: ['a.md'], taint: { private: true, untrusted: true } } }],
    memory: [{ name: 'the window is within its bounds', patch: {} }],
    agent: said,
    tools: pendingCallsOutcomes,
    tool_review: toolReviewOutcomes,
  },
  abstract: ({ route, sources, pendingCalls, answers, heldCalls, decisions, toolRounds, answer, error }) => [
    route,
    sources.length,
    pendingCalls.length,
    answers.map((answer) => answer !== null),
    heldCalls.map(({ key }) => key),
    decisions.map((one) => one.held.key),
    toolRounds,
    answer !== null,
    error !== null,
  ],
};

// --- invariants ---

/** An unreadable route is requested once more. */
const modelCalls = { per: 'model', calls: { router: [1, 2], rag: 0, memory: [0, 1], agent: 1, tools: 0 } } as const;

/** Invariants of every run, whatever models, tools and humans do. */
export const invariants: readonly Invariant<ChatAgentState>[] = [
  always(
    'documents are looked up when they are needed, and only then',
    ({ isIn, by, state }) => isIn('rag') === (by === 'router' && state.error === null && state.route === 'rag') || by === undefined,
  ),
  never('a question is routed once', ({ isIn, by }) => isIn('router') && by !== undefined),
  until(
    'a model is asked only once the window is within its bounds',
    ({ isIn }) => !isIn('agent'),
    ({ took }) => took('memory', 'done'),
  ),
  never(
    'passages are not left out of the answer to a question that needs them',
    ({ isIn, state }) => isIn('memory') && state.route === 'rag' && state.sources.length === 0,
  ),
  never('the window is looked at once', ({ isIn, by }) => isIn('memory') && by !== 'router' && by !== 'rag' && by !== undefined),

  never('no tool is called that no model has asked for', ({ isIn, state }) => isIn('tools') && state.pendingCalls.length === 0),
  never('no tool is called while a call waits for a human', ({ isIn, state }) => isIn('tools') && state.heldCalls.length > 0),
  always(
    'a human is asked about each call that waits',
    ({ isIn, state }) => isIn('tool_review') === (state.heldCalls.length > 0 && state.error === null),
  ),
  never(
    'what a human has decided is carried out at once',
    ({ isIn, by, state }) => by === 'tool_review' && state.heldCalls.length === 0 && !isIn('tools'),
  ),
  never('each call is answered before the model goes on', ({ isIn, state }) => isIn('agent') && state.pendingCalls.length > 0),
  never('no call is dropped', ({ isIn, state }) => isIn('done') && state.pendingCalls.length > 0),
  always('there are no more rounds of tools than allowed', ({ state }) => state.toolRounds <= state.maxToolRounds),
  never('a model that has answered is not asked again', ({ isIn, state }) => isIn('agent') && state.answer !== null),

  always('a node that throws stops the run', ({ isIn, state }) => isIn('stopped') === (state.error !== null)),
  always(
    'a run that is done has its answer',
    ({ isIn, by, state }) => !isIn('done') || (state.answer !== null && (by === 'agent' || by === undefined)),
  ),
  accepts('a human may approve, edit or reject a call', 'tool_review', ['APPROVE', 'EDIT', 'REJECT']),
  callsWithin(
    'an answer without tools takes two calls of a model, one more for a summary, and one for a route that has to be asked for again',
    {
      ...modelCalls,
      to: 'done',
      visits: { tools: 0 },
      min: 2,
      max: 4,
    },
  ),
  eventually('every run ends', ({ done }) => done),
  canReach(
    'a question is answered',
    ({ isIn }) => isIn('done'),
    ({ isIn }) => isIn('router'),
  ),
];
