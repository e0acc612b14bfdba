import { type AnyWorkflow, defineMachine, defineWorkflow, nested, parallel, schemaState, toGraph, WorkflowError } from 'agent-machines';
import { canReach, type Invariant, never, until, verifyPromises } from 'agent-machines/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { share } from '../fixtures/share.ts';

// Machines with regions side by side and edges that follow by themselves, in which a value can matter far from where it was written.

interface Values {
  readonly a: number;
  readonly b: boolean;
  readonly n: number;
}

const patches = {
  nothing: (): Partial<Values> => ({}),
  'a is 2': () => ({ a: 2 }),
  'b follows a': ({ a }: Values) => ({ b: a === 1 }),
  'a if b': ({ b }: Values) => (b ? { a: 1 } : {}),
  'a turns': ({ a }: Values) => ({ a: (a + 1) % 3 }),
  'n grows': () => ({ n: 1 }),
  'n starts anew': () => ({ n: 0 }),
  both: () => ({ b: false, n: 1 }),
};
const reducers = {
  sum: (before: number, more: number): number => Math.min(2, before + more),
  'sum or nothing': (before: number, more: number): number => (more === 0 ? 0 : Math.min(2, before + more)),
  last: (_before: number, more: number): number => more,
};
const tests: Readonly<Record<string, (state: Values) => boolean>> = {
  isOne: ({ a }) => a === 1,
  isB: ({ b }) => b,
  isHigh: ({ n }) => n >= 2,
  isSame: ({ a, n }) => a === n,
};
const names = <T extends object>(of: T): fc.Arbitrary<keyof T & string> => fc.constantFrom(...(Object.keys(of) as (keyof T & string)[]));

/** Edges of one event: up to one with a guard, and one without. */
const edges = (targets: readonly string[], last: fc.Arbitrary<string> = fc.constantFrom(...targets)): fc.Arbitrary<readonly object[]> =>
  fc
    .tuple(fc.option(fc.tuple(names(tests), fc.constantFrom(...targets)), { nil: undefined }), last)
    .map(([first, target]) => [...(first ? [{ guard: first[0], target: first[1], reenter: true }] : []), { target, reenter: true }]);

/** A node or a wait, which can always go on to the next state. */
const state = (targets: readonly string[], next: string, [one, two]: readonly [string, string]): fc.Arbitrary<object> =>
  fc.tuple(fc.boolean(), edges(targets), edges(targets, fc.constant(next))).map(([waits, done, error]) => {
    return waits ? { waiting: { [one]: done, [two]: error } } : { node: 'work', done, error };
  });

const region = (events: readonly [string, string]): fc.Arbitrary<object> =>
  fc
    .tuple(state(['x', 'y', 'ready'], 'y', events), state(['x', 'y', 'ready', '#m.s1'], 'ready', events))
    .map(([x, y]) => nested({ initial: 'x', states: { x, y, ready: { final: true } } } as never));

const top = ['s0', 's1', 'p', 'end'];
const plans = fc.record({
  s0: state(top, 's1', ['E', 'F']),
  s1: state(top, 'hub', ['E', 'F']),
  hub: edges(top, fc.constant('p')),
  /** True for a state that is left at once, so that its guards see what led there. */
  isHubAutomatic: fc.boolean(),
  left: region(['E', 'F']),
  right: region(['G', 'H']),
  done: edges(top, fc.constant('end')),
  reducer: names(reducers),
  onError: names(patches),
  onEvent: fc.record({ E: names(patches), F: names(patches), G: names(patches), H: names(patches) }),
});
type Plan = typeof plans extends fc.Arbitrary<infer T> ? T : never;

function workflowOf({ s0, s1, hub, isHubAutomatic, left, right, done, reducer, onError, onEvent }: Plan): AnyWorkflow {
  const schema = z.object({
    a: z.int().min(0).max(2).default(0),
    b: z.boolean().default(false),
    n: z.int().min(0).max(2).default(0),
  });
  const kit = schemaState(schema, {
    reducers: { n: reducers[reducer] },
    onError: (before) => patches[onError](before),
    events: { E: null, F: null, G: null, H: null },
    onEvent: Object.fromEntries(Object.entries(onEvent).map(([type, patch]) => [type, (before: Values) => patches[patch](before)])),
  });
  const machine = defineMachine(kit, {
    id: 'm',
    initial: 's0',
    guards: tests,
    states: {
      s0,
      s1,
      hub: isHubAutomatic ? { always: hub } : { node: 'work', done: hub, error: 'end' },
      p: parallel({ states: { left, right }, done } as never),
      end: { final: 'success' },
    },
  } as never);
  return defineWorkflow({ machine, nodes: { work: async () => ({}) } } as never) as unknown as AnyWorkflow;
}

/** Everything that a node can return, and that a human can send. */
const everyPatch = [0, 1, 2].flatMap((a) => [false, true].flatMap((b) => [{}, { n: 0 }, { n: 1 }, { n: 2 }].map((n) => ({ a, b, ...n }))));
const everyEvent = ['E', 'F', 'G', 'H'].map((type) => ({ event: { type } }));

const promisesOf = fc.record({
  test: names(tests),
  where: fc.constantFrom('s0', 's1', 'p.left.y', 'p.right.ready', 'end'),
  from: fc.constantFrom('s0', 's1', 'p.left.x', 'p.right.y'),
});

function invariantsOf({ test, where, from }: { test: string; where: string; from: string }): readonly Invariant<Values>[] {
  const passes = tests[test] ?? (() => false);
  return [
    never<Values>('there', ({ isIn, state: now }) => isIn(where) && passes(now)),
    never<Values>('from there', ({ took, isIn, state: now }) => took(from) && isIn(where) && !passes(now)),
    until<Values>(
      'before',
      ({ isIn }) => !isIn(where),
      ({ state: now }) => passes(now),
    ),
    canReach<Values>('the end', ({ done }) => done),
    canReach<Values>('a state', ({ isIn, state: now }) => isIn(where) && passes(now)),
  ];
}

const verdictsOf = (workflow: AnyWorkflow, invariants: readonly Invariant<Values>[], exploreOptions: object): readonly string[] =>
  verifyPromises(workflow, { invariants, exploreOptions } as never).promises.map(({ verdict = '' }) => verdict);

describe('an exploration that merges places by their live keys', () => {
  it('decides as one that tells all states apart', () => {
    const counts: Record<string, number> = {};
    fc.assert(
      fc.property(plans, promisesOf, fc.boolean(), (plan, promise, isGiven) => {
        let workflow: AnyWorkflow;
        try {
          workflow = workflowOf(plan);
        } catch (error) {
          fc.pre(!(error instanceof WorkflowError && error.code === 'WORKFLOW_INVALID')); // no state has a node
          throw error;
        }
        const waits = toGraph(workflow.machine).states.flatMap(({ kind, path }) => (kind === 'waiting' ? [[path, everyEvent]] : []));
        const outcomes = { work: everyPatch.map((patch) => ({ patch })), ...Object.fromEntries(waits) };
        const invariants = invariantsOf(promise);
        const truths = verdictsOf(workflow, invariants, { outcomes, abstract: (each: Values) => each, maxStates: 100_000 });
        for (const [at, verdict] of verdictsOf(workflow, invariants, isGiven ? { outcomes } : {}).entries()) {
          const pair = `${truths[at]}: ${verdict}`;
          counts[pair] = (counts[pair] ?? 0) + 1;
          expect(['broken: holds', 'holds: broken'], invariants[at]?.name).not.toContain(pair);
        }
      }),
      { numRuns: share(200, 12) },
    );
    expect(counts['broken: broken']).toBeGreaterThan(0);
    expect(counts['holds: holds']).toBeGreaterThan(0);
  });
});
