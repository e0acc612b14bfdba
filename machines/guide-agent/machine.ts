import { toolReviewState } from 'agent-machines/tools';
import { setup } from 'xstate';
import { guards } from './guards.ts';
import { initialState, state } from './state.ts';

/** Plans a piece of work, waits for a human's approval, finds a service for each part, and writes a guide. */
export const machine = setup({
  types: state.types,
  actors: {
    llm_router: state.slot('llm_router'),
    planning_node: state.slot('planning_node'),
    recommend_tool_node: state.slot('recommend_tool_node'),
    tool_executor: state.slot('tool_executor'),
    guide_generation_node: state.slot('guide_generation_node'),
    reflection_node: state.slot('reflection_node'),
  },
  guards: state.guards(guards),
  actions: { merge: state.merge },
}).createMachine({
  id: 'guide_agent',
  version: '2',
  initial: 'llm_router',
  context: ({ input }) => initialState(input),
  output: ({ context }) => ({
    answer: context.finalGuide ?? '',
    subTasks: context.subTasks,
    toolRecommendations: context.toolRecommendations,
    memories: context.memories,
    error: context.error,
  }),
  states: {
    llm_router: {
      description: 'Decides between a question and work of several steps.',
      invoke: {
        src: 'llm_router',
        input: ({ context }) => context,
        onDone: [
          { guard: 'isComplexTask', target: 'planning_node', actions: 'merge' },
          { target: 'guide_generation_node', actions: 'merge' },
        ],
        onError: { target: 'stopped', actions: 'merge' },
      },
    },
    planning_node: {
      description: 'Divides the work into sub-tasks, or revises the plan as the user asks.',
      invoke: {
        src: 'planning_node',
        input: ({ context }) => context,
        onDone: [
          { guard: 'hasSubTasks', target: 'human_review', actions: 'merge' },
          { target: 'stopped', actions: 'merge' },
        ],
        onError: [
          { guard: 'hasOldPlan', target: 'human_review', actions: 'merge' },
          { target: 'stopped', actions: 'merge' },
        ],
      },
    },
    human_review: {
      description: 'Waits for a human. Only APPROVE opens the gate, and only for the plan that was shown.',
      tags: 'waiting',
      on: {
        APPROVE: { target: 'recommend_tool_node', actions: 'merge' },
        REVISE: { target: 'planning_node', actions: 'merge' },
        EDIT: { guard: 'answerFits', target: 'human_review', reenter: true, actions: 'merge' },
        CANCEL: { target: 'cancelled', actions: 'merge' },
      },
    },
    recommend_tool_node: {
      description: 'Finds a service for one sub-task: calls tools, or decides.',
      invoke: {
        src: 'recommend_tool_node',
        input: ({ context }) => context,
        onDone: [
          { guard: 'hasToolCall', target: 'tool_executor', actions: 'merge' },
          { guard: 'hasMoreSubTasks', target: 'recommend_tool_node', reenter: true, actions: 'merge' },
          { target: 'guide_generation_node', actions: 'merge' },
        ],
        onError: { target: 'stopped', actions: 'merge' },
      },
    },
    tool_executor: {
      description: "Executes the model's calls, and answers every call. Calls no model.",
      invoke: {
        src: 'tool_executor',
        input: ({ context }) => context,
        onDone: [
          { guard: 'awaitsApproval', target: 'tool_review', actions: 'merge' },
          { target: 'recommend_tool_node', actions: 'merge' },
        ],
        onError: { target: 'stopped', actions: 'merge' },
      },
    },
    tool_review: toolReviewState('tool_executor', {
      batch: true,
      edit: [
        { guard: 'answerFitsAndAwaitsApproval', target: 'tool_review', reenter: true, actions: 'merge' },
        { guard: 'answerFits', target: 'tool_executor', actions: 'merge' },
      ],
    }),
    guide_generation_node: {
      description: 'Writes the guide, or answers the question.',
      invoke: {
        src: 'guide_generation_node',
        input: ({ context }) => context,
        onDone: [
          { guard: 'wasComplexTask', target: 'reflection_node', actions: 'merge' },
          { target: 'done', actions: 'merge' },
        ],
        onError: { target: 'stopped', actions: 'merge' },
      },
    },
    reflection_node: {
      description: "Remembers the user's preferences. The guide does not depend on it.",
      invoke: {
        src: 'reflection_node',
        input: ({ context }) => context,
        onDone: { target: 'done', actions: 'merge' },
        onError: { target: 'done', actions: 'merge' },
      },
    },
    done: { type: 'final', tags: 'success' },
    cancelled: { type: 'final' },
    stopped: { type: 'final', tags: 'failure' },
  },
});
