import { defineMachine, defineState, toGraph } from 'agent-machines';
import {
  awaitsApproval,
  noToolReview,
  type ToolReview,
  type ToolReviewEvent,
  toolReviewEvents,
  toolReviewState,
} from 'agent-machines/tools';
import { expect, it } from 'vitest';
import { setup } from 'xstate';

const state = defineState<ToolReview, object, null, ToolReviewEvent>({ events: toolReviewEvents });
const guards = { awaitsApproval, always: () => true };

const options = { id: 'shop', initial: 'tools', context: () => ({ ...noToolReview }) } as const;
const kit = { types: state.types, actors: { tools: state.slot('tools') }, guards: state.guards(guards), actions: { merge: state.merge } };
const tools = { node: 'tools', done: [{ guard: 'awaitsApproval', target: 'tool_review' }, 'done'], error: 'done' } as const;
const done = { final: 'failure' } as const;

it('reenters while a call waits, then leads to the node that executes the calls', () => {
  const machine = defineMachine(state, { ...options, guards, states: { tools, tool_review: toolReviewState('tools'), done } });
  const decided = [
    { guard: 'awaitsApproval', target: 'tool_review', reenter: true, actions: 'merge' },
    { target: 'tools', actions: 'merge' },
  ];
  expect(machine.config.states?.tool_review).toMatchObject({ tags: 'waiting', on: { APPROVE: decided, EDIT: decided, REJECT: decided } });
});

it('makes the same state in createMachine and in defineMachine', () => {
  const edit = [{ guard: 'always', target: 'tools', actions: 'merge' }] as const;
  const short = defineMachine(state, { ...options, guards, states: { tools, tool_review: toolReviewState('tools', { edit }), done } });
  const literal = setup(kit).createMachine({
    ...options,
    states: {
      tools: {
        invoke: {
          src: 'tools',
          input: ({ context }) => context,
          onDone: [
            { guard: 'awaitsApproval', target: 'tool_review', actions: 'merge' },
            { target: 'done', actions: 'merge' },
          ],
          onError: { target: 'done', actions: 'merge' },
        },
      },
      tool_review: toolReviewState('tools', { edit }),
      done: { type: 'final', tags: 'failure' },
    },
  });
  expect(toGraph(literal)).toEqual(toGraph(short));
});

it('accepts custom edges for EDIT and a custom description', () => {
  const edit = [{ guard: 'always', target: 'tools', actions: 'merge' }] as const;
  expect(toolReviewState('tools', { edit, description: 'Waits.' })).toMatchObject({
    description: 'Waits.',
    on: { EDIT: [{ guard: 'always', target: 'tools', actions: 'merge' }], REJECT: [{}, { target: 'tools' }] },
  });
});

it('checks the names of its edges', () => {
  const edit = [{ guard: 'unknown', target: 'tools', actions: 'merge' }] as const;
  const missing = { tool_review: toolReviewState('toolz'), tools: { node: 'tools', done: 'done', error: 'done' } as const, done };
  // @ts-expect-error there is no state `toolz`
  expect(() => defineMachine(state, { ...options, guards, states: missing })).toThrow('toolz');
  const states = { ...missing, tool_review: toolReviewState('tools', { edit }) };
  // @ts-expect-error there is no guard `unknown`
  defineMachine(state, { ...options, guards, states });
  // @ts-expect-error there is no guard `unknown`
  setup(kit).createMachine({ ...options, states: { tools: { type: 'final' }, tool_review: toolReviewState('tools', { edit }) } });
});
