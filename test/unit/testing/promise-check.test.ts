import { defineMachine, defineWorkflow, schemaState } from 'agent-machines';
import {
  canReach,
  eventually,
  exploreMachine,
  mutateMachine,
  mutationScore,
  never,
  promiseCheck,
  verifyPromises,
} from 'agent-machines/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const order = z.object({
  amount: z.number().min(0).default(0),
  fraud: z.boolean().default(false),
});
const refundIf = (isSmall: (state: z.infer<typeof order>) => boolean) =>
  defineWorkflow({
    machine: defineMachine(schemaState(order, { events: { APPROVE: null, REFUSE: null } }), {
      id: 'refund',
      initial: 'check',
      guards: { isFraud: ({ fraud }) => fraud, isSmall },
      states: {
        check: {
          node: 'check',
          done: [{ guard: 'isFraud', target: 'refused' }, { guard: 'isSmall', target: 'pay' }, 'review'],
          error: 'refused',
        },
        review: { waiting: { APPROVE: 'pay', REFUSE: 'refused' } },
        pay: { node: 'pay', done: 'paid', error: 'refused' },
        paid: { final: 'success' },
        refused: { final: 'failure' },
      },
    }),
    nodes: { check: async () => ({}), pay: async () => ({}) },
  });
const workflow = refundIf(({ amount }) => amount < 500);
const promises = [
  never<z.infer<typeof order>>('fraud is paid', ({ isIn, state }) => isIn('pay') && state.fraud),
  never<z.infer<typeof order>>(
    'a large refund is paid unseen',
    ({ isIn, took, state }) => isIn('pay') && state.amount >= 500 && !took('review', 'APPROVE'),
  ),
  canReach<z.infer<typeof order>>(
    'a payment can be made',
    ({ isIn }) => isIn('paid'),
    ({ isIn }) => isIn('pay'),
  ),
  eventually<z.infer<typeof order>>('every run ends', ({ done }) => done),
];

/** What is wrong with a workflow, found by exploring it. */
const problemsOf = (one: typeof workflow): readonly string[] => {
  const { failures, stuck, cutOff } = exploreMachine(one);
  const broken = verifyPromises(one, { invariants: promises }).promises.filter(({ verdict }) => verdict !== 'holds');
  return [...failures.map(({ by }) => by), ...stuck.map(({ where }) => where), ...cutOff, ...broken.map(({ name }) => name)];
};

describe('promiseCheck', () => {
  it('finds something in the same wrong workflows as their exploration does', async () => {
    const check = promiseCheck(workflow, { invariants: promises });
    const { mutants, killed, survived } = await mutationScore(workflow, check);
    expect([killed.length > 20, survived.length > 5, mutants]).toEqual([true, true, [...mutateMachine(workflow)].length]);
    expect(killed.filter(({ mutant }) => problemsOf(mutant.workflow).length === 0)).toEqual([]);
    expect(survived.filter((mutant) => problemsOf(mutant.workflow).length > 0)).toEqual([]);
  });

  it('finds nothing in the right workflow, and says what is wrong with it', () => {
    expect(promiseCheck(workflow, { invariants: promises })(workflow)).toEqual([]);
    const impossible = never<z.infer<typeof order>>('nothing is paid', ({ isIn }) => isIn('paid'));
    expect(promiseCheck(workflow, { invariants: [...promises, impossible] })(workflow)).toEqual(['nothing is paid']);
  });

  it('finds what only values of the wrong workflow show', () => {
    const check = promiseCheck(workflow, { invariants: promises });
    const higher = refundIf(({ amount }) => amount < 500 || amount === 7777);
    expect(check(higher)).toEqual(['a large refund is paid unseen']);
  });
});
