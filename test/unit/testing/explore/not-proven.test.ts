import { type AnyWorkflow, defineMachine, defineState, defineWorkflow, schemaState } from 'agent-machines';
import { canReach, exploreMachine, type Invariant, type Moment, never } from 'agent-machines/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

// Promises that a run breaks far away from the values that are tried first. A proof may be unable to decide them, but never says that they hold.

type State = Readonly<Record<string, unknown>>;
const asAny = (workflow: unknown): AnyWorkflow => workflow as AnyWorkflow;

/** A wait that an event repeats, and an end that only zero can reach. */
function counter(next: (count: number) => number): AnyWorkflow {
  const state = defineState<{ count: number }, null, null, { type: 'NEXT' } | { type: 'END' }>({
    events: { NEXT: { patch: ({ count }) => ({ count: next(count) }) } },
  });
  const machine = defineMachine(state, {
    id: 'counter',
    initial: 'turn',
    context: () => ({ count: 0 }),
    guards: { isZero: ({ count }) => count === 0 },
    states: {
      turn: {
        waiting: {
          NEXT: { target: 'turn', reenter: true },
          END: [
            { guard: 'isZero', target: 'end' },
            { target: 'turn', reenter: true },
          ],
        },
      },
      end: { final: true },
    },
  });
  return asAny(defineWorkflow({ machine, nodes: {} }));
}

const odometer = (wheel: number): AnyWorkflow => counter((count) => (count + 1) % wheel);

/** A node that fails until it has failed so often. */
function retrying(limit: number): AnyWorkflow {
  const state = schemaState(z.object({ tries: z.int().min(0).default(0) }), {
    reducers: { tries: (before, more) => before + more },
    onError: () => ({ tries: 1 }),
  });
  const machine = defineMachine(state, {
    id: 'retrying',
    initial: 'work',
    guards: { again: ({ tries }) => tries < limit },
    states: {
      work: { node: 'work', done: 'end', error: [{ guard: 'again', target: 'work', reenter: true }, 'failed'] },
      end: { final: true },
      failed: { final: 'failure' },
    },
  });
  return asAny(defineWorkflow({ machine, nodes: { work: async () => ({}) } }));
}

const straight = {
  initial: 'read',
  states: {
    read: { node: 'read', done: 'end', error: 'failed' },
    end: { final: true },
    failed: { final: 'failure' },
  },
} as const;
const read = { nodes: { read: async () => ({}) } };

const patterned = asAny(
  defineWorkflow({
    machine: defineMachine(
      schemaState(
        z.object({
          id: z
            .string()
            .regex(/^[A-Z]{3}-[0-9]{4}$/)
            .default('AAA-0000'),
          amount: z.int().min(0).multipleOf(5).default(0),
        }),
      ),
      { id: 'patterned', ...straight },
    ),
    ...read,
  }),
);

const failing = asAny(
  defineWorkflow({
    machine: defineMachine(
      schemaState(z.object({ text: z.string().default(''), mayRetry: z.boolean().default(false) }), {
        onError: (_state, { message, retryable }) => ({ text: message, mayRetry: retryable }),
      }),
      {
        id: 'failing',
        initial: 'read',
        guards: { mayRetry: ({ mayRetry }) => mayRetry },
        states: {
          read: { node: 'read', done: 'end', error: [{ guard: 'mayRetry', target: 'read', reenter: true }, 'failed'] },
          end: { final: true },
          failed: { final: 'failure' },
        },
      },
    ),
    ...read,
  }),
);

const summing = asAny(
  defineWorkflow({
    machine: defineMachine(
      schemaState(z.object({ total: z.number().min(0).default(0) }), { reducers: { total: (before, more) => before + more } }),
      {
        id: 'summing',
        initial: 'read',
        guards: { isEnough: ({ total }) => total >= 1 },
        states: {
          read: {
            node: 'read',
            done: [
              { guard: 'isEnough', target: 'end' },
              { target: 'read', reenter: true },
            ],
            error: 'failed',
          },
          end: { final: true },
          failed: { final: 'failure' },
        },
      },
    ),
    ...read,
  }),
);

const bounded = asAny(
  defineWorkflow({
    machine: defineMachine(
      schemaState(z.object({ count: z.int().min(0).max(13).default(0), color: z.enum(['red', 'green']).default('red') })),
      { id: 'bounded', ...straight },
    ),
    ...read,
  }),
);

const mailing = asAny(
  defineWorkflow({
    machine: defineMachine(
      schemaState(z.object({ email: z.email().nullable().default(null) }), { events: { MAIL: z.object({ email: z.email() }) } }),
      { id: 'mailing', initial: 'ask', states: { ask: { waiting: { MAIL: 'end' } }, end: { final: true } } },
    ),
    nodes: {},
  }),
);

// constants, so that no text of a predicate names them
const [SMALL, FAR, SOME_TRIES, CODE] = [2, 100, 45, 'MODEL_UNAVAILABLE'];
const counts =
  (count: number) =>
  ({ state }: Moment): boolean =>
    state.count === count;
const where = (path: string, test: (state: State) => boolean) => (moment: Moment) => moment.isIn(path) && test(moment.state);

const breakable: Readonly<Record<string, readonly [AnyWorkflow, (moment: Moment) => boolean]>> = {
  'the last number of a wheel of 10': [odometer(10), counts(9)],
  'the last number of a wheel of 30': [odometer(30), counts(29)],
  'a number in the middle of a wheel': [odometer(20), ({ state }) => Number(state.count) % 7 === 6],
  'a number far up': [counter((count) => count + 1), counts(FAR)],
  'any number far up': [counter((count) => count + 1), ({ state }) => Number(state.count) > 5_000],
  'a number that halves and grows': [counter((count) => (count % 2 === 0 ? count + 3 : count + 1)), counts(62)],
  'the forty-fifth failure': [retrying(70), where('work', ({ tries }) => tries === SOME_TRIES)],
  'the last failure': [retrying(70), where('failed', ({ tries }) => tries === 70)],
  'a prefix within a pattern': [patterned, where('end', ({ id }) => String(id).startsWith('XY'))],
  'a last letter within a pattern': [patterned, where('end', ({ id }) => String(id).endsWith('7'))],
  'a part within a pattern': [patterned, where('end', ({ id }) => String(id).includes('B-1'))],
  'a multiple between two limits': [patterned, where('end', ({ amount }) => Number(amount) > 12 && Number(amount) < 17)],
  'a domain of an email': [mailing, where('end', ({ email }) => String(email).endsWith('@evil.example'))],
  'a word in an error': [failing, where('failed', ({ text }) => String(text).includes('password'))],
  'an error that may be retried': [failing, ({ took, isIn }) => took('read', 'error') && isIn('read')],
  'a sum just above a limit': [
    summing,
    (moment) => moment.took('read', 'done') && moment.isIn('end') && Math.abs(Number(moment.state.total) - 1 - 5e-10) < 4e-10,
  ],
  'a number in a bounded range': [bounded, where('end', ({ count, color }) => count === SMALL && color === 'green')],
};

const verdictOf = (promise: Invariant, workflow: AnyWorkflow): string => promise.check(exploreMachine(workflow)).verdict;

describe('a promise that a run breaks is not proven:', () => {
  it.each(Object.entries(breakable))('%s', (name, [workflow, predicate]) => {
    expect(verdictOf(never(name, predicate), workflow)).not.toBe('holds');
  });
});

describe('a place that can be reached is not denied:', () => {
  const start: (moment: Moment) => boolean = ({ isIn }) => isIn('turn') || isIn('read') || isIn('work');
  it.each<readonly [string, AnyWorkflow, (moment: Moment) => boolean]>([
    ['the end of a wheel', odometer(10), ({ done }) => done],
    ['a number far up', counter((count) => Math.min(count + 1, FAR)), counts(FAR)],
    ['a number in a bounded range', bounded, ({ state }) => state.count === SMALL && state.color === 'green'],
    ['the failure after many tries', retrying(70), ({ isIn }) => isIn('failed')],
  ])('%s', (name, workflow, predicate) => {
    expect(verdictOf(canReach(name, predicate, start), workflow)).not.toBe('broken');
  });

  it('the edge after many tries', () => {
    const explored = exploreMachine(retrying(70));
    expect(explored.complete ? explored.edgesNeverTaken : []).toEqual([]);
  });
});

describe('a predicate', () => {
  const nested = asAny(
    defineWorkflow({
      machine: defineMachine(
        schemaState(
          z.object({
            order: z
              .object({ total: z.number().min(0), items: z.array(z.object({ quantity: z.int().min(1) })) })
              .nullable()
              .default(null),
          }),
        ),
        {
          id: 'nested',
          initial: 'read',
          guards: { isCheap: ({ order }) => order !== null && order.total < 1_000 },
          states: {
            read: { node: 'read', done: [{ guard: 'isCheap', target: 'pay' }, 'end'], error: 'failed' },
            pay: { node: 'pay', done: 'end', error: 'failed' },
            end: { final: true },
            failed: { final: 'failure' },
          },
        },
      ),
      nodes: { read: async () => ({}), pay: async () => ({}) },
    }),
  );
  type Order = { readonly total: number; readonly items: readonly { readonly quantity: number }[] };
  const order = (state: State): Order => state.order as Order;

  it('may rely on what a guard has checked', () => {
    expect(
      verdictOf(
        never(
          'it is empty',
          where('pay', (state) => order(state).items.length === 0),
        ),
        nested,
      ),
    ).toBe('broken');
    expect(
      verdictOf(
        never(
          'it is dear',
          where('pay', (state) => order(state).total >= 1_000),
        ),
        nested,
      ),
    ).toBe('holds');
    expect(
      verdictOf(
        never(
          'it is large',
          where('pay', (state) => order(state).items.some(({ quantity }) => quantity > 50)),
        ),
        nested,
      ),
    ).toBe('broken');
  });

  it('says in every round that no example of an event was accepted', () => {
    const state = defineState<{ count: number }, null, null, { type: 'NEXT' } | { type: 'CODE' }>({
      events: {
        NEXT: { patch: ({ count }) => ({ count: count + 1 }) },
        CODE: {
          parse: () => {
            throw new Error('wrong code');
          },
        },
      },
    });
    const machine = defineMachine(state, {
      id: 'codes',
      initial: 'turn',
      context: () => ({ count: 0 }),
      guards: { isMany: ({ count }) => count > 4 },
      states: {
        turn: {
          waiting: {
            NEXT: [
              { guard: 'isMany', target: 'end' },
              { target: 'turn', reenter: true },
            ],
            CODE: 'open',
          },
        },
        open: { final: true },
        end: { final: true },
      },
    });
    const explored = exploreMachine(asAny(defineWorkflow({ machine, nodes: {} })));
    const verdict = never<State>(
      'it is large',
      where('turn', ({ count }) => Number(count) > 9),
    ).check(explored as never);
    const withoutExample = expect.objectContaining({ code: 'EVENT_WITHOUT_EXAMPLE', message: expect.stringContaining('CODE') });
    expect(explored.gaps).toContainEqual(withoutExample);
    expect(verdict).toMatchObject({ verdict: 'undecided', reasons: expect.arrayContaining([withoutExample]) });
  });

  it('finds an error code that no text names', () => {
    const state = schemaState(z.object({ code: z.string().default('') }), { onError: (_state, { code }) => ({ code }) });
    const workflow = asAny(defineWorkflow({ machine: defineMachine(state, { id: 'codes', ...straight }), ...read }));
    expect(
      verdictOf(
        never(
          'it is unavailable',
          where('failed', ({ code }) => code === CODE),
        ),
        workflow,
      ),
    ).not.toBe('holds');
  });

  it('tells values apart by a value that a key takes only at the end', () => {
    const state = defineState<{ color: string; size: string }, null, null, { type: 'GROW' } | { type: 'END' }>({
      events: { GROW: { patch: () => ({ size: 'large' }) }, END: { patch: () => ({ color: 'green' }) } },
    });
    const machine = defineMachine(state, {
      id: 'colors',
      initial: 'turn',
      context: () => ({ color: 'red', size: 'small' }),
      states: { turn: { waiting: { GROW: { target: 'turn', reenter: true }, END: 'end' } }, end: { final: true } },
    });
    const workflow = asAny(defineWorkflow({ machine, nodes: {} }));
    // only of a large one is the color asked, and nothing is green before the end
    const promise = never(
      'a large one ends green',
      ({ isIn, state: { color, size } }) => isIn('end') && size !== 'small' && color !== 'red',
    );
    expect(verdictOf(promise as never, workflow)).toBe('broken');
    const reachable = canReach('small or red', ({ state: { color, size } }) => size === 'small' || color === 'red');
    expect(verdictOf(reachable as never, workflow)).toBe('broken');
  });
});
