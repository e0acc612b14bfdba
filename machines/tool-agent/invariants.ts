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
} from 'agent-machines/testing';
import { batchReviewOutcomes, noPendingCalls, pendingCallsOutcomes } from 'agent-machines/tools';
import type { ToolAgentState } from './state.ts';
import type { ToolAgentInput } from './tool-agent.ts';

type Outcome = OutcomeClass<ToolAgentState>;
type State = Readonly<ToolAgentState>;

// --- outcomes of nodes and humans ---

const replacement = 'another answer';
const call = (id: string): ModelToolCall => ({ id, name: 'calculator', arguments: '{}' });

/** The model answers, or calls tools while steps are left. After the last step, any reply ends the run. */
function said({ steps, maxSteps }: State): readonly Outcome[] {
  const end = (outcome: 'answered' | 'step-limit'): Outcome => ({
    name: outcome === 'answered' ? 'an answer' : 'the last word',
    patch: { answer: 'the answer', output: 'the answer', outcome, pendingCalls: [] },
  });
  // a guard holds it; its value is the text, or what a schema makes of it
  const held = (output: string): Outcome => ({
    name: `a held answer, as ${output}`,
    patch: { answer: 'the answer', output, outcome: steps >= maxSteps ? 'step-limit' : 'answered', heldBy: ['a guard'], pendingCalls: [] },
  });
  const holds = [held('the answer'), held('a value')];
  if (steps >= maxSteps) return [end('step-limit'), ...holds];
  const calls = (...pendingCalls: readonly ModelToolCall[]): Outcome => ({
    name: pendingCalls.length === 1 ? 'a call' : 'two calls',
    patch: { pendingCalls, steps: steps + 1 },
  });
  return [end('answered'), ...holds, calls(call('1')), calls(call('1'), call('2'))];
}

/** The calls are answered or wait; once all are answered, a condition of the agent may end the run. */
const called = (state: State): readonly Outcome[] => {
  const end = { ...noPendingCalls, answer: 'the result', output: 'the result', outcome: 'stopped-early' } as const;
  return [
    ...pendingCallsOutcomes(state),
    { name: 'a condition ends it', patch: end },
    { name: 'a condition ends it, and a guard holds the result', patch: { ...end, heldBy: ['a guard'] } },
  ];
};

/** Options of the exploration. */
export const exploreOptions: ExploreOptions<ToolAgentInput, ToolAgentState> = {
  inputs: [{ input: 'a question' }],
  outcomes: {
    agent: said,
    tools: called,
    tool_review: batchReviewOutcomes,
    answer_review: [
      { event: { type: 'APPROVE' } },
      { event: { type: 'REPLACE', answer: replacement } },
      { event: { type: 'REJECT', reason: 'no' } },
    ],
  },
  abstract: ({ pendingCalls, answers, heldCalls, decisions, steps, answer, output, heldBy, outcome, error }) => [
    pendingCalls.length,
    answers.map((answer) => answer !== null),
    heldCalls.map(({ key }) => key),
    decisions.map((one) => one.held.key),
    steps,
    answer !== null,
    heldBy.length > 0 && [output === answer],
    outcome,
    error !== null,
  ],
};

// --- invariants ---

/** An answer of another form than requested is requested once more. */
const modelCalls = { per: 'model', calls: { agent: [1, 2], tools: 0 } } as const;

/** Invariants of every run, whatever models, tools and humans do. */
export const invariants: readonly Invariant<ToolAgentState>[] = [
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
  always('steps stay within their limit', ({ state }) => state.steps <= state.maxSteps),
  always('a human decides every answer that a guard holds', ({ isIn, state }) => isIn('answer_review') === state.heldBy.length > 0),
  never('no run ends with an answer that a guard holds', ({ isIn, state }) => (isIn('done') || isIn('stopped')) && state.heldBy.length > 0),
  always(
    'a rejected answer leaves the run',
    ({ isIn, by, state: { answer, output, outcome, error } }) =>
      !(isIn('stopped') && by === 'answer_review') ||
      (output === null && outcome === null && error !== null && answer?.includes(error.code) === true),
  ),
  canReach(
    "a human's text can replace a held text",
    ({ isIn, state: { answer, output } }) => isIn('done') && answer === replacement && output === replacement,
    ({ isIn, state: { answer, output } }) => isIn('answer_review') && output === answer,
  ),
  never('no model is called after the answer', ({ isIn, state }) => isIn('agent') && state.answer !== null),

  neverLoses('no message, taint or token count is lost', ['messages', 'taint', 'usage']),

  always('a node that throws stops the run', ({ isIn, state }) => isIn('stopped') === (state.error !== null)),
  always('a stopped run says why', ({ isIn, state }) => !isIn('stopped') || state.answer !== null),
  always(
    'a successful run has an answer, and an outcome',
    ({ isIn, by, state }) =>
      !isIn('done') ||
      (state.answer !== null && (by === 'answer_review' || by === (state.outcome === 'stopped-early' ? 'tools' : 'agent'))),
  ),
  accepts('a human may approve, edit or reject a call, or decide all', 'tool_review', ['APPROVE', 'EDIT', 'REJECT', 'DECIDE']),
  accepts('a human may approve or reject every answer that a guard holds', 'answer_review', ['APPROVE', 'REJECT']),
  callsWithin('an answer without tools takes 1 model call, 2 if its form is wrong', {
    ...modelCalls,
    to: 'done',
    visits: { tools: 0 },
    min: 1,
    max: 2,
  }),
  eventually('every run ends', ({ done }) => done),
  canReach(
    'a request can be answered',
    ({ isIn }) => isIn('done'),
    ({ isIn }) => isIn('agent'),
  ),
];
