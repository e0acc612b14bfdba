import { type AnyWorkflow, defineMachine, defineWorkflow, schemaState } from 'agent-machines';
import { exploreMachine, never } from 'agent-machines/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

interface Loan {
  readonly amount: number;
  readonly country: string;
  readonly marks: readonly string[];
}
type Guard = (loan: Loan) => boolean;

const LIMIT = 12_500;
const COUNTRY = 'NO';
const MARK = 'late';
const FEW = 2;
const isMore = (amount: number, limit: number): boolean => amount > limit;
const listed = new Set([COUNTRY]);

/** The same three questions, written in the ways that users write them. */
const writings: Readonly<Record<string, readonly [isLarge: Guard, isForeign: Guard, isLate: Guard]>> = {
  literals: [({ amount }) => amount > 12_500, ({ country }) => country !== 'NO', ({ marks }) => marks.includes('late') || marks.length > 2],
  constants: [
    ({ amount }) => amount > LIMIT,
    ({ country }) => country !== COUNTRY,
    ({ marks }) => marks.includes(MARK) || marks.length > FEW,
  ],
  helpers: [
    ({ amount }) => isMore(amount, LIMIT),
    ({ country }) => !listed.has(country),
    ({ marks }) => [...marks].indexOf(MARK) >= 0 || [...marks].length >= FEW + 1,
  ],
  'a whole state': [
    (loan) => !(loan.amount <= LIMIT),
    (loan) => [loan.country].every((one) => one !== COUNTRY),
    (loan) => loan.marks.some((one) => one === MARK) || loan.marks.slice(FEW).length > 0,
  ],
};

const state = schemaState(
  z.object({ amount: z.number().default(0), country: z.string().default('NO'), marks: z.array(z.string()).default([]) }),
);

/** `forgotten` is the question that the machine does not ask. */
function loan([isLarge, isForeign, isLate]: readonly [Guard, Guard, Guard], forgotten: number, inOne: boolean): AnyWorkflow {
  const asked = [isLarge, isForeign, isLate].filter((_, index) => index !== forgotten);
  const parts = ['first', 'second', 'third'] as const;
  const edges = parts.slice(0, asked.length).map((guard) => ({ guard, target: 'human' as const }));
  const [first = isLarge, second = isLarge, third = isLarge] = asked;
  return defineWorkflow({
    machine: defineMachine(state, {
      id: 'loan',
      initial: 'read',
      guards: { first, second, third, any: (one) => asked.some((guard) => guard(one)) },
      states: {
        read: { node: 'read', done: [...(inOne ? [{ guard: 'any' as const, target: 'human' as const }] : edges), 'pay'], error: 'human' },
        human: { node: 'human', done: 'refused', error: 'refused' },
        pay: { node: 'pay', done: 'paid', error: 'refused' },
        paid: { final: true },
        refused: { final: 'failure' },
      },
    }),
    nodes: { read: async () => ({}), human: async () => ({}), pay: async () => ({}) },
  }) as unknown as AnyWorkflow;
}

const ways = Object.entries(writings).flatMap(([guards, machine]) =>
  Object.entries(writings).flatMap(([asks, promise]) =>
    [true, false].map((inOne) => ({
      title: `${guards}, ${inOne ? 'one guard' : 'a guard for each'}, and a promise with ${asks}`,
      machine,
      promise,
      inOne,
    })),
  ),
);

describe.each(ways)('a machine with $title', ({ machine, promise, inOne }) => {
  const verdicts = (forgotten: number): readonly string[] =>
    promise.map((question) => {
      const paid = never('it is paid', ({ isIn, state }) => isIn('pay') && question(state as unknown as Loan));
      return paid.check(exploreMachine(loan(machine, forgotten, inOne))).verdict;
    });

  it('breaks the promise about the question that it does not ask', () => {
    expect([0, 1, 2].map((forgotten) => verdicts(forgotten)[forgotten])).toEqual(['broken', 'broken', 'broken']);
  });

  it('breaks no promise when it asks all questions', () => {
    expect(verdicts(3)).not.toContain('broken');
  });
});
