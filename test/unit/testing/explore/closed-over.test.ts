import { type AnyWorkflow, defineMachine, defineState, defineWorkflow, schemaState } from 'agent-machines';
import { always, exploreMachine, never, type Predicate } from 'agent-machines/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

interface Order {
  readonly amount: number;
  readonly text: string;
  readonly tags: readonly string[];
  readonly fraud: boolean;
}
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

const LIMIT = 4_711;
const FACTOR = 3;
const SHARE = 0.25;
const BLOCKED = new Set(['DE-771', 'FR-12']);
const PREFIX = 'urgent:';
const TAG = 'embargo';
const CODE = 90_210;
const WORD = 'xyzzy';
const IBAN = /^[A-Z]{2}\d{4}$/;
const EVERY = 7;
const LONGEST = 280;
const PRICES = new Map([['gold', 3]]);
const TABLE: Readonly<Record<string, boolean>> = { 'north-west': true };

/** Tests of a state by what they close over: no candidate can be read from their text. */
const forms: Readonly<Record<string, (order: Order) => boolean>> = {
  'a number': ({ amount }) => amount > LIMIT,
  arithmetic: ({ amount }) => amount * FACTOR - 7 > LIMIT,
  'a fraction': ({ amount }) => amount > SHARE && amount < 1,
  'Set.has': ({ text }) => BLOCKED.has(text),
  startsWith: ({ text }) => text.startsWith(PREFIX),
  includes: ({ tags }) => tags.includes(TAG),
  'an equal number': ({ amount }) => amount === CODE,
  'an equal text': ({ text }) => text === WORD,
  'a regular expression': ({ text }) => IBAN.test(text),
  modulo: ({ amount }) => amount % EVERY === 3,
  'a length': ({ text }) => text.length > LONGEST,
};

/** The same for forms that no list of the kit has named. */
const others: Readonly<Record<string, (order: Order) => boolean>> = {
  'Map.get': ({ text }) => (PRICES.get(text) ?? 0) > 2,
  'a table': ({ text }) => TABLE[text] === true,
  'some of a list': ({ tags }) => tags.some((tag) => tag === TAG),
  'a sorted list': ({ tags }) => tags.toSorted().join() === `${TAG},${WORD}`,
  'two keys': ({ amount, text }) => amount > LIMIT && text.endsWith(PREFIX),
  'a sum of a key and a length': ({ amount, tags }) => amount + tags.length === CODE,
  'a bit': ({ amount }) => (amount & 64) !== 0,
  'a rounded number': ({ amount }) => Math.round(amount / 100) === 42,
  'a window': ({ amount }) => amount > LIMIT && amount < LIMIT + 2,
  'a negative window': ({ amount }) => amount < -LIMIT && amount > -LIMIT - 10,
  'a switch': ({ text }) => {
    switch (text.trim().toLowerCase()) {
      case WORD:
        return true;
      default:
        return false;
    }
  },
  JSON: ({ tags }) => JSON.stringify(tags) === JSON.stringify([WORD]),
  'a counted length': ({ tags }) => tags.length === 5,
  'a split text': ({ text }) => text.split('-').length === 4,
  'a code point': ({ text }) => text.charCodeAt(0) === 0x2603,
  'a wrapped object': (order) => Object.entries(order).some(([key, value]) => key === 'text' && value === WORD),
  'a date': ({ text }) => Date.parse(text) > Date.UTC(2030, 0, 1),
  'a number in a text': ({ text }) => Number(text) > LIMIT,
  'a try that fails': ({ text }) => {
    try {
      return Boolean(JSON.parse(text).admin);
    } catch {
      return false;
    }
  },
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

  it.each(Object.entries({ ...forms, ...others }))('is not proven free of %s', (_form, form) => {
    expect(verdictOf(workflow, form, 'pay')).not.toBe('holds');
    expect(verdictOf(workflow, form, 'paid')).not.toBe('holds');
  });

  it('is proven free of what no node can bring', () => {
    const early = never('it is paid before it was read', ({ isIn, by }) => isIn('paid') && by === 'read');
    expect(early.check(exploreMachine(workflow)).verdict).not.toBe('broken');
  });
});
