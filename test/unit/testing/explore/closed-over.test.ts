import { type AnyWorkflow, defineMachine, defineState, defineWorkflow, schemaState } from 'agent-machines';
import { always, exploreMachine, never, type Predicate } from 'agent-machines/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { closedOver, type Order } from '../../../fixtures/closed-over.ts';

const first: Order = { amount: 0, text: '', tags: [], fraud: false };

const described = {
  id: 'order',
  initial: 'read',
  states: {
    read: { node: 'read', done: 'pay', error: 'failed' },
    pay: { node: 'pay', done: 'paid', error: 'failed' },
    paid: { final: true },
    failed: { final: 'failure' },
  },
} as const;
const nodes = { read: async () => ({ fraud: true, amount: 9_999 }), pay: async () => ({}) };
const withSchema = schemaState(
  z.object({
    amount: z.number().default(0),
    text: z.string().default(''),
    tags: z.array(z.string()).default([]),
    fraud: z.boolean().default(false),
  }),
);

/** No guard reads anything, so only a promise can tell two orders apart. */
const workflows: Readonly<Record<string, AnyWorkflow>> = {
  'a schema': defineWorkflow({ machine: defineMachine(withSchema, described), nodes }) as unknown as AnyWorkflow,
  'no schema': defineWorkflow({
    machine: defineMachine(defineState<Order, null, null>(), { ...described, context: () => first }),
    nodes,
  }) as unknown as AnyWorkflow,
};

const verdictOf = (workflow: AnyWorkflow, form: (order: Order) => boolean, where: string): string => {
  const predicate: Predicate = ({ isIn, state }) => isIn(where) && form(state as unknown as Order);
  const { verdict } = never('it occurs', predicate).check(exploreMachine(workflow));
  const negated = always('it never occurs', (moment) => !predicate(moment)).check(exploreMachine(workflow)).verdict;
  expect(negated).toBe(verdict);
  return verdict;
};

describe.each(Object.entries(workflows))('a state with %s', (_, workflow) => {
  it('breaks a promise about a value that no guard reads', () => {
    const paid = never('fraud is paid', ({ isIn, state }) => isIn('pay') && state.fraud === true && Number(state.amount) > 1_000);
    expect(paid.check(exploreMachine(workflow))).toMatchObject({
      verdict: 'broken',
      counterexample: { moves: [{ by: 'read', state: { fraud: true } }] },
    });
  });

  it.each(Object.entries(closedOver))('is not proven free of %s', (_form, form) => {
    expect(verdictOf(workflow, form, 'pay')).not.toBe('holds');
    expect(verdictOf(workflow, form, 'paid')).not.toBe('holds');
  });

  it('is proven free of what no node can bring', () => {
    const early = never('it is paid before it was read', ({ isIn, by }) => isIn('paid') && by === 'read');
    expect(early.check(exploreMachine(workflow)).verdict).not.toBe('broken');
  });
});
