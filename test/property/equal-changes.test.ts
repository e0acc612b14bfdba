import { type AnyWorkflow, defineMachine, defineState, defineWorkflow, toGraph } from 'agent-machines';
import { always, canReach, type Invariant, never, until, verifyPromises } from 'agent-machines/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { share } from '../fixtures/share.ts';

// Machines without a schema whose events and failures bring items of lists. Many of these changes are equal but for the text of an item, and
// an exploration follows equal ones once. Some differ only at one value of another key, of the list itself, or of the text.

interface Values {
  readonly items: readonly string[];
  readonly n: number;
  readonly b: boolean;
}
type Say = { readonly type: 'SAY'; readonly text: string } | { readonly type: 'TELL'; readonly text: string };
type Patch = (state: Values, text: string) => Partial<Values>;

const texts = ['a', 'b', 'c'] as const;
const patches: Readonly<Record<string, Patch>> = {
  'an item': (_, text) => ({ items: [text] }),
  'an item if b': ({ b }, text) => (b ? { items: [text] } : {}),
  'two items for a': (_, text) => ({ items: text === 'a' ? [text, text] : [text] }),
  'no item for b at 1': ({ n }, text) => ({ items: n === 1 && text === 'b' ? [] : [text] }),
  'an item until two': ({ items }, text) => (items.length > 1 ? { n: 0 } : { items: [text], n: 1 }),
  'n by the first item': ({ items }, text) => (items[0] === 'c' ? { n: 2 } : { items: [text] }),
  'b by the text': (_, text) => ({ b: text === 'c', items: [text] }),
  'an item only with b at 2': ({ n, b }, text) => (n === 2 ? (b ? { items: [text] } : { n: 0 }) : { n: n + 1 }),
};
const reducers: Readonly<Record<string, (before: readonly string[], more: readonly string[]) => readonly string[]>> = {
  'first three': (before, more) => [...before, ...more].slice(0, 3),
  'last two': (before, more) => [...before, ...more].slice(-2),
  distinct: (before, more) => [...new Set([...before, ...more])],
  'until b': (before, more) => (before.includes('b') ? before : [...before, ...more].slice(0, 3)),
  replaced: (_, more) => more,
};
const tests: Readonly<Record<string, (state: Values) => boolean>> = {
  isEmpty: ({ items }) => items.length === 0,
  hasTwo: ({ items }) => items.length >= 2,
  hasB: ({ items }) => items.includes('b'),
  isOne: ({ n }) => n === 1,
  isB: ({ b }) => b,
};
const names = (of: object): fc.Arbitrary<string> => fc.constantFrom(...Object.keys(of));

const places = ['first', 'second', 'third', 'end'];
const edges = fc.tuple(fc.option(names(tests), { nil: undefined }), fc.constantFrom(...places), fc.constantFrom(...places));
const plans = fc.record({
  say: names(patches),
  tell: names(patches),
  onError: names(patches),
  reducer: names(reducers),
  edges: fc.tuple(edges, edges, edges, edges, edges, edges),
});
type Plan = typeof plans extends fc.Arbitrary<infer T> ? T : never;

const textOf = (event: unknown): string => {
  const { text } = Object(event);
  if (!texts.includes(text)) throw new Error('another text');
  return text;
};

function workflowOf({ say, tell, onError, reducer, edges: all }: Plan): AnyWorkflow {
  const change = (name: string, state: Values, text: string): Partial<Values> => patches[name]?.(state, text) ?? {};
  const schema = { type: 'object', properties: { text: { enum: texts } }, required: ['text'], additionalProperties: false } as const;
  const kit = defineState<Values, null, null, Say>({
    reducers: { items: (before, more) => reducers[reducer]?.(before, more) ?? before },
    onError: (state, { code }) => change(onError, state, code === 'NODE_FAILED' ? 'a' : 'b'),
    events: {
      SAY: { schema, parse: (event) => ({ type: 'SAY', text: textOf(event) }), patch: (state, { text }) => change(say, state, text) },
      TELL: { schema, parse: (event) => ({ type: 'TELL', text: textOf(event) }), patch: (state, { text }) => change(tell, state, text) },
    },
  });
  /** @param next Makes every state reachable. */
  const to = (at: number, next?: string): readonly object[] => {
    const [guard, target, last] = all[at] ?? [undefined, 'end', 'end'];
    const other = next ?? last;
    return [...(guard ? [{ guard, target, reenter: true }] : []), { target: other, reenter: true }];
  };
  const machine = defineMachine(kit, {
    id: 'lists',
    initial: 'first',
    context: () => ({ items: [], n: 0, b: false }),
    guards: tests,
    states: {
      first: { waiting: { SAY: to(0), TELL: to(1, 'second') } },
      second: { node: 'work', done: to(2), error: to(3, 'third') },
      third: { waiting: { SAY: to(4), TELL: to(5, 'end') } },
      end: { final: 'success' },
    },
  } as never);
  return defineWorkflow({ machine, nodes: { work: async () => ({}) } } as never) as unknown as AnyWorkflow;
}

const outcomes = {
  work: [{ patch: {} }, { patch: { b: true } }, { patch: { items: ['b'] } }, { patch: { n: 2, items: [] } }, { error: 'NODE_FAILED' }],
};
const everyEvent = ['SAY', 'TELL'].flatMap((type) => texts.map((text) => ({ event: { type, text } })));

const promisesOf = fc.record({ test: names(tests), where: fc.constantFrom(...places), from: fc.constantFrom('first', 'second', 'third') });

function invariantsOf({ test, where, from }: { test: string; where: string; from: string }): readonly Invariant<Values>[] {
  const passes = tests[test] ?? (() => false);
  return [
    never<Values>('there', ({ isIn, state }) => isIn(where) && passes(state)),
    never<Values>('from there', ({ took, isIn, state }) => took(from) && isIn(where) && !passes(state)),
    always<Values>('after b', ({ isIn, state }) => !isIn(where) || !state.items.includes('b') || passes(state)),
    until<Values>(
      'before',
      ({ isIn }) => !isIn(where),
      ({ state }) => passes(state),
    ),
    canReach<Values>('a state', ({ isIn, state }) => isIn(where) && passes(state)),
  ];
}

const verdictsOf = (workflow: AnyWorkflow, invariants: readonly Invariant<Values>[], exploreOptions: object): readonly string[] =>
  verifyPromises(workflow, { invariants, exploreOptions } as never).promises.map(({ verdict = '' }) => verdict);

describe('an exploration that follows equal changes once', () => {
  it('decides as one that tells all states apart', () => {
    const counts: Record<string, number> = {};
    fc.assert(
      fc.property(plans, promisesOf, fc.boolean(), (plan, promise, isGiven) => {
        const workflow = workflowOf(plan);
        const waits = toGraph(workflow.machine).states.flatMap(({ kind, path }) => (kind === 'waiting' ? [[path, everyEvent]] : []));
        const invariants = invariantsOf(promise);
        const all = { ...outcomes, ...Object.fromEntries(waits) };
        const truths = verdictsOf(workflow, invariants, { outcomes: all, abstract: (each: Values) => each, maxStates: 100_000 });
        for (const [at, verdict] of verdictsOf(workflow, invariants, { outcomes: isGiven ? all : outcomes }).entries()) {
          const pair = `${truths[at]}: ${verdict}`;
          counts[pair] = (counts[pair] ?? 0) + 1;
          expect(['broken: holds', 'holds: broken'], invariants[at]?.name).not.toContain(pair);
        }
      }),
      { numRuns: share(300, 25) },
    );
    expect(counts['broken: broken']).toBeGreaterThan(0);
    expect(counts['holds: holds']).toBeGreaterThan(0);
  });
});
