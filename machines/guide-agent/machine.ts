import { defineMachine, final, node, waiting } from 'agent-machines';
import { toolReviewState } from 'agent-machines/executor';
import { guards } from './guards.ts';
import { initialState, state } from './state.ts';

/** Plans a piece of work, waits for a human's approval, finds a service for each part, and writes a guide. */
export const machine = defineMachine(state, {
  id: 'guide_agent',
  version: '2',
  initial: 'llm_router',
  context: initialState,
  output: ({ finalGuide, subTasks, toolRecommendations, memories, error }) => ({
    answer: finalGuide ?? '',
    subTasks,
    toolRecommendations,
    memories,
    error,
  }),
  guards,
  states: {
    llm_router: node('llm_router', {
      description: 'Is it a question, or work of several steps?',
      done: [{ guard: 'isComplexTask', target: 'planning_node' }, 'guide_generation_node'],
      error: 'stopped',
    }),
    planning_node: node('planning_node', {
      description: 'Divides the work into sub-tasks, or changes the plan as the user wants it.',
      done: [{ guard: 'hasSubTasks', target: 'human_review' }, 'stopped'],
      error: [{ guard: 'hasOldPlan', target: 'human_review' }, 'stopped'],
    }),
    human_review: waiting(
      {
        APPROVE: 'recommend_tool_node',
        REVISE: 'planning_node',
        EDIT: { guard: 'answerFits', target: 'human_review', reenter: true },
        CANCEL: 'cancelled',
      },
      { description: 'Waits for a human. Only APPROVE opens the gate, and only for the plan that was shown.' },
    ),
    recommend_tool_node: node('recommend_tool_node', {
      description: 'Finds a service for one sub-task: asks for tools, or decides.',
      done: [
        { guard: 'hasToolCall', target: 'tool_executor' },
        { guard: 'hasMoreSubTasks', target: 'recommend_tool_node', reenter: true },
        'guide_generation_node',
      ],
      error: 'stopped',
    }),
    tool_executor: node('tool_executor', {
      description: 'Executes what the model asked for, and answers every call. Asks no model.',
      done: [{ guard: 'awaitsApproval', target: 'tool_review' }, 'recommend_tool_node'],
      error: 'stopped',
    }),
    tool_review: toolReviewState('tool_executor', {
      edit: [
        { guard: 'answerFitsAndAwaitsApproval', target: 'tool_review', reenter: true },
        { guard: 'answerFits', target: 'tool_executor' },
      ],
    }),
    guide_generation_node: node('guide_generation_node', {
      description: 'Writes the guide, or answers the question.',
      done: [{ guard: 'wasComplexTask', target: 'reflection_node' }, 'done'],
      error: 'stopped',
    }),
    reflection_node: node('reflection_node', {
      description: 'Remembers what the user prefers. The guide does not depend on it.',
      done: 'done',
      error: 'done',
    }),
    done: final('success'),
    cancelled: final(),
    stopped: final('failure'),
  },
});
