import { toolReviewState } from 'agent-machines/tools';
import { setup } from 'xstate';
import { guards } from './guards.ts';
import { initialState, state } from './state.ts';

/** Routes a message, looks up documents if needed, keeps the conversation within a window, and answers with tools. */
export const machine = setup({
  types: state.types,
  actors: {
    router: state.slot('router'),
    rag: state.slot('rag'),
    memory: state.slot('memory'),
    agent: state.slot('agent'),
    tools: state.slot('tools'),
  },
  guards: state.guards(guards),
  actions: { merge: state.merge },
}).createMachine({
  id: 'chat_agent',
  version: '1',
  initial: 'router',
  context: ({ input }) => initialState(input),
  output: ({ context }) => ({ answer: context.answer ?? '', sources: context.sources, tokens: context.tokens, error: context.error }),
  states: {
    router: {
      description: 'Decides whether the answer needs stored documents.',
      invoke: {
        src: 'router',
        input: ({ context }) => context,
        onDone: [
          { guard: 'routeIsRag', target: 'rag', actions: 'merge' },
          { target: 'memory', actions: 'merge' },
        ],
        onError: { target: 'stopped', actions: 'merge' },
      },
    },
    rag: {
      description: 'Searches passages. Calls no model.',
      invoke: {
        src: 'rag',
        input: ({ context }) => context,
        onDone: { target: 'memory', actions: 'merge' },
        onError: { target: 'stopped', actions: 'merge' },
      },
    },
    memory: {
      description: 'Summarises old messages when there are too many.',
      invoke: {
        src: 'memory',
        input: ({ context }) => context,
        onDone: { target: 'agent', actions: 'merge' },
        onError: { target: 'stopped', actions: 'merge' },
      },
    },
    agent: {
      description: 'Answers, or calls tools.',
      invoke: {
        src: 'agent',
        input: ({ context }) => context,
        onDone: [
          { guard: 'hasToolCalls', target: 'tools', actions: 'merge' },
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
          { target: 'agent', actions: 'merge' },
        ],
        onError: { target: 'stopped', actions: 'merge' },
      },
    },
    tool_review: toolReviewState('tools', { batch: true }),
    done: { type: 'final' },
    stopped: { type: 'final', tags: 'failure' },
  },
});
