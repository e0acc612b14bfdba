import type { ModelToolCall } from 'agent-machines';
import {
  accepts,
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
import { batchReviewOutcomes, pendingCallsOutcomes } from 'agent-machines/tools';
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
    tool_review: batchReviewOutcomes,
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
    'documents are searched exactly when they are needed',
    ({ isIn, by, state }) => isIn('rag') === (by === 'router' && state.error === null && state.route === 'rag') || by === undefined,
  ),
  never('a question is routed once', ({ isIn, by }) => isIn('router') && by !== undefined),
  onlyAfter('no model answers before the window is within its bounds', 'agent', { from: 'memory', on: 'done' }),
  never(
    'a question that needs documents is answered with passages',
    ({ isIn, state }) => isIn('memory') && state.route === 'rag' && state.sources.length === 0,
  ),
  never('the window is checked once', ({ isIn, by }) => isIn('memory') && by !== 'router' && by !== 'rag' && by !== undefined),

  never('every tool call comes from a model', ({ isIn, state }) => isIn('tools') && state.pendingCalls.length === 0),
  never('no tool is called while a call waits for a human', ({ isIn, state }) => isIn('tools') && state.heldCalls.length > 0),
  always(
    'a human decides every call that waits',
    ({ isIn, state }) => isIn('tool_review') === (state.heldCalls.length > 0 && state.error === null),
  ),
  never(
    "a human's decision is executed at once",
    ({ isIn, by, state }) => by === 'tool_review' && state.heldCalls.length === 0 && !isIn('tools'),
  ),
  never('every call has its result before the next model call', ({ isIn, state }) => isIn('agent') && state.pendingCalls.length > 0),
  never('no call is lost', ({ isIn, state }) => isIn('done') && state.pendingCalls.length > 0),
  always('tool rounds stay within their limit', ({ state }) => state.toolRounds <= state.maxToolRounds),
  never('no model is called after the answer', ({ isIn, state }) => isIn('agent') && state.answer !== null),

  neverLoses('no message, taint or token count is lost', ['turnMessages', 'taint', 'tokens']),

  always('a node that throws stops the run', ({ isIn, state }) => isIn('stopped') === (state.error !== null)),
  always('a stopped run says why', ({ isIn, state }) => !isIn('stopped') || state.answer !== null),
  always(
    'a successful run has an answer',
    ({ isIn, by, state }) => !isIn('done') || (state.answer !== null && (by === 'agent' || by === undefined)),
  ),
  accepts('a human may approve, edit or reject a call, or decide all', 'tool_review', ['APPROVE', 'EDIT', 'REJECT', 'DECIDE']),
  callsWithin('an answer without tools takes 2 model calls, 1 more for a summary, and 1 more for an unreadable route', {
    ...modelCalls,
    to: 'done',
    visits: { tools: 0 },
    min: 2,
    max: 4,
  }),
  eventually('every run ends', ({ done }) => done),
  canReach(
    'a question can be answered',
    ({ isIn }) => isIn('done'),
    ({ isIn }) => isIn('router'),
  ),
];
