import { defineMachine, defineWorkflow, schemaState } from 'agent-machines';
import { never } from 'agent-machines/testing';
import { z } from 'zod';

const LIMIT = 500;
const refund = z.object({ amount: z.number().min(0).default(0), fraud: z.boolean().default(false) });
export const refundBot = defineWorkflow({
  machine: defineMachine(schemaState(refund, { events: { APPROVE: null, REFUSE: null } }), {
    id: 'refund-bot',
    initial: 'check',
    guards: { isSmall: ({ amount }) => amount < LIMIT, isFraud: ({ fraud }) => fraud },
    states: {
      check: {
        node: 'check',
        done: [{ guard: 'isSmall', target: 'pay' }, { guard: 'isFraud', target: 'refused' }, 'review'],
        error: 'refused',
      },
      review: { waiting: { APPROVE: 'pay', REFUSE: 'refused' } },
      pay: { node: 'pay', done: 'paid', error: 'refused' },
      paid: { final: 'success' },
      refused: { final: 'failure' },
    },
  }),
  nodes: { check: async () => ({ amount: 40 }), pay: async () => ({}) },
});

export const invariants = [
  never('fraud is paid', ({ isIn, state }) => isIn('pay') && state.fraud),
  never('a large refund is paid unseen', ({ isIn, took, state }) => isIn('pay') && state.amount >= LIMIT && !took('review', 'APPROVE')),
];
