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
} from 'agent-machines/testing';
import type { ToolAgentState } from './state.ts';
import type { ToolAgentInput } from './tool-agent.ts';

type Outcome = OutcomeClass<ToolAgentState>;
type State = Readonly<ToolAgentState>;

// --- outcomes of nodes and humans ---

const call = (id: string): ModelToolCall => ({ id, name: 'calculator', arguments: '{}' });

/** The model answers, or calls tools while steps are left. After the last step, any reply ends the run. */
function said({ steps, maxSteps }: State): readonly Outcome[] {
  const end = (outcome: 'answered' | 'step-limit'): Outcome => ({
    name: outcome === 'answered' ? 'an answer' : 'the last word',
    patch: { answer: 'the answer', output: 'the answer', outcome, pendingCalls: [] },
  });
  if (steps >= maxSteps) return [end('step-limit')];
  const calls = (...pendingCalls: readonly ModelToolCall[]): Outcome => ({
    name: pendingCalls.length === 1 ? 'a call' : 'two calls',
    patch: { pendingCalls, steps: steps + 1 },
  });
  return [end('answered'), calls(call('1')), calls(call('1'), call('2'))];
}

/** Options of the exploration. */
export const exploreOptions: ExploreOptions<ToolAgentInput, ToolAgentState> = {
  inputs: [{ input: 'a question' }],
  outcomes: {
    agent: said,
    tools: pendingCallsOutcomes,
    tool_review: toolReviewOutcomes,
  },
  abstract: ({ pendingCalls, answers, heldCalls, decisions, steps, answer, outcome, error }) => [
    pendingCalls.length,
    answers.map((answer) => answer !== null),
    heldCalls.map(({ key }) => key),
    decisions.map((one) => one.held.key),
    steps,
    answer !== null,
    outcome,
    error !== null,
  ],
};

// --- invariants ---

/** An answer of another form than requested is requested once more. */
const modelCalls = { per: 'model', calls: { agent: [1, 2], tools: 0 } } as const;

/** Invariants of every run, whatever models, tools and humans do. */
export const invariants: readonly Invariant<ToolAgentState>[] = [
  never('no tool is called that no model has called', ({ isIn, state }) => isIn('tools') && state.pendingCalls.length === 0),
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
  always('a model takes no more steps than allowed', ({ state }) => state.steps <= state.maxSteps),
  never('a model that has answered is not asked again', ({ isIn, state }) => isIn('agent') && state.answer !== null),

  always('a node that throws stops the run', ({ isIn, state }) => isIn('stopped') === (state.error !== null)),
  always(
    'a run that is done has its answer, and says whether its steps were spent',
    ({ isIn, by, state }) => !isIn('done') || (state.answer !== null && state.outcome !== null && by === 'agent'),
  ),
  accepts('a human may approve, edit or reject a call', 'tool_review', ['APPROVE', 'EDIT', 'REJECT']),
  callsWithin('an answer without tools takes one call of a model, and another one when its form is wrong', {
    ...modelCalls,
    to: 'done',
    visits: { tools: 0 },
    min: 1,
    max: 2,
  }),
  eventually('every run ends', ({ done }) => done),
  canReach(
    'a request is answered',
    ({ isIn }) => isIn('done'),
    ({ isIn }) => isIn('agent'),
  ),
];
