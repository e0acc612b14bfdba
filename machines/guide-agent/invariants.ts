import type { ModelToolCall } from 'agent-machines';
import { pendingCallsOutcomes } from 'agent-machines/executor';
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
import type { GuideAgentInput } from './guide-agent.ts';
import type { GuideAgentState, Recommendation } from './state.ts';

type Outcome = OutcomeClass<GuideAgentState>;
type State = Readonly<GuideAgentState>;

// --- outcomes of nodes and humans ---

const call = (id: string): ModelToolCall => ({ id, name: 'retrieve_docs', arguments: '{}' });

/** A valid plan, a plan with one part, a plan without parts, and an unreadable reply. */
const planned = ({ revision }: State): readonly Outcome[] => [
  { name: 'a plan', patch: { subTasks: ['write', 'publish'], revision: revision + 1, userFeedback: null } },
  { name: 'a plan of one part', patch: { subTasks: ['write'], revision: revision + 1, userFeedback: null } },
  { name: 'a plan without parts', patch: { subTasks: [] } },
  { name: 'unreadable', error: 'MODEL_OUTPUT_INVALID' },
];

/** Allows one change of the plan, so that explored runs end. */
const mayChange = ({ revision, feedbacks }: State): boolean => revision < 2 && feedbacks.length === 0;

function reviewed(state: State): readonly Outcome[] {
  const changes: readonly Outcome[] = [
    { event: { type: 'REVISE', feedback: 'shorter' } },
    { name: 'EDIT of the plan', event: { type: 'EDIT', sub_tasks: ['write'] } },
  ];
  return [
    { event: { type: 'APPROVE' } },
    ...(mayChange(state) ? changes : []),
    { name: 'EDIT of a call', event: { type: 'EDIT', arguments: {} } },
    { event: { type: 'CANCEL' } },
  ];
}

/** The model calls tools while calls are left, or finishes the sub-task with or without a recommendation. */
function recommended({ subTasks, currentTask, toolCallsUsed, maxToolCallsPerTask }: State): readonly Outcome[] {
  const finish = (status: Recommendation['status']): Outcome => ({
    name: status,
    patch: {
      toolRecommendations: [
        { sub_task: subTasks[currentTask] ?? '', status, service: '', reason: '', source_ids: [], should_fallback: false },
      ],
      currentTask: currentTask + 1,
      pendingCalls: [],
      toolCallsUsed: 0,
    },
  });
  const asks = (...pendingCalls: readonly ModelToolCall[]): Outcome => ({ name: `${pendingCalls.length} calls`, patch: { pendingCalls } });
  const calls = toolCallsUsed < maxToolCallsPerTask ? [asks(call('1')), asks(call('1'), call('2'))] : [];
  return [finish('recommended'), finish('unresolved'), ...calls];
}

/** Options of the exploration. */
export const exploreOptions: ExploreOptions<GuideAgentInput, GuideAgentState> = {
  inputs: [{ input: 'a video' }],
  outcomes: {
    llm_router: [
      { name: 'work', patch: { isComplexTask: true } },
      { name: 'a question', patch: { isComplexTask: false } },
    ],
    planning_node: planned,
    human_review: reviewed,
    recommend_tool_node: recommended,
    tool_executor: (state) => pendingCallsOutcomes(state, { toolCallsUsed: state.toolCallsUsed + state.pendingCalls.length }),
    tool_review: [
      { event: { type: 'APPROVE' } },
      { name: 'EDIT of a call', event: { type: 'EDIT', arguments: { query: 'y' } } },
      { name: 'EDIT of the plan', event: { type: 'EDIT', sub_tasks: ['write'] } },
      { event: { type: 'REJECT', reason: 'no' } },
    ],
    guide_generation_node: [{ name: 'a guide', patch: { finalGuide: 'the guide', error: null } }],
    reflection_node: [{ name: 'what was learned', patch: { memories: [] } }],
  },
  abstract: (state) => [
    state.isComplexTask,
    state.subTasks.length,
    Math.min(state.revision, 2),
    state.feedbacks.length,
    state.approved,
    state.currentTask,
    state.toolRecommendations.length,
    state.pendingCalls.length,
    state.answers.map((answer) => answer !== null),
    state.heldCalls.map(({ key }) => key),
    state.decisions.map((one) => one.held.key),
    state.answerFits,
    state.toolCallsUsed,
    state.finalGuide !== null,
    state.error !== null,
  ],
};

// --- invariants ---

const isAtWork = (where: string): boolean => where === 'recommend_tool_node' || where === 'tool_executor' || where === 'tool_review';

/** An unusable reply is requested once more. */
const modelCalls = {
  per: 'model',
  calls: {
    llm_router: [1, 2],
    planning_node: [1, 2],
    recommend_tool_node: [1, 2],
    tool_executor: 0,
    guide_generation_node: 1,
    reflection_node: [1, 2],
  },
} as const;

/** Invariants of every run, whatever models, tools and humans do. */
export const invariants: readonly Invariant<GuideAgentState>[] = [
  // approval
  until(
    'nothing is looked for before a human has approved the plan',
    ({ where }) => !isAtWork(where),
    ({ took }) => took('human_review', 'APPROVE'),
  ),
  never(
    'nothing is looked for, and no guide of it written, without APPROVE',
    ({ isIn, where, state }) =>
      !state.approved && (isAtWork(where) || isIn('reflection_node') || (isIn('guide_generation_node') && state.isComplexTask)),
  ),
  always(
    'work is planned, a question is answered',
    ({ isIn, by, state }) =>
      by !== 'llm_router' || state.error !== null || isIn(state.isComplexTask ? 'planning_node' : 'guide_generation_node'),
  ),
  never(
    'a plan is made once it is asked for',
    ({ isIn, by }) => isIn('planning_node') && by !== 'llm_router' && by !== 'human_review' && by !== undefined,
  ),
  never('a human is never shown an empty plan', ({ isIn, state }) => isIn('human_review') && state.subTasks.length === 0),
  always(
    'each plan is shown, and so is the old one when there is no new one',
    ({ isIn, by, state }) => by !== 'planning_node' || isIn(state.subTasks.length > 0 ? 'human_review' : 'stopped'),
  ),
  always('an answer that does not fit the question counts for nothing', ({ state }) => state.answerFits),
  always('a human who approves sees the work begin', ({ isIn, took }) => !took('human_review', 'APPROVE') || isIn('recommend_tool_node')),
  always(
    'a human who asks for changes sees another plan made',
    ({ isIn, took }) => !took('human_review', 'REVISE') || isIn('planning_node'),
  ),
  always('a human who changes the plan is asked again', ({ isIn, took }) => !took('human_review', 'EDIT') || isIn('human_review')),
  always(
    'a human who cancels ends the run, and nobody else does',
    ({ isIn, took, by }) => isIn('cancelled') === took('human_review', 'CANCEL') || by === undefined,
  ),
  never('nothing is looked for once a human has cancelled', ({ isIn, state }) => isIn('cancelled') && state.toolRecommendations.length > 0),

  // tool calls
  always(
    'tools are called when the model asks for them',
    ({ isIn, by, state }) =>
      by !== 'recommend_tool_node' || state.error !== null || isIn('tool_executor') === state.pendingCalls.length > 0,
  ),
  never('no tool is called that no model has asked for', ({ isIn, state }) => isIn('tool_executor') && state.pendingCalls.length === 0),
  never('no tool is called while a call waits for a human', ({ isIn, state }) => isIn('tool_executor') && state.heldCalls.length > 0),
  always(
    'a human is asked about each call that waits',
    ({ isIn, state }) => isIn('tool_review') === (state.heldCalls.length > 0 && state.error === null),
  ),
  never(
    'what a human has decided is carried out at once',
    ({ isIn, by, state }) => by === 'tool_review' && state.heldCalls.length === 0 && !isIn('tool_executor'),
  ),
  never(
    'each call is answered before the model goes on',
    ({ isIn, state }) => (isIn('recommend_tool_node') || isIn('guide_generation_node')) && state.pendingCalls.length > 0,
  ),
  always('a sub-task has no more rounds of tools than allowed', ({ state }) => state.toolCallsUsed < state.maxToolCallsPerTask + 2),

  // sub-tasks
  never('there is a sub-task to work on', ({ isIn, state }) => isIn('recommend_tool_node') && state.currentTask >= state.subTasks.length),
  never(
    'no sub-task is left out of the guide',
    ({ isIn, state }) => isIn('guide_generation_node') && state.isComplexTask && state.toolRecommendations.length !== state.subTasks.length,
  ),
  never(
    'a sub-task is worked on to its end',
    ({ isIn, by, state }) => by === 'recommend_tool_node' && isIn('recommend_tool_node') && state.pendingCalls.length > 0,
  ),

  // endings
  always(
    'it learns from work, not from a question',
    ({ isIn, by, state }) =>
      by !== 'guide_generation_node' || state.error !== null || isIn(state.isComplexTask ? 'reflection_node' : 'done'),
  ),
  never(
    'it learns once, from a guide that is there',
    ({ isIn, by }) => isIn('reflection_node') && by !== 'guide_generation_node' && by !== undefined,
  ),
  never('no guide is written twice', ({ isIn, state }) => isIn('guide_generation_node') && state.finalGuide !== null),
  always('the guide is never lost', ({ isIn, by }) => by !== 'reflection_node' || isIn('done')),
  always('a run that is done has its guide', ({ isIn, state }) => !isIn('done') || state.finalGuide !== null),
  always(
    'a node that throws stops the run, unless there is a plan to show or a guide to keep',
    ({ isIn, by, state }) =>
      by === 'planning_node' || by === 'human_review' || by === 'reflection_node' || isIn('stopped') === (state.error !== null),
  ),
  accepts('a human may approve or cancel a plan', 'human_review', ['APPROVE', 'CANCEL']),
  accepts('a human may have a plan changed, or change it', 'human_review', ['REVISE', 'EDIT'], ({ state }) => mayChange(state)),
  accepts('a human may approve, edit or reject a call', 'tool_review', ['APPROVE', 'EDIT', 'REJECT']),
  callsWithin('an answer to a question takes two calls of a model, three when the route has to be asked for again', {
    ...modelCalls,
    to: 'done',
    visits: { planning_node: 0 },
    min: 2,
    max: 3,
  }),
  callsWithin('a human is asked after two calls of a model, four when both have to be asked for again', {
    ...modelCalls,
    to: 'human_review',
    visits: { human_review: 0 },
    min: 2,
    max: 4,
  }),
  eventually('every run ends', ({ done }) => done),
  canReach(
    'work is done',
    ({ isIn, state }) => isIn('done') && state.isComplexTask,
    ({ isIn }) => isIn('llm_router'),
  ),
];
