import { defineMachine, defineState, final, node } from 'agent-machines';
import {
  awaitsApproval,
  noToolReview,
  type ToolReview,
  type ToolReviewEvent,
  toolReviewEvents,
  toolReviewState,
} from 'agent-machines/executor';
import { expect, it } from 'vitest';

const state = defineState<ToolReview, object, null, ToolReviewEvent>({ events: toolReviewEvents });
const guards = { awaitsApproval, always: () => true };

it('reenters while a call waits, then leads to the node that executes the calls', () => {
  const machine = defineMachine(state, {
    id: 'shop',
    initial: 'tools',
    context: () => ({ ...noToolReview }),
    guards,
    states: {
      tools: node('tools', { done: [{ guard: 'awaitsApproval', target: 'tool_review' }, 'done'], error: 'done' }),
      tool_review: toolReviewState('tools'),
      done: final('failure'),
    },
  });
  const decided = [
    { guard: 'awaitsApproval', target: 'tool_review', reenter: true, actions: 'merge' },
    { target: 'tools', actions: 'merge' },
  ];
  expect(machine.config.states?.tool_review).toMatchObject({ tags: 'waiting', on: { APPROVE: decided, EDIT: decided, REJECT: decided } });
});

it('accepts custom edges for EDIT and a custom description', () => {
  expect(toolReviewState('tools', { edit: { guard: 'always', target: 'tools' }, description: 'Waits.' })).toMatchObject({
    description: 'Waits.',
    on: { EDIT: { guard: 'always', target: 'tools', actions: 'merge' }, REJECT: [{}, { target: 'tools' }] },
  });
});

it('checks the names of its edges', () => {
  const options = { id: 'shop', initial: 'tool_review', context: () => ({ ...noToolReview }) } as const;
  const edit = { guard: 'unknown', target: 'tools' } as const;
  const missing = { tool_review: toolReviewState('toolz'), tools: node('tools', { done: 'done', error: 'done' }), done: final('failure') };
  // @ts-expect-error there is no state `toolz`
  expect(() => defineMachine(state, { ...options, guards, states: missing })).toThrow('toolz');
  const states = { ...missing, tool_review: toolReviewState('tools', { edit }) };
  // @ts-expect-error there is no guard `unknown`
  defineMachine(state, { ...options, guards, states });
});
