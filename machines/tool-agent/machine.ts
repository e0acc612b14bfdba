import { defineMachine, final, node } from 'agent-machines';
import { toolReviewState } from 'agent-machines/executor';
import { guards } from './guards.ts';
import { initialState, state, toOutput } from './state.ts';

/** Answers with tools: calls a model, executes its tool calls, and repeats until the model answers. */
export const machine = defineMachine(state, {
  id: 'tool_agent',
  version: '1',
  initial: 'agent',
  context: initialState,
  output: toOutput,
  guards,
  states: {
    agent: node('agent', {
      description: 'Answers, or calls tools.',
      done: [{ guard: 'hasToolCalls', target: 'tools' }, 'done'],
      error: 'stopped',
    }),
    tools: node('tools', {
      description: 'Executes what the model called, and answers every call. Asks no model.',
      done: [{ guard: 'awaitsApproval', target: 'tool_review' }, 'agent'],
      error: 'stopped',
    }),
    tool_review: toolReviewState('tools'),
    done: final(),
    stopped: final('failure'),
  },
});
