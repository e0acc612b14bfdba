import { defineMachine, defineWorkflow, schemaState } from 'agent-machines';
import { exploreMachine, never } from 'agent-machines/testing';
import { expect, it } from 'vitest';
import { z } from 'zod';

const order = z.object({ charges: z.int().min(0).default(0), receipt: z.string().default(''), fraud: z.boolean().default(false) });
const machine = defineMachine(schemaState(order, { reducers: { charges: (before, more) => before + more } }), {
  id: 'shop',
  initial: 'check',
  guards: { isFraud: ({ fraud }) => fraud },
  states: {
    check: { node: 'check', done: [{ guard: 'isFraud', target: 'refused' }, 'charge'], error: 'refused' },
    charge: { node: 'charge', done: 'done', error: 'refused' },
    done: { final: 'success' },
    refused: { final: 'failure' },
  },
});
const nodes = { check: async () => ({ fraud: false }), charge: async () => ({ charges: 1, receipt: 'r' }) };
const once = never<z.infer<typeof order>>('the card is charged twice', ({ state }) => state.charges > 1);

it('a node may return anything that the state allows', () => {
  const verdict = once.check(exploreMachine(defineWorkflow({ machine, nodes })));
  expect(verdict).toMatchObject({ verdict: 'broken', counterexample: { moves: [{ by: 'check' }] } });
});

it('what a node returns bounds a proof, also with a key that nothing reads', () => {
  const returns = {
    check: z.object({ fraud: z.boolean() }),
    charge: z.object({ charges: z.literal(1), receipt: z.string().min(1) }),
  };
  const explored = exploreMachine(defineWorkflow({ machine, nodes, returns }));
  expect([explored.complete, explored.edgesNeverTaken]).toEqual([true, []]);
  expect(once.check(explored)).toEqual({ verdict: 'holds' });
});
