import { type AnyWorkflow, defineMachine, defineWorkflow, schemaState } from 'agent-machines';
import { exploreMachine, never } from 'agent-machines/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const asAny = (workflow: unknown): AnyWorkflow => workflow as AnyWorkflow;

describe('an exploration', () => {
  it('is not repeated for a promise that reads no state', () => {
    let asked = 0;
    const state = schemaState(z.object({ amount: z.int().min(0).max(9).default(0) }));
    const machine = defineMachine(state, {
      id: 'payment',
      initial: 'price',
      guards: {
        isLarge: ({ amount }) => {
          asked++;
          return amount > 5;
        },
      },
      states: {
        price: { node: 'price', done: [{ guard: 'isLarge', target: 'review' }, 'paid'], error: 'failed' },
        review: { node: 'review', done: 'paid', error: 'failed' },
        paid: { final: true },
        failed: { final: 'failure' },
      },
    });
    const explored = exploreMachine(asAny(defineWorkflow({ machine, nodes: { price: async () => ({}), review: async () => ({}) } })));
    const before = asked;
    const apart = never('it is paid although the review fails', ({ isIn, took }) => isIn('paid') && took('review', 'error'));
    expect(apart.check(explored)).toEqual({ verdict: 'holds' });
    const reviewed = never('a small amount is reviewed', ({ isIn, by }) => isIn('review') && by !== 'price');
    expect(reviewed.check(explored)).toEqual({ verdict: 'holds' });
    expect(asked).toBe(before);
    expect(
      never('a large amount is paid', ({ state: { amount }, isIn }) => isIn('paid') && Number(amount) > 7).check(explored),
    ).toMatchObject({
      verdict: 'broken',
    });
    expect(asked).toBeGreaterThan(before);
  });

  it('stops early if many moves never come to rest', () => {
    const flag = z.boolean().default(false);
    const state = schemaState(z.object({ a: flag, b: flag, c: flag, d: flag }));
    const machine = defineMachine(state, {
      id: 'spinning',
      initial: 'work',
      guards: { comesToRest: ({ a, b, c, d }: Record<string, boolean>) => a && b && c && d },
      states: {
        work: { node: 'work', done: 'wheel', error: 'failed' },
        wheel: {
          type: 'parallel',
          states: {
            left: { initial: 'l', states: { l: { type: 'final' } } },
            right: { initial: 'r', states: { r: { type: 'final' } } },
          },
          onDone: [
            { guard: 'comesToRest', target: 'end' },
            { target: 'wheel', reenter: true },
          ],
        },
        end: { final: true },
        failed: { final: 'failure' },
      },
    } as never);
    const explored = exploreMachine(asAny(defineWorkflow({ machine, nodes: { work: async () => ({}) } } as never)), { maxStates: 10 });
    const codes = explored.failures.map(({ error }) => error.code);
    expect(new Set(codes)).toEqual(new Set(['ENDLESS_LOOP']));
    expect(codes.length).toBeLessThan(5); // of 15
    expect(explored.gaps).toContainEqual(expect.objectContaining({ code: 'TOO_MANY_PLACES' }));
  });
});
