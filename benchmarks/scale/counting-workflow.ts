import { defineState, defineWorkflow, type Workflow } from 'agent-machines';
import { setup } from 'xstate';

interface CountingState {
  readonly count: number;
  readonly nodes: number;
}

const state = defineState<CountingState, number, number>();

const machine = setup({
  types: state.types,
  actors: { work: state.slot('work') },
  guards: state.guards({ hasMore: ({ count, nodes }) => count < nodes }),
  actions: { merge: state.merge },
}).createMachine({
  id: 'counting',
  version: '1',
  initial: 'work',
  context: ({ input }) => ({ count: 0, nodes: input }),
  output: ({ context }) => context.count,
  states: {
    work: {
      invoke: {
        src: 'work',
        input: ({ context }) => context,
        onDone: [
          { guard: 'hasMore', target: 'work', reenter: true, actions: 'merge' },
          { target: 'done', actions: 'merge' },
        ],
        onError: { target: 'failed', actions: 'merge' },
      },
    },
    done: { type: 'final' },
    failed: { type: 'final', tags: 'failure' },
  },
});

/** Counts in as many nodes as its input says, and does nothing else. */
export const counting: Workflow<number, CountingState, number> = defineWorkflow({
  machine,
  nodes: { work: async ({ count }) => ({ count: count + 1 }) },
});

/** The nodes of a run whose speed is told, and of one that is long enough to tell a step from a start and an end. */
export const shortRun = 6;
export const longRun = 50;
