import { defineMachine, final, node } from 'agent-machines';
import { toolReviewState } from 'agent-machines/executor';
import { guards } from './guards.ts';
import { initialState, state } from './state.ts';

/** Plans once, executes without a model, replans after failures, and stops at the first problem that remains. */
export const machine = defineMachine(state, {
  id: 'plan_execute',
  version: '2',
  initial: 'intent_classifier',
  context: initialState,
  output: ({ result, pastSteps, error }) => ({ answer: result ?? '', pastSteps, error }),
  guards,
  states: {
    intent_classifier: node('intent_classifier', {
      description: 'Reads what the user wants, and whether a tool is needed for it.',
      done: [{ guard: 'needsTool', target: 'planner' }, 'final_answer'],
      error: 'error_handler',
    }),
    planner: node('planner', {
      description: 'Writes a plan, which must pass the gate.',
      done: [{ guard: 'hasPlan', target: 'executor' }, 'final_answer'],
      error: 'error_handler',
    }),
    executor: node('executor', {
      description: 'Runs the plan, each step as soon as it can. Asks no model.',
      done: [
        { guard: 'canReplanFailedWave', target: 'replanner' },
        { guard: 'waveFailed', target: 'error_handler' },
        { guard: 'awaitsApproval', target: 'tool_review' },
        { guard: 'hasMoreSteps', target: 'executor', reenter: true },
        'final_answer',
      ],
      error: 'error_handler',
    }),
    tool_review: toolReviewState('executor', {
      description: 'Waits for a human, one step after the other. What was shown is what an approval stands for.',
    }),
    replanner: node('replanner', {
      description: 'Plans the remaining work anew, without what has failed.',
      done: [{ guard: 'hasPlan', target: 'executor' }, 'error_handler'],
      error: 'error_handler',
    }),
    final_answer: node('final_answer', {
      description: 'Answers from the results, or talks.',
      done: 'done',
      error: 'error_handler',
    }),
    error_handler: node('error_handler', {
      description: 'Says why the work was stopped. Asks no model.',
      done: 'stopped',
      error: 'stopped',
    }),
    done: final(),
    stopped: final('failure'),
  },
});
