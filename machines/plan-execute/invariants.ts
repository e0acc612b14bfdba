import { WorkflowError } from 'agent-machines';
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
import { batchReviewOutcomes, type CallInReview, noToolReview, type PlanStep, parsePlan } from 'agent-machines/tools';
import type { PlanExecuteInput } from './plan-execute.ts';
import type { PlanExecuteState, RecordedStep } from './state.ts';

type Outcome = OutcomeClass<PlanExecuteState>;
type State = Readonly<PlanExecuteState>;

// --- outcomes of nodes and humans ---

/** Replies that a model may give to a plan request. */
function replies(tools: readonly string[], firstId: number): Readonly<Record<string, string>> {
  const [tool = '', other = tool] = tools;
  const plan = (...names: readonly string[]): string =>
    JSON.stringify({ steps: names.map((name, index) => ({ step_id: firstId + index, tool: name, input: 'x' })) });
  return {
    'a plan of one step': plan(tool),
    'a plan of two steps': plan(tool, other),
    'a plan without steps': plan(),
    'a plan with a tool that is not granted': plan(tool, 'delete_all'),
    'no plan at all': 'I would look it up.',
  };
}

const inputSchema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'], additionalProperties: false } as const;

type Verdict = { readonly name: string } & ({ readonly steps: readonly PlanStep[] } | { readonly error: string });

const verdicts = new Map<string, readonly Verdict[]>();

/** Verdicts of the plan gate on these replies, cached. */
function judged({ availableTools, acceptedSteps: accepted }: State, origin: 'planner' | 'replanner'): readonly Verdict[] {
  const firstId = 1 + Math.max(0, ...accepted.map(({ step_id }) => step_id));
  const key = `${origin} ${firstId} ${availableTools}`;
  const known = verdicts.get(key);
  if (known) return known;
  const tools = availableTools.map((name) => ({ name, inputSchema }));
  const made = Object.entries(replies(availableTools, firstId)).map(([name, text]): Verdict => {
    try {
      return { name, steps: parsePlan(text, { tools, origin, accepted }).steps };
    } catch (error) {
      if (!WorkflowError.isInstance(error)) throw error;
      return { name, error: error.code };
    }
  });
  verdicts.set(key, made);
  return made;
}

const planned = (state: State, origin: 'planner' | 'replanner', patch: Partial<PlanExecuteState>): readonly Outcome[] =>
  judged(state, origin).map((verdict) => {
    if ('error' in verdict) return verdict;
    const { name, steps } = verdict;
    return { name, patch: { ...patch, plan: steps, acceptedSteps: steps.map(({ step_id, tool }) => ({ step_id, tool })) } };
  });

/** Outcomes of one executor visit: each executed step succeeds or fails, and other steps wait for a human. */
function executed({ plan, decisions }: State): readonly Outcome[] {
  const [first, second] = plan;
  if (!first) return [];
  const decided = (step: PlanStep): string | undefined => decisions.find(({ held }) => held.key === keyOf(step.step_id))?.as;
  const mayBe = (step: PlanStep, fate: Fate): boolean => {
    if (fate === 'left') return true;
    const decision = decided(step);
    return decision === 'rejected' ? fate === 'failed' : decision === undefined || fate !== 'held';
  };
  const possible = second
    ? fatesOfTwo.filter(([one, other]) => mayBe(first, one) && mayBe(second, other))
    : fatesOfOne.filter(([one]) => mayBe(first, one));
  return possible.map((fates) => visit(plan, fates, decisions));
}

const fatesOfOne = [['succeeded'], ['failed'], ['held']] as const;
/** A second step is left if it needs the first one or follows it. */
const fatesOfTwo = [
  ['succeeded', 'succeeded'],
  ['succeeded', 'failed'],
  ['succeeded', 'held'],
  ['succeeded', 'left'],
  ['failed', 'succeeded'],
  ['failed', 'failed'],
  ['failed', 'held'],
  ['failed', 'left'],
  ['held', 'held'],
  ['held', 'left'],
] as const;

type Fate = 'succeeded' | 'failed' | 'held' | 'left';

const keyOf = (step_id: number): string => `step_${step_id}`;

function visit(plan: readonly PlanStep[], fates: readonly Fate[], decided: State['decisions']): Outcome {
  const of = (...wanted: readonly Fate[]): readonly PlanStep[] => plan.filter((_, index) => wanted.includes(fates[index] ?? 'left'));
  const wave = of('succeeded', 'failed');
  const left = of('left');
  const failed = of('failed');
  return {
    name: fates.join(', '),
    patch: {
      pastSteps: wave.map((step) => past(step, failed.includes(step) ? 'failure' : 'success')),
      plan: of('held', 'left'),
      wave: wave.map(({ step_id }) => step_id),
      heldCalls: of('held').map(held),
      decisions: decided.filter(({ held: { key } }) => left.some(({ step_id }) => keyOf(step_id) === key)),
    },
  };
}

const past = (step: PlanStep, status: RecordedStep['status']): RecordedStep => ({
  step,
  ...(status === 'success'
    ? { status, output: null }
    : { status, output: '', error: { name: 'Error', code: 'TOOL_FAILED', message: '', retryable: false } }),
  startedAt: 0,
  durationMs: 0,
  attempts: 1,
  signature: '',
  deduplicated: false,
});

const held = ({ step_id, tool }: PlanStep): CallInReview => ({
  status: 'held',
  tool,
  args: {},
  signature: '',
  reasons: ['declared'],
  key: keyOf(step_id),
  notice: null,
});

/** Options of the exploration. */
export const exploreOptions: ExploreOptions<PlanExecuteInput, PlanExecuteState> = {
  inputs: [{ input: 'a question' }],
  outcomes: {
    intent_classifier: [
      { name: 'a tool is needed', patch: { needsTool: true } },
      { name: 'no tool is needed', patch: { needsTool: false } },
    ],
    planner: (state) => planned(state, 'planner', {}),
    executor: executed,
    replanner: (state) =>
      planned(state, 'replanner', { planFrom: state.pastSteps.length, replanCount: state.replanCount + 1, ...noToolReview }),
    final_answer: [{ name: 'an answer', patch: { result: 'the answer' } }],
    error_handler: [{ name: 'the reason', patch: { result: 'the reason' } }],
    tool_review: batchReviewOutcomes,
  },
  abstract: ({ needsTool, plan, pastSteps, wave, heldCalls, decisions, replanCount, error, result }) => [
    needsTool,
    plan.length,
    wave.length,
    pastSteps.slice(-wave.length - 1).map(({ status }) => status),
    heldCalls.length,
    decisions.map(({ as }) => as === 'rejected'),
    replanCount,
    error !== null,
    result !== null,
  ],
};

// --- invariants ---

const lastWave = ({ pastSteps, wave }: State): readonly RecordedStep[] => (wave.length === 0 ? [] : pastSteps.slice(-wave.length));
const hasFailed = (state: State): boolean => lastWave(state).some(({ status }) => status === 'failure');
const isWell = (state: State): boolean => state.error === null && !hasFailed(state);

const modelCalls = {
  per: 'model',
  calls: { intent_classifier: 1, planner: 1, executor: 0, replanner: 1, final_answer: 1, error_handler: 0 },
} as const;

export const invariants: readonly Invariant<PlanExecuteState>[] = [
  // planning
  never('no step runs without a plan that has passed the gate', ({ isIn, state }) => isIn('executor') && state.plan.length === 0),
  onlyAfter('no step runs before there is a plan', 'executor', { from: 'planner', on: 'done' }),
  never('no plan has a tool that is not granted', ({ state }) => state.plan.some(({ tool }) => !state.availableTools.includes(tool))),
  never('nothing is planned if no tool is needed', ({ isIn, state }) => isIn('planner') && !state.needsTool),
  never(
    'a request that needs a tool is planned',
    ({ isIn, by, state }) => by === 'intent_classifier' && isIn('final_answer') && state.needsTool,
  ),

  // approval
  never('no step runs while a call waits for a human', ({ isIn, state }) => isIn('executor') && state.heldCalls.length > 0),
  always(
    'a human decides every call that waits',
    ({ isIn, state }) => isIn('tool_review') === (state.heldCalls.length > 0 && isWell(state)),
  ),
  never(
    "a human's decision is executed at once",
    ({ isIn, by, state }) => by === 'tool_review' && state.heldCalls.length === 0 && !isIn('executor'),
  ),

  // failures
  never(
    'after a failure nothing runs before a new plan',
    ({ isIn, by, state }) => isIn('executor') && hasFailed(state) && by !== 'replanner',
  ),
  always(
    'a failed step is replanned within the limit',
    ({ isIn, by, state }) =>
      isIn('replanner') === (by === 'executor' && state.error === null && hasFailed(state) && state.replanCount < state.maxReplans) ||
      by === undefined,
  ),
  always('replans stay within their limit', ({ state }) => state.replanCount <= state.maxReplans),
  always(
    'a node that throws stops the work',
    ({ where, state }) => state.error === null || where === 'error_handler' || where === 'stopped',
  ),
  never(
    'work stops only for a reason',
    ({ isIn, by, state }) =>
      isIn('error_handler') &&
      state.error === null &&
      !(by === 'executor' && hasFailed(state)) &&
      !(by === 'replanner' && state.plan.length === 0),
  ),

  neverLoses('no executed step, accepted step or taint is lost', ['pastSteps', 'acceptedSteps', 'taint']),

  // endings
  never(
    'no answer is written before the plan is finished',
    ({ isIn, state }) => isIn('final_answer') && !(isWell(state) && state.plan.length === 0 && state.heldCalls.length === 0),
  ),
  always(
    'a successful run has an answer',
    ({ isIn, by, state }) =>
      !isIn('done') || (state.result !== null && state.error === null && (by === 'final_answer' || by === undefined)),
  ),
  always('a stopped run gives its reason', ({ isIn, by }) => !isIn('stopped') || by === 'error_handler' || by === undefined),
  accepts('a human may approve, edit or reject a call, or decide all', 'tool_review', ['APPROVE', 'EDIT', 'REJECT', 'DECIDE']),
  callsWithin('a conversation without tools takes 2 model calls', {
    ...modelCalls,
    to: 'done',
    visits: { planner: 0 },
    min: 2,
    max: 2,
  }),
  callsWithin('an answer from tools takes 3 model calls, whatever the number of tools', {
    ...modelCalls,
    to: 'done',
    visits: { planner: 1, replanner: 0 },
    min: 3,
    max: 3,
  }),
  eventually('every run ends', ({ done }) => done),
  canReach(
    'a question can be answered',
    ({ isIn }) => isIn('done'),
    ({ isIn }) => isIn('intent_classifier'),
  ),
];
