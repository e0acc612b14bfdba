import { defineMachine, final, node } from 'agent-machines';
import { toolReviewState } from 'agent-machines/executor';
import { guards } from './guards.ts';
import { initialState, state } from './state.ts';

/** Routes a message, looks up documents if needed, keeps the conversation within a window, and answers with tools. */
export const machine = defineMachine(state, {
  id: 'chat_agent',
  version: '1',
  initial: 'router',
  context: initialState,
  output: ({ answer, sources, tokens, error }) => ({ answer: answer ?? '', sources, tokens, error }),
  guards,
  states: {
    router: node('router', {
      description: 'Are stored documents needed for the answer?',
      done: [{ guard: 'routeIsRag', target: 'rag' }, 'memory'],
      error: 'stopped',
    }),
    rag: node('rag', { description: 'Looks passages up. Asks no model.', done: 'memory', error: 'stopped' }),
    memory: node('memory', {
      description: 'Puts old messages into a summary when there are too many.',
      done: 'agent',
      error: 'stopped',
    }),
    agent: node('agent', {
      description: 'Answers, or asks for tools.',
      done: [{ guard: 'hasToolCalls', target: 'tools' }, 'done'],
      error: 'stopped',
    }),
    tools: node('tools', {
      description: 'Executes what the model asked for, and answers every call. Asks no model.',
      done: [{ guard: 'awaitsApproval', target: 'tool_review' }, 'agent'],
      error: 'stopped',
    }),
    tool_review: toolReviewState('tools'),
    done: final(),
    stopped: final('failure'),
  },
});
