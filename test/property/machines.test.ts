import { defineState } from 'agent-machines';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cells } from '../fixtures/equality/cells.ts';
import { type Cell, expectEqual } from '../fixtures/equality/expect-equal.ts';
import { type EqualState, type MachineConfig, toMachine, toWorkflow } from '../fixtures/equality/machine-config.ts';
import { machinePlans } from '../fixtures/equality/machine-plan.ts';
import { isBuilt, issuesOf, toConfig } from '../fixtures/equality/plan-config.ts';
import { playRun } from '../fixtures/equality/run-play.ts';
import { share } from '../fixtures/share.ts';

const done = { type: 'final', tags: 'success' };
const failed = { type: 'final', tags: 'failure' };
const node = (src: string, to: unknown = 'done', more: object = {}): object => ({
  invoke: {
    src,
    input: '$state',
    onDone: Array.isArray(to) ? to : { target: to, actions: 'merge' },
    onError: { target: 'failed', actions: 'merge' },
    ...more,
  },
});
const flat = (states: object, more: object = {}): MachineConfig => ({
  initial: Object.keys(states)[0],
  states: { ...states, done, ...(JSON.stringify(states).includes('failed') ? { failed } : {}) },
  ...more,
});

const patch = (values: object, pick = 0): Cell => ({ pick, ending: { patch: values } });
const fail = (message = 'bang', pick = 0): Cell => ({ pick, ending: { error: message } });
const plain = [patch({ log: ['a'], count: 1 }), patch({ log: ['b'], count: 1 }), fail(), patch({})];

const merge = { actions: 'merge' };
const cases: readonly (readonly [what: string, config: MachineConfig, tape: readonly Cell[], engine: 'table' | 'xstate'])[] = [
  [
    'an input that is a function of the state',
    flat({ a: node('n0', 'b', { input: '$more' }), b: node('n1', 'done', { input: '$more' }) }),
    plain,
    'table',
  ],
  [
    'an input that reads the event',
    flat({ a: node('n0', 'b', { input: '$event' }), b: node('n1', 'done', { input: '$event' }) }),
    plain,
    'table',
  ],
  ['an input that does not change', flat({ a: node('n0', 'done', { input: { log: [], count: 9, last: 'x' } }) }), plain, 'table'],
  ['an input that is nothing', flat({ a: node('n0', 'done', { input: null }) }), plain, 'table'],
  ['an input that throws', flat({ a: node('n0', 'b'), b: node('n1', 'done', { input: '$throwsAt3' }) }), [patch({ count: 3 })], 'table'],
  ['an output that throws', flat({ a: node('n0') }, { output: '$throwsAt3' }), [patch({ count: 3 })], 'table'],
  [
    'a guard that throws',
    flat({
      a: node('n0', [
        { target: 'failed', guard: 'throws', ...merge },
        { target: 'done', ...merge },
      ]),
    }),
    [patch({ count: 5 })],
    'table',
  ],
  ['a reducer that throws', flat({ a: node('n0') }), [patch({ count: 4 })], 'table'],
  [
    'a reducer that throws behind an error that nothing merges',
    flat({ a: node('n0', 'b'), b: { tags: 'waiting', on: { BAD: 'done' } } }),
    [patch({ count: 1 }), patch({})],
    'table',
  ],
  [
    'a final state with an id of its own',
    flat(
      { a: node('n0', 'b') },
      { output: '$eventType', states: { a: node('n0', 'b'), b: { type: 'final', id: 'fin', tags: 'success' }, failed } },
    ),
    plain,
    'table',
  ],
  ['an initial state whose edge merges', flat({ a: node('n0') }, { initial: { target: 'a', actions: 'merge' } }), plain, 'table'],
  ['guards without any merge', flat({ a: { tags: 'waiting', on: { SAY: [{ target: 'done', guard: 'odd' }, 'failed'] } } }), plain, 'table'],
  [
    'a payload that is parsed, with guards and without any merge',
    flat({ a: { tags: 'waiting', on: { SAY: [{ target: 'done', guard: 'odd' }, 'failed'] } } }),
    [patch({}, 3), patch({}, 3)],
    'table',
  ],
  [
    "guards and actions as Stately's editor writes them",
    flat({
      a: node('n0', [
        { target: 'b', guard: { type: 'odd' }, actions: { type: 'merge' } },
        { target: 'done', actions: [{ type: 'merge' }] },
      ]),
      b: { tags: 'waiting', on: { GO: { target: 'done', guard: { type: 'yes' } }, STOP: 'failed' } },
    }),
    plain,
    'table',
  ],
  ['a payload that is parsed and merged', flat({ a: { tags: 'waiting', on: { SAY: { target: 'done', ...merge } } } }), plain, 'table'],
  [
    'delays that are not whole',
    flat({ a: { tags: 'waiting', on: { GO: 'done' }, after: { 1.5: { target: 'b', ...merge }, 1.25: 'b' } }, b: node('n0') }),
    [patch({}, 1), patch({})],
    'table',
  ],
  [
    'a node that is left as soon as it is entered',
    flat({ a: { ...node('n0'), always: [{ target: 'b', guard: 'yes' }] }, b: node('n1') }),
    plain,
    'xstate',
  ],
  [
    'a timer that is left as soon as it is entered',
    flat({ a: { after: { 10: 'done' }, always: [{ target: 'b', guard: 'yes' }, { target: 'done' }] }, b: node('n1') }),
    plain,
    'xstate',
  ],
  [
    'a delay that is computed',
    flat({ a: node('n0', 'b'), b: { after: { computed: 'done' } } }),
    [patch({ count: 2 }), patch({})],
    'xstate',
  ],
  ['a delay that has a name', flat({ a: { after: { short: 'done' } } }), plain, 'table'],
  [
    'an event that no edge takes, and that opens an always edge',
    flat({
      a: node('n0', 'b'),
      b: { tags: 'waiting', on: { NOTE: { target: 'failed', guard: 'no' }, GO: 'done' }, always: { target: 'a', guard: 'even' } },
    }),
    [patch({ count: 1 }), patch({}, 1), patch({ count: 2 })],
    'xstate',
  ],
  [
    'an always edge that leads back to where it was, opened again by an event that no edge takes',
    flat({
      p: {
        type: 'parallel',
        states: {
          l: { initial: 'l0', states: { l0: { tags: 'waiting', on: { GO: 'lf' } }, lf: { type: 'final' } } },
          s: { always: 'l', after: { 50: '#m.done' } },
          r: { tags: 'waiting', on: { NOTE: { target: '#m.done', guard: 'no' } } },
        },
        onDone: 'done',
      },
    }),
    [patch({}, 1), patch({}, 1), patch({}, 2)],
    'xstate',
  ],
  [
    'outputs at every level',
    flat(
      {
        outer: {
          initial: 'i',
          states: {
            i: { invoke: { src: 'n0', input: '$event', onDone: { target: 'e', ...merge }, onError: '#m.failed' } },
            e: { type: 'final', id: 'inner-end', output: '$state' },
          },
          onDone: { target: 'b' },
        },
        b: node('n1', 'done', { input: '$event' }),
      },
      { output: '$eventOutput' },
    ),
    plain,
    'xstate',
  ],
  [
    'several targets at once',
    flat(
      {
        a: node('n0', [{ target: ['p.l.l1', 'p.r.r1'], ...merge }]),
        p: {
          type: 'parallel',
          states: {
            l: {
              initial: 'l0',
              states: {
                l0: { always: 'l1' },
                l1: { invoke: { src: 'n1', input: '$state', onDone: { target: 'lf', ...merge }, onError: '#m.failed' } },
                lf: { type: 'final' },
              },
            },
            r: {
              initial: 'r0',
              states: {
                r0: { always: 'r1' },
                r1: { invoke: { src: 'n2', input: '$state', onDone: { target: 'rf', ...merge }, onError: '#m.failed' } },
                rf: { type: 'final' },
              },
            },
          },
          onDone: 'done',
        },
      },
      {},
    ),
    plain,
    'xstate',
  ],
];

/** In the deep mode, as many as the promise of equality is made for. */
const machines = share(20_000, 1_000);

/** A handler for machines that are refused before any node runs. */
const never = () => () => Promise.reject(new Error('it was run'));

describe('a workflow and a live actor of its machine', () => {
  it.each(cases)('are equal: %s', async (_what, config, tape, engine) => {
    expect((await expectEqual(config, tape)).engine).toBe(engine);
  });

  it('are equal when the edge to the first state merges the declared changes of the start', async () => {
    const { merge: merging } = defineState<EqualState, null, unknown, { type: 'xstate.init' }>({
      events: { 'xstate.init': { patch: ({ count }) => ({ count: count + 7 }) } },
    });
    const config = flat({ a: node('n0') }, { initial: { target: 'a', actions: 'merge' } });
    const { engine, last } = await expectEqual(config, plain, { guards: {}, actions: { merge: merging } });
    expect([engine, last.starts[0]?.[1].count]).toEqual(['table', 7]);
  });

  it.each([
    ['output: ({ self }) =>', flat({ a: node('n0') }, { output: '$self' }), 'its output uses "self"'],
    ['context: ({ spawn }) =>', flat({ a: node('n0') }, { context: '$spawn' }), 'its context uses "spawn"'],
    ['input: ({ self }) =>', flat({ a: node('n0', 'done', { input: '$self' }) }), 'the input of its node uses "self"'],
  ])('rejects by name, at definition: %s', (_what, config, message) => {
    expect(() => toWorkflow(toMachine(config), never)).toThrow(message);
  });

  it.each([
    ['an output that takes self in secret', flat({ a: { tags: 'waiting', on: { GO: 'done' } } }, { output: '$selfHidden' }), 'GO'],
    ['a context that spawns in secret', flat({ a: node('n0') }, { context: '$spawnHidden' }), undefined],
  ])('rejects by name, on both engines at run time: %s', async (_what, config, event) => {
    for (const engine of [undefined, 'xstate'] as const) {
      const run = await playRun(toMachine(config), engine);
      await run.seen();
      if (event) await run.act({ type: 'event', name: event });
      const seen = await run.seen({ ...(await run.seen()), at: 'error' });
      expect(seen).toMatchObject({ at: 'error', error: expect.stringMatching(/^WORKFLOW_INVALID .*("self\.id"|"spawn")/) });
      await run.end();
    }
  });

  it('rejects a payload of no defineState', async () => {
    const config = flat({ a: { tags: 'waiting', on: { SAY: 'done' } } });
    for (const engine of [undefined, 'xstate'] as const) {
      const run = await playRun(toMachine(config, { guards: {}, actions: {} }), engine);
      await run.seen();
      await run.act({ type: 'event', name: 'SAY' });
      expect(await run.seen()).toMatchObject({ at: 'error', error: expect.stringMatching(/^EVENT_INVALID/) });
      await run.end();
    }
  });

  it(`are equal, or the machine is rejected by name: ${machines} machines of every shape, in whole runs`, async () => {
    const seen = new Map<string, number>();
    const count = (what: string): void => void seen.set(what, (seen.get(what) ?? 0) + 1);
    await fc.assert(
      fc.asyncProperty(machinePlans, fc.array(cells, { minLength: 1, maxLength: 12 }), async (plan, tape) => {
        const config = toConfig(plan);
        const issues = isBuilt(config) ? issuesOf(config) : undefined;
        for (const { code } of issues ?? []) count(code);
        if (!issues) count('refused by XState');
        fc.pre(issues?.length === 0);
        const { acts, last, engine } = await expectEqual(config, tape);
        count(engine);
        count(last.at);
        count(last.error === '' ? 'no error' : last.error.startsWith('Infinite loop') ? 'endless' : 'error');
        for (const { type } of acts) count(type);
      }),
      { numRuns: machines, maxSkipsPerRun: 20 },
    );
    // a property that sees too little holds by itself
    expect(seen.get('table')).toBeGreaterThan(machines / 5);
    expect(seen.get('xstate')).toBeGreaterThan(machines / 5);
    for (const what of ['node', 'event', 'time', 'done', 'active', 'error']) expect(seen.get(what)).toBeGreaterThan(machines / 20);
    for (const what of ['endless', 'UNSUPPORTED_EFFECT', 'STATE_INVALID', 'NAME_RESERVED']) expect(seen.get(what)).toBeGreaterThan(0);
  }, 3_600_000);
});
