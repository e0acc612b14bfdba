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
  until,
} from 'agent-machines/testing';
import { batchReviewOutcomes, pendingCallsOutcomes } from 'agent-machines/tools';
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

/** Allows one change of the plan, and one more after a failed one, so that explored runs end. */
const mayChange = ({ revision, feedbacks, notice }: State): boolean =>
  notice === null ? revision < 2 && feedbacks.length === 0 : feedbacks.length < 2;

const edited = ['edit'];

function reviewed(state: State): readonly Outcome[] {
  const changes: readonly Outcome[] = [
    { event: { type: 'REVISE', feedback: 'shorter' } },
    { name: 'EDIT of the plan', event: { type: 'EDIT', sub_tasks: edited } },
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
    tool_review: (state) => [...batchReviewOutcomes(state), { name: 'EDIT of the plan', event: { type: 'EDIT', sub_tasks: ['write'] } }],
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
    state.notice !== null,
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
    'no search begins before a human has approved the plan',
    ({ where }) => !isAtWork(where),
    ({ took }) => took('human_review', 'APPROVE'),
  ),
  never(
    'without APPROVE there is no search, and no guide to the plan',
    ({ isIn, where, state }) =>
      !state.approved && (isAtWork(where) || isIn('reflection_node') || (isIn('guide_generation_node') && state.isComplexTask)),
  ),
  always(
    'work is planned, and a question is answered',
    ({ isIn, by, state }) =>
      by !== 'llm_router' || state.error !== null || isIn(state.isComplexTask ? 'planning_node' : 'guide_generation_node'),
  ),
  never(
    'a plan is made only for a request or a revision',
    ({ isIn, by }) => isIn('planning_node') && by !== 'llm_router' && by !== 'human_review' && by !== undefined,
  ),
  never('a human is never shown an empty plan', ({ isIn, state }) => isIn('human_review') && state.subTasks.length === 0),
  always(
    'every plan is shown, and the old one if there is no new one',
    ({ isIn, by, state }) => by !== 'planning_node' || isIn(state.subTasks.length > 0 ? 'human_review' : 'stopped'),
  ),
  always('an answer that does not match the question has no effect', ({ state }) => state.answerFits),
  always('APPROVE starts the work', ({ isIn, took }) => !took('human_review', 'APPROVE') || isIn('recommend_tool_node')),
  always('REVISE leads to another plan', ({ isIn, took }) => !took('human_review', 'REVISE') || isIn('planning_node')),
  always(
    'REVISE is planned with its feedback',
    ({ took, state }) => !took('human_review', 'REVISE') || state.userFeedback === state.feedbacks.at(-1),
  ),
  never('a human is asked again with feedback that was used', ({ isIn, state }) => isIn('human_review') && state.userFeedback !== null),
  always('EDIT replaces the plan', ({ took, state }) => !took('human_review', 'EDIT') || state.subTasks.join() === edited.join()),
  never(
    'a notice stays after an answer to it',
    ({ took, state }) =>
      ['APPROVE', 'REVISE', 'EDIT'].some((on) => took('human_review', on)) && (state.notice !== null || state.error !== null),
  ),
  always(
    'a human who sees the old plan again sees why',
    ({ isIn, took, state }) => !took('planning_node', 'error') || !isIn('human_review') || state.notice !== null,
  ),
  always('EDIT of the plan leads to another question', ({ isIn, took }) => !took('human_review', 'EDIT') || isIn('human_review')),
  always(
    'only CANCEL ends a run as cancelled',
    ({ isIn, took, by }) => isIn('cancelled') === took('human_review', 'CANCEL') || by === undefined,
  ),
  never('a cancelled run has searched nothing', ({ isIn, state }) => isIn('cancelled') && state.toolRecommendations.length > 0),

  // tool calls
  always(
    'tools run exactly when the model calls them',
    ({ isIn, by, state }) =>
      by !== 'recommend_tool_node' || state.error !== null || isIn('tool_executor') === state.pendingCalls.length > 0,
  ),
  never('every tool call comes from a model', ({ isIn, state }) => isIn('tool_executor') && state.pendingCalls.length === 0),
  never('no tool is called while a call waits for a human', ({ isIn, state }) => isIn('tool_executor') && state.heldCalls.length > 0),
  always(
    'a human decides every call that waits',
    ({ isIn, state }) => isIn('tool_review') === (state.heldCalls.length > 0 && state.error === null),
  ),
  never(
    "a human's decision is executed at once",
    ({ isIn, by, state }) => by === 'tool_review' && state.heldCalls.length === 0 && !isIn('tool_executor'),
  ),
  never(
    'every call has its result before the next model call',
    ({ isIn, state }) => (isIn('recommend_tool_node') || isIn('guide_generation_node')) && state.pendingCalls.length > 0,
  ),
  always('tool rounds of a sub-task stay within their limit', ({ state }) => state.toolCallsUsed < state.maxToolCallsPerTask + 2),

  // sub-tasks
  never('there is a sub-task to work on', ({ isIn, state }) => isIn('recommend_tool_node') && state.currentTask >= state.subTasks.length),
  never(
    'the guide covers every sub-task',
    ({ isIn, state }) => isIn('guide_generation_node') && state.isComplexTask && state.toolRecommendations.length !== state.subTasks.length,
  ),
  never(
    'a sub-task is finished before the next one',
    ({ isIn, by, state }) => by === 'recommend_tool_node' && isIn('recommend_tool_node') && state.pendingCalls.length > 0,
  ),

  neverLoses('no feedback, recommendation, document or taint is lost', ['feedbacks', 'toolRecommendations', 'retrievedDocs', 'taint']),

  // endings
  always(
    'memories come from work, not from a question',
    ({ isIn, by, state }) =>
      by !== 'guide_generation_node' || state.error !== null || isIn(state.isComplexTask ? 'reflection_node' : 'done'),
  ),
  never(
    'memories are written once, after the guide',
    ({ isIn, by }) => isIn('reflection_node') && by !== 'guide_generation_node' && by !== undefined,
  ),
  never('the guide is written once', ({ isIn, state }) => isIn('guide_generation_node') && state.finalGuide !== null),
  always('the guide is never lost', ({ isIn, by }) => by !== 'reflection_node' || isIn('done')),
  always(
    'a run that failed or was cancelled says so',
    ({ isIn, state }) => !(isIn('cancelled') || (isIn('stopped') && state.error !== null)) || state.finalGuide !== null,
  ),
  always('a successful run has a guide', ({ isIn, state }) => !isIn('done') || state.finalGuide !== null),
  always(
    'a node that throws stops the run, unless a plan can be shown or a guide is written',
    ({ isIn, by, state }) =>
      by === 'planning_node' || by === 'human_review' || by === 'reflection_node' || isIn('stopped') === (state.error !== null),
  ),
  accepts('a human may approve or cancel a plan', 'human_review', ['APPROVE', 'CANCEL']),
  accepts('a human may revise or edit a plan', 'human_review', ['REVISE', 'EDIT'], ({ state }) => mayChange(state)),
  accepts('a human may approve, edit or reject a call, or decide all', 'tool_review', ['APPROVE', 'EDIT', 'REJECT', 'DECIDE']),
  callsWithin('an answer to a question takes 2 model calls, 3 if the route is unreadable', {
    ...modelCalls,
    to: 'done',
    visits: { planning_node: 0 },
    min: 2,
    max: 3,
  }),
  callsWithin('a human is asked after 2 model calls, 4 if both replies are unreadable', {
    ...modelCalls,
    to: 'human_review',
    visits: { human_review: 0 },
    min: 2,
    max: 4,
  }),
  eventually('every run ends', ({ done }) => done),
  canReach(
    'work can be done',
    ({ isIn, state }) => isIn('done') && state.isComplexTask,
    ({ isIn }) => isIn('llm_router'),
  ),
];
