import {
  type AnyWorkflow,
  append,
  defineMachine,
  defineState,
  defineWorkflow,
  joinTaint,
  noTaint,
  type StateOptions,
  schemaState,
  type Workflow,
} from 'agent-machines';
import {
  callBounds,
  callsAtMost,
  type Exploration,
  type ExploredMove,
  exploreMachine,
  type Invariant,
  neverLoses,
  neverShrinks,
  onlyAfter,
  until,
} from 'agent-machines/testing';
import { addUsage } from 'agent-machines/tools';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { toMachine, toWorkflow } from '../../../fixtures/equality/machine-config.ts';
import { machinePlans } from '../../../fixtures/equality/machine-plan.ts';
import { isBuilt, issuesOf, toConfig } from '../../../fixtures/equality/plan-config.ts';
import { flatMachines, flatWorkflow } from '../../../fixtures/flat-machines.ts';
import { says } from '../../../fixtures/log-workflow.ts';
import { share } from '../../../fixtures/share.ts';

type Value = Readonly<Record<string, unknown>>;
type Reducer = (current: never, next: never) => unknown;
type AnyReducer = (current: unknown, next: unknown) => unknown;

/** A machine whose node returns `key`, with a wait that accepts SAY. */
function machineOf(
  first: unknown,
  reducer: Reducer | undefined,
  more: StateOptions<Value, { type: 'SAY' }> = {},
): Workflow<undefined, Value, null> {
  const state = defineState<Value, undefined, null, { type: 'SAY' }>({
    ...(reducer ? { reducers: { key: reducer as AnyReducer } } : {}),
    ...more,
  });
  const machine = defineMachine(state, {
    id: 'm',
    initial: 'work',
    context: () => ({ key: first, other: 0 }),
    states: {
      work: { node: 'work', done: 'ask', error: 'failed' },
      ask: { waiting: { SAY: 'end' } },
      end: { final: true },
      failed: { final: 'failure' },
    },
  });
  return defineWorkflow({ machine, nodes: { work: async () => ({}) } }) as Workflow<undefined, Value, null>;
}

const verdictOf = (promise: Invariant<Value>, workflow: Workflow<undefined, Value, null>): string =>
  promise.check(exploreMachine(workflow)).verdict;

const loses = neverLoses<Value>('nothing is lost', ['key']);
const shrinks = neverShrinks<Value>('nothing shrinks', ['key']);

type Doc = { readonly id: string; readonly source: { readonly page: number } };
const docs = (current: readonly Doc[], next: readonly Doc[]): readonly Doc[] => {
  const known = new Set(current.map(({ id }) => id));
  return [...current, ...next.filter(({ id }) => !known.has(id) && known.add(id))];
};
const byPage = (current: readonly Doc[], next: readonly Doc[]): readonly Doc[] => [
  ...new Map([...next, ...current].map((doc) => [`${doc.id} ${doc.source.page}`, doc])).values(),
];
interface Parts {
  readonly list: readonly string[];
  readonly cost: number;
  readonly known: boolean;
}
const parts = (a: Parts, b: Parts): Parts => ({ list: [...a.list, ...b.list], cost: a.cost + b.cost, known: a.known || b.known });
const noParts: Parts = { list: [], cost: 0, known: false };

/** Reducers that lose nothing, each with a first value, and wrong ones. */
const reducers: Readonly<Record<string, readonly [first: unknown, right: Reducer, wrong: Readonly<Record<string, Reducer>>]>> = {
  append: [
    [],
    append,
    {
      prepends: (a: never[], b: never[]) => [...b, ...a],
      'keeps two': (a: never[], b: never[]) => [...a, ...b].slice(0, 2),
      'keeps the last 500': (a: never[], b: never[]) => [...a, ...b].slice(-500),
    },
  ],
  'append of copies': [
    [],
    (a: object[], b: object[]) => [...a, ...b.map((item) => ({ ...item }))],
    { 'drops the first': (a: object[], b: object[]) => [...a, ...b.slice(1)] },
  ],
  'documents by id': [[], docs, { 'forgets the oldest': (a: Doc[], b: Doc[]) => docs(a, b).slice(1) }],
  'distinct texts': [
    [],
    (a: string[], b: string[]) => [...new Set([...a, ...b])],
    { sorted: (a: string[], b: string[]) => [...new Set([...b, ...a])] },
  ],
  taint: [
    noTaint,
    joinTaint,
    { 'only private': (a: never, b: never) => ({ ...joinTaint(a, b), untrusted: joinTaint(noTaint, b).untrusted }) },
  ],
  usage: [
    { inputTokens: 0, outputTokens: 0 },
    addUsage,
    { 'only output': (a: never, b: never) => ({ ...addUsage(a, b), inputTokens: 0 }) },
  ],
  sum: [
    0,
    (a: number, b: number) => a + b,
    { difference: (a: number, b: number) => a - b, least: (a: number, b: number) => Math.min(a, b) },
  ],
  largest: [0, (a: number, b: number) => Math.max(a, b), { least: (a: number, b: number) => Math.min(a, b) }],
  flag: [false, (a: boolean, b: boolean) => a || b, { both: (a: boolean, b: boolean) => a && b }],
  text: ['', (a: string, b: string) => a + b, { 'last line': (a: string, b: string) => (a.length > 0 ? b : a + b) }],
  parts: [
    noParts,
    parts,
    {
      'the cost of the last': (a: Parts, b: Parts) => ({ ...parts(a, b), cost: b.cost }),
      'the old list': (a: Parts, b: Parts) => ({ ...parts(a, b), list: a.list }),
    },
  ],
};

describe.each(Object.entries(reducers))('neverLoses, for %s', (_, [first, right, wrong]) => {
  it('holds', () => {
    expect(loses.check(exploreMachine(machineOf(first, right)))).toEqual({ verdict: 'holds' });
    expect(verdictOf(shrinks, machineOf(first, right))).toBe('holds');
  });

  it('is broken without the reducer, and by one that ignores what arrives', () => {
    expect(verdictOf(loses, machineOf(first, undefined))).toBe('broken');
    expect(verdictOf(shrinks, machineOf(first, undefined))).toBe('broken');
    expect(
      verdictOf(
        loses,
        machineOf(first, (a: never) => a),
      ),
    ).toBe('broken');
    expect(
      verdictOf(
        shrinks,
        machineOf(first, (a: never) => a),
      ),
    ).toBe('holds');
  });

  it.each(Object.entries(wrong))('is broken by a wrong reducer: %s', (_name, reducer) => {
    expect(verdictOf(loses, machineOf(first, reducer))).toBe('broken');
  });

  it('is broken by an event and by a failure that start anew', () => {
    const event = machineOf(first, undefined, {
      reducers: { key: ((a: never, b: never) => (b === first ? b : right(a, b))) as AnyReducer },
      events: { SAY: { patch: () => ({ key: first }) } },
    });
    const failure = machineOf(first, undefined, {
      reducers: { key: ((a: never, b: never) => (b === first ? b : right(a, b))) as AnyReducer },
      onError: () => ({ key: first }),
    });
    for (const workflow of [event, failure]) expect(verdictOf(shrinks, workflow)).toBe('broken');
  });
});

describe('neverLoses', () => {
  it('finds swapped arguments of lists', () => {
    expect(
      verdictOf(
        loses,
        machineOf([], (a: never[], b: never[]) => append(b, a)),
      ),
    ).toBe('broken');
    expect(verdictOf(loses, machineOf([], byPage))).toBe('broken');
  });

  it('says which values are lost, and shows the state', () => {
    const verdict = loses.check(exploreMachine(machineOf([], undefined)));
    expect(verdict).toMatchObject({
      verdict: 'broken',
      why: 'A node brings [] for "key", which is ["a"]. It becomes []: what was there is lost.',
      counterexample: { start: { where: 'work', state: { key: ['a'] } }, moves: [] },
    });
  });

  it('uses values that the schema of the state allows', () => {
    const schema = z.object({ key: z.array(z.strictObject({ who: z.enum(['ann', 'bob']), text: z.string().min(3) })).default([]) });
    const workflowOf = (reducer: typeof append) =>
      defineWorkflow({
        machine: defineMachine(schemaState(schema, { reducers: { key: reducer as never } }), {
          id: 'm',
          initial: 'work',
          states: { work: { node: 'work', done: 'end', error: 'failed' }, end: { final: true }, failed: { final: 'failure' } },
        }),
        nodes: { work: async () => ({}) },
      });
    const promise = neverLoses<z.output<typeof schema>>('all is kept', ['key']);
    expect(promise.check(exploreMachine(workflowOf(append))).verdict).toBe('holds');
    const onlyAnn = (a: readonly unknown[], b: readonly unknown[]) => [...a, ...b.filter((item) => Object(item).who === 'ann')];
    const found = promise.check(exploreMachine(workflowOf(onlyAnn as typeof append)));
    expect(found).toMatchObject({ verdict: 'broken', why: expect.stringContaining('bob') });
  });

  it('uses values that outcomes bring', () => {
    const workflow = machineOf([], (a: { ok?: boolean }[], b: { ok?: boolean }[]) => [...a, ...b.filter(({ ok }) => ok !== false)]);
    expect(verdictOf(loses, workflow)).toBe('holds'); // no tried item is refused
    const outcomes = { work: [{ patch: { key: [{ ok: false }] } }] };
    expect(loses.check(exploreMachine(workflow, { outcomes })).verdict).toBe('broken');
  });

  it('is undecided for a key whose values are unknown', () => {
    expect(loses.check(exploreMachine(machineOf(null, append)))).toMatchObject({
      verdict: 'undecided',
      reasons: [{ code: 'NEVER_BREAKABLE', message: 'No two values of "key" are known that its reducer merges.' }],
    });
    const throws = (): never => {
      throw new Error('never');
    };
    expect(verdictOf(loses, machineOf([], throws))).toBe('undecided');
    const changes = (a: unknown[], b: unknown[]): unknown[] => {
      a.push(...b); // fails in a run, where states are frozen
      return a;
    };
    expect(verdictOf(loses, machineOf([], changes))).toBe('undecided');
  });

  it('rejects a key that the state lacks', () => {
    expect(() => neverLoses<Value>('x', ['kee']).check(exploreMachine(machineOf([], append)))).toThrow(
      expect.objectContaining({ code: 'OPTION_INVALID', message: 'The state of "m" has no key "kee".' }),
    );
  });
});

interface Draft {
  readonly n: number;
}
const draft = defineState<Draft, undefined, null, { type: 'APPROVE' } | { type: 'AGAIN' }>({
  events: { AGAIN: { patch: ({ n }) => ({ n: n + 1 }) } },
});

const inner = (src: string, target: string): object => ({
  invoke: {
    src,
    input: ({ context }: { context: Draft }) => context,
    onDone: { target, actions: 'merge' },
    onError: { target: '#draft.failed', actions: 'merge' },
  },
});

/** A node in a compound state, a wait, and an end; `again` is where AGAIN leads. */
function draftOf(again: string, isGuarded = false) {
  const machine = defineMachine(draft, {
    id: 'draft',
    initial: 'work',
    context: () => ({ n: 0 }),
    guards: { few: ({ n }: Draft) => n < 3 },
    states: {
      work: { initial: 'write', states: { write: inner('write', 'check'), check: inner('check', '#draft.ask') } },
      ask: { waiting: { APPROVE: 'publish', AGAIN: isGuarded ? [{ guard: 'few', target: again }, 'failed'] : again } },
      publish: { node: 'publish', done: 'end', error: 'failed' },
      end: { final: true },
      failed: { final: 'failure' },
    },
  } as never);
  return defineWorkflow({ machine, nodes: { write: async () => ({}), check: async () => ({}), publish: async () => ({}) } as never });
}

describe('onlyAfter', () => {
  const promise = onlyAfter<never>('approved first', 'publish', { from: 'ask', on: 'APPROVE' });

  it('holds without a search if every path takes the edge', () => {
    const explored = exploreMachine(draftOf('work'));
    expect(promise.check(explored as never)).toEqual({ verdict: 'holds' });
    expect(promise.check({ ...explored, states: [], moves: [] } as never)).toEqual({ verdict: 'holds' });
  });

  it('is broken, with a path, if another edge leads there', () => {
    expect(promise.check(exploreMachine(draftOf('publish')) as never)).toMatchObject({
      verdict: 'broken',
      counterexample: { path: expect.anything() },
    });
  });

  it('follows the edges of outer states', () => {
    expect(onlyAfter<never>('x', 'ask', { from: 'work.check', on: 'done' }).check(exploreMachine(draftOf('work')) as never).verdict).toBe(
      'holds',
    );
    expect(onlyAfter<never>('x', 'work.check', { from: 'ask', on: 'AGAIN' }).check(exploreMachine(draftOf('work')) as never).verdict).toBe(
      'broken',
    );
  });

  it('rejects an unknown state or edge', () => {
    const explored = exploreMachine(draftOf('work')) as never;
    for (const wrong of [
      onlyAfter<never>('x', 'publihs', { from: 'ask', on: 'APPROVE' }),
      onlyAfter<never>('x', 'publish', { from: 'ask', on: 'APROVE' }),
      onlyAfter<never>('x', 'publish', { from: 'ask', on: 'APPROVE', guard: 'few' }),
    ])
      expect(() => wrong.check(explored)).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
  });

  it('agrees with until on random machines', () => {
    let held = 0;
    fc.assert(
      fc.property(flatMachines, fc.nat(), fc.nat(), (plan, at, to) => {
        const explored = exploreMachine(flatWorkflow(plan, says('x')), { maxStates: 200 });
        const edges = explored.graph.states.flatMap(({ path, edges: own }) => own.map(({ on }) => ({ from: path, on })));
        const edge = edges[at % edges.length];
        const state = explored.graph.states[to % explored.graph.states.length]?.path ?? '';
        if (!edge) return;
        const { verdict } = onlyAfter<never>('x', state, edge).check(explored as never);
        const searched = until<never>(
          'x',
          ({ isIn }) => !isIn(state),
          ({ took }) => took(edge.from, edge.on),
        ).check(explored as never);
        if (verdict === 'holds') held++;
        expect(searched.verdict === 'broken').toBe(verdict === 'broken');
      }),
      { numRuns: share(300) },
    );
    expect(held).toBeGreaterThan(0);
  });
});

/** @returns `undefined` for a machine that loops at its start. */
function exploredOrNone(workflow: AnyWorkflow): Exploration | undefined {
  try {
    return exploreMachine(workflow, { maxStates: 100 }) as Exploration;
  } catch (error) {
    if (Object(error).code !== 'OPTION_INVALID') throw error;
    return undefined;
  }
}

describe('onlyAfter and callsAtMost', () => {
  it('never hold against the exploration of a nested or parallel machine', () => {
    let [held, limited] = [0, 0];
    fc.assert(
      fc.property(machinePlans, fc.nat(), fc.nat(), (plan, at, to) => {
        const config = toConfig({ ...plan, oddity: 0 });
        if (!isBuilt(config as never) || issuesOf(config as never).length > 0) return;
        const workflow = toWorkflow(toMachine(config), () => async () => ({}));
        const explored = exploredOrNone(workflow as never);
        if (!explored) return; // it never comes to rest
        const { states } = explored.graph;
        const edges = states.flatMap(({ path, edges: own }) => own.map(({ on }) => ({ from: path, on })));
        const edge = edges[at % edges.length];
        const state = states[to % states.length]?.path ?? '';
        if (!edge || edge.on === 'always' || edge.on === 'state.done') return; // a start may already have taken it
        const isIn = ({ where }: { readonly where: string }) =>
          where.split('|').some((path) => path === state || path.startsWith(`${state}.`));
        const avoids = (move: ExploredMove) => !move.edges.some(({ from, on }) => from === edge.from && on === edge.on);
        // places that a run reaches without the edge
        const reached = new Set(explored.states.filter(({ depth }) => depth === 0));
        for (const place of reached) for (const move of explored.moves) if (move.from === place && avoids(move)) reached.add(move.to);
        const { verdict } = onlyAfter<never>('x', state, edge).check(explored as never);
        if (verdict === 'holds' && [...reached].some(isIn)) expect([state, edge]).toEqual([]);
        if (verdict === 'holds' && states.some(({ parent }) => parent !== '')) held++;
        const calls = Object.fromEntries(states.flatMap(({ node }) => (node === undefined ? [] : [[node, 1]])));
        const most = callBounds(explored, { per: 'model', calls, to: () => true })?.max ?? 0;
        if (most < 1) return;
        const limit = { per: 'model', max: Math.min(most, 100) - 1, calls } as const;
        expect(callsAtMost<never>('x', limit).check(explored as never).verdict).not.toBe('holds');
        limited++;
      }),
      { numRuns: share(600, 80) },
    );
    expect([held > 0, limited > 0]).toEqual([true, true]);
  });
});

describe('callsAtMost', () => {
  const calls = { write: 2, check: [0, 1], publish: 1 } as const;
  const atMost = (max: number) => callsAtMost<never>('few calls', { per: 'model', max, calls });

  it('holds without a search if the longest path stays within the limit', () => {
    const explored = exploreMachine(draftOf('failed'));
    expect(atMost(4).check(explored as never)).toEqual({ verdict: 'holds' });
    expect(atMost(4).check({ ...explored, states: [], moves: [] } as never)).toEqual({ verdict: 'holds' });
    expect(atMost(3).check(explored as never)).toMatchObject({ verdict: 'broken', why: 'A path can make 4 calls; the maximum is 3.' });
  });

  it('lets the exploration decide about a loop', () => {
    expect(atMost(99).check(exploreMachine(draftOf('work')) as never).verdict).toBe('broken');
    const unchanged = [{ patch: {} }];
    const guarded = exploreMachine(draftOf('work', true), {
      outcomes: { write: unchanged, check: unchanged, publish: unchanged },
    }) as never;
    expect(atMost(10).check(guarded).verdict).toBe('holds');
    expect(atMost(9).check(guarded).verdict).toBe('broken');
  });

  it('rejects an unknown node', () => {
    const wrong = callsAtMost<never>('x', { per: 'model', max: 9, calls: { wirte: 1 } });
    expect(() => wrong.check(exploreMachine(draftOf('failed')) as never)).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
  });
});
