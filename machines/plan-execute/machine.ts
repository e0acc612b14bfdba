import { toolReviewState } from 'agent-machines/tools';
import { setup } from 'xstate';
import { guards } from './guards.ts';
import { initialState, state, withoutFiles } from './state.ts';

/** Plans once, executes without a model, replans after failures, and stops at the first problem that remains. */
export const machine = setup({
  types: state.types,
  actors: {
    intent_classifier: state.slot('intent_classifier'),
    planner: state.slot('planner'),
    executor: state.slot('executor'),
    replanner: state.slot('replanner'),
    final_answer: state.slot('final_answer'),
    error_handler: state.slot('error_handler'),
  },
  guards: state.guards(guards),
  actions: { merge: state.merge },
}).createMachine({
  id: 'plan_execute',
  version: '2',
  initial: 'intent_classifier',
  context: ({ input }) => initialState(input),
  // without a context, as in a drawing's machine, there are no steps
  output: ({ context }) => ({ answer: context.result ?? '', pastSteps: context.pastSteps?.map(withoutFiles), error: context.error }),
  states: {
    intent_classifier: {
      description: 'Classifies the request, and decides whether it needs a tool.',
      invoke: {
        src: 'intent_classifier',
        input: ({ context }) => context,
        onDone: [
          { guard: 'needsTool', target: 'planner', actions: 'merge' },
          { target: 'final_answer', actions: 'merge' },
        ],
        onError: { target: 'error_handler', actions: 'merge' },
      },
    },
    planner: {
      description: 'Writes a plan, which must pass the gate.',
      invoke: {
        src: 'planner',
        input: ({ context }) => context,
        onDone: [
          { guard: 'hasPlan', target: 'executor', actions: 'merge' },
          { target: 'final_answer', actions: 'merge' },
        ],
        onError: { target: 'error_handler', actions: 'merge' },
      },
    },
    executor: {
      description: 'Executes the plan, each step as soon as it can run. Calls no model.',
      invoke: {
        src: 'executor',
        input: ({ context }) => context,
        onDone: [
          { guard: 'canReplanFailedWave', target: 'replanner', actions: 'merge' },
          { guard: 'waveFailed', target: 'error_handler', actions: 'merge' },
          { guard: 'awaitsApproval', target: 'tool_review', actions: 'merge' },
          { guard: 'hasMoreSteps', target: 'executor', reenter: true, actions: 'merge' },
          { target: 'final_answer', actions: 'merge' },
        ],
        onError: { target: 'error_handler', actions: 'merge' },
      },
    },
    tool_review: toolReviewState('executor', {
      batch: true,
    }),
    replanner: {
      description: 'Plans the remaining work again, without the failed steps.',
      invoke: {
        src: 'replanner',
        input: ({ context }) => context,
        onDone: [
          { guard: 'hasPlan', target: 'executor', actions: 'merge' },
          { target: 'error_handler', actions: 'merge' },
        ],
        onError: { target: 'error_handler', actions: 'merge' },
      },
    },
    final_answer: {
      description: 'Answers from the results, or converses.',
      invoke: {
        src: 'final_answer',
        input: ({ context }) => context,
        onDone: { target: 'done', actions: 'merge' },
        onError: { target: 'error_handler', actions: 'merge' },
      },
    },
    error_handler: {
      description: 'Reports why the work stopped. Calls no model.',
      invoke: {
        src: 'error_handler',
        input: ({ context }) => context,
        onDone: { target: 'stopped', actions: 'merge' },
        onError: { target: 'stopped', actions: 'merge' },
      },
    },
    done: { type: 'final' },
    stopped: { type: 'final', tags: 'failure' },
  },
});
