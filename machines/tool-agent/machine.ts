import { toolReviewState } from 'agent-machines/tools';
import { setup } from 'xstate';
import { guards } from './guards.ts';
import { initialState, state, toOutput } from './state.ts';

/** Answers with tools: calls a model, executes its tool calls, and repeats until the model answers. */
export const machine = setup({
  types: state.types,
  actors: {
    agent: state.slot('agent'),
    tools: state.slot('tools'),
  },
  guards: state.guards(guards),
  actions: { merge: state.merge },
}).createMachine({
  id: 'tool_agent',
  version: '1',
  initial: 'agent',
  context: ({ input }) => initialState(input),
  output: ({ context }) => toOutput(context),
  states: {
    agent: {
      description: 'Answers, or calls tools.',
      invoke: {
        src: 'agent',
        input: ({ context }) => context,
        onDone: [
          { guard: 'hasToolCalls', target: 'tools', actions: 'merge' },
          { guard: 'isHeld', target: 'answer_review', actions: 'merge' },
          { target: 'done', actions: 'merge' },
        ],
        onError: { target: 'stopped', actions: 'merge' },
      },
    },
    tools: {
      description: "Executes the model's calls, and answers every call. Calls no model.",
      invoke: {
        src: 'tools',
        input: ({ context }) => context,
        onDone: [
          { guard: 'awaitsApproval', target: 'tool_review', actions: 'merge' },
          { guard: 'isHeld', target: 'answer_review', actions: 'merge' },
          { guard: 'isStopped', target: 'done', actions: 'merge' },
          { target: 'agent', actions: 'merge' },
        ],
        onError: { target: 'stopped', actions: 'merge' },
      },
    },
    tool_review: toolReviewState('tools', { batch: true }),
    answer_review: {
      description: 'Waits for a human: a guard holds the answer.',
      tags: 'waiting',
      on: {
        APPROVE: { target: 'done', actions: 'merge' },
        REPLACE: { guard: 'isReplaced', target: 'done', actions: 'merge' },
        REJECT: { target: 'stopped', actions: 'merge' },
      },
    },
    done: { type: 'final' },
    stopped: { type: 'final', tags: 'failure' },
  },
});
