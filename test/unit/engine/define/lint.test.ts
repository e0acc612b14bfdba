import { defineState, defineWorkflow, type LintCode, lintWorkflow, toGraph, WorkflowError } from 'agent-machines';
import { describe, expect, it } from 'vitest';
import { type AnyStateMachine, assign, emit, fromCallback, fromObservable, fromPromise, log, raise, sendTo, setup } from 'xstate';
import { nodeLogic } from '../../../../src/engine/define/node.ts';
import { failure, final, logWorkflow, node, says, waiting } from '../../../fixtures/log-workflow.ts';

interface S {
  readonly n: number;
}
const kit = defineState<S, null, number, { type: 'GO' }>();
const idle = nodeLogic<S>(async () => ({}));

/** A machine with the node `a` ready to run, and any states. */
const machineOf = (states: object, more: object = {}, parts: object = {}): AnyStateMachine =>
  setup({
    types: kit.types,
    actors: { a: idle },
    guards: kit.guards({ big: ({ n }) => n > 3 }),
    actions: { merge: kit.merge },
    ...parts,
  } as never).createMachine({
    id: 'm',
    version: '1',
    context: { n: 0 },
    initial: Object.keys(states)[0],
    states,
    ...more,
  } as never) as never;

const issuesOf = (states: object, more: object = {}, parts: object = {}) => lintWorkflow(machineOf(states, more, parts));
const codes = (states: object, more: object = {}, parts: object = {}): string[] =>
  issuesOf(states, more, parts).map(({ code, state }) => `${code} ${state}`.trim());
const messages = (states: object): string[] => issuesOf(states).map(({ message }) => message);

const run = (done: unknown, error: unknown = 'end') => node('a', done, error);

describe('lintWorkflow', () => {
  it('reports no issue for a runnable machine', () => {
    expect(
      codes({
        a: run([
          { target: 'ask', guard: 'big' },
          { target: 'a', reenter: true },
        ]),
        ask: waiting({ GO: 'end' }, { 1000: 'end' }),
        end: final,
      }),
    ).toEqual([]);
  });

  const cases: readonly (readonly [code: LintCode, what: string, states: object, expected: string])[] = [
    ['MISSING_FALLBACK_EDGE', 'a done edge with a guard and no last edge', { a: run([{ target: 'end', guard: 'big' }]), end: final }, 'a'],
    ['MISSING_FALLBACK_EDGE', 'a node without any done edge', { a: { invoke: { src: 'a', onError: 'end' } }, end: final }, 'a'],
    [
      'MISSING_FALLBACK_EDGE',
      'an error edge with a guard and no last edge',
      { a: run('end', [{ target: 'end', guard: 'big' }]), end: final },
      'a',
    ],
    [
      'MISSING_FALLBACK_EDGE',
      'a timer with a guard and no last edge',
      { a: waiting({ GO: 'end' }, { 10: { target: 'end', guard: 'big' } }), end: final },
      'a',
    ],
    [
      'MISSING_FALLBACK_EDGE',
      'an idle state whose always edges have guards',
      { a: { always: [{ target: 'end', guard: 'big' }] }, end: final },
      'a',
    ],
    [
      'MISSING_ERROR_EDGE',
      'a node without an error edge',
      { a: { invoke: { src: 'a', onDone: { target: 'end', actions: 'merge' } } }, end: final },
      'a',
    ],
    [
      'SELF_EDGE_WITHOUT_REENTER',
      'a loop that XState does not run again',
      { a: run([{ target: 'end', guard: 'big' }, 'a']), end: final },
      'a',
    ],
    [
      'SELF_EDGE_WITHOUT_REENTER',
      'a wait that does not ask again',
      { a: waiting({ GO: [{ target: 'end', guard: 'big' }, 'a'] }), end: final },
      'a',
    ],
    [
      'EDGE_WITHOUT_TARGET',
      'an edge that leads nowhere',
      { a: { invoke: { src: 'a', onDone: { actions: 'merge' }, onError: 'end' } }, end: final },
      'a',
    ],
    ['UNREACHABLE_EDGE', 'an edge after one without a guard', { a: run(['end', { target: 'end', guard: 'big' }, 'end']), end: final }, 'a'],
    ['UNREACHABLE_STATE', 'a state that no edge leads to', { a: run('end'), lost: run('end'), end: final }, 'lost'],
    [
      'NO_PATH_TO_FINAL',
      'states that only lead to each other',
      { a: run([{ target: 'end', guard: 'big' }, 'b']), b: run('c', 'c'), c: run('b', 'b'), end: final },
      'b',
    ],
    [
      'NO_PATH_TO_FINAL',
      'a state with an event as its only exit and without a wait',
      {
        a: {
          initial: 'ask',
          on: { STOP: 'end' },
          states: { ask: waiting({ GO: 'dead' }), dead: { initial: 'x', states: { x: {} } } },
        },
        end: final,
      },
      'a.dead',
    ],
    ['WAITING_WITHOUT_EVENTS', 'a wait without an event', { a: waiting({}, { 10: 'end' }), end: final }, 'a'],
    ['WAITING_WITH_NODE', 'a wait that works', { a: { ...run('end'), tags: 'waiting', on: { GO: 'end' } }, end: final }, 'a'],
    ['EVENTS_WITHOUT_WAITING', 'events in a state that does not wait', { a: { ...run('end'), on: { GO: 'end' } }, end: final }, 'a'],
    ['PATCH_DROPPED', 'a done edge without merge', { a: { invoke: { src: 'a', onDone: 'end', onError: 'end' } }, end: final }, 'a'],
    [
      'ALWAYS_LOOP',
      'a loop of always edges',
      { a: run('b'), b: { always: [{ target: 'end', guard: 'big' }, { target: 'c' }] }, c: { always: 'b' }, end: final },
      'b',
    ],
    [
      'ALWAYS_LOOP',
      'a compound state that ends at once and is entered by its end',
      {
        a: {
          initial: 'x',
          states: { x: { always: 'y' }, y: final },
          onDone: [
            { target: 'end', guard: 'big' },
            { target: 'a', reenter: true },
          ],
        },
        end: final,
      },
      'a',
    ],
  ];
  it.each(cases)('%s: %s', (code, _what, states, state) => {
    expect(codes(states)).toContain(`${code} ${state}`);
  });

  it('reports FAILURE_NOT_TAGGED for the target of an error edge', () => {
    const end = (tags?: unknown) => ({ type: 'final', ...(tags === undefined ? {} : { tags }) });
    const tagged = (tags?: unknown) => codes({ a: run('good', 'end'), good: end(), end: end(tags) });
    expect(tagged()).toEqual(['FAILURE_NOT_TAGGED end']);
    expect(tagged('mine')).toEqual(['FAILURE_NOT_TAGGED end']);
    expect(tagged('failure')).toEqual([]);
    expect(tagged(['mine', 'success'])).toEqual([]);
    // behind edges that nothing can stop
    expect(codes({ a: run('good', 'b'), b: { always: 'end' }, good: end(), end: end() })).toEqual(['FAILURE_NOT_TAGGED end']);
    // a node in between has dealt with it
    expect(codes({ a: run('good', 'b'), b: run('end', 'bad'), good: end(), end: end(), bad: failure })).toEqual([]);
    // the end of a region is no end of a run
    const region = { initial: 'x', states: { x: run('y', 'y'), y: end() }, onDone: 'end' };
    expect(codes({ a: region, end: end() })).toEqual([]);
  });

  it('reports AMBIGUOUS_WAIT when two parallel waits accept one event', () => {
    const region = { initial: 'ask', states: { ask: waiting({ GO: 'end' }), end: final } };
    const both = (left: object, right: object) => ({ both: { type: 'parallel', states: { left, right }, onDone: 'end' }, end: final });
    expect(codes(both(region, region))).toEqual(['AMBIGUOUS_WAIT both']);
    const other = { initial: 'ask', states: { ask: waiting({ STOP: 'end' }), end: final } };
    expect(codes(both(region, other))).toEqual([]);
  });

  it('reports AMBIGUOUS_WAIT for events that a parent accepts', () => {
    const left = { initial: 'ask', on: { STOP: '.end' }, states: { ask: waiting({ GO: 'end' }), end: final } };
    const right = { initial: 'ask', states: { ask: waiting({ STOP: 'end' }), end: final } };
    expect(codes({ both: { type: 'parallel', states: { left, right }, onDone: 'end' }, end: final })).toEqual(['AMBIGUOUS_WAIT both']);
  });

  const inline = ({ context }: { context: S }): boolean => context.n > 3;
  const unsupported: readonly (readonly [what: string, states: object, more: object, parts: object])[] = [
    ['entry actions', { a: { ...run('end'), entry: 'merge' }, end: final }, {}, {}],
    ['exit actions', { a: { ...run('end'), exit: log('x') }, end: final }, {}, {}],
    ['sendTo', { a: run({ target: 'end', actions: sendTo('x', { type: 'GO' }) }), end: final }, {}, {}],
    ['raise', { a: run({ target: 'end', actions: raise({ type: 'GO' }) }), end: final }, {}, {}],
    ['emit', { a: run({ target: 'end', actions: emit({ type: 'x' }) }), end: final }, {}, {}],
    ['a custom assign', { a: run({ target: 'end', actions: assign({ n: 1 }) }), end: final }, {}, {}],
    [
      'a custom action',
      { a: run({ target: 'end', actions: 'shout' }), end: final },
      {},
      { actions: { merge: kit.merge, shout: () => {} } },
    ],
    ['an action that does not exist', { a: run({ target: 'end', actions: 'nothing' }), end: final }, {}, {}],
    ['a promise that is not a node', { a: run('end'), end: final }, {}, { actors: { a: fromPromise(async () => ({})) } }],
    ['a long-lived callback', { a: run('end'), end: final }, {}, { actors: { a: fromCallback(() => {}) } }],
    [
      'an observable',
      { a: run('end'), end: final },
      {},
      { actors: { a: fromObservable(() => ({ subscribe: () => ({ unsubscribe() {} }) }) as never) } },
    ],
    ['a child machine', { a: run('end'), end: final }, {}, { actors: { a: setup({}).createMachine({}) } }],
    [
      'several nodes in one state',
      {
        a: {
          invoke: [
            { src: 'a', onDone: { target: 'end', actions: 'merge' }, onError: 'end' },
            { src: 'a', id: 'two' },
          ],
        },
        end: final,
      },
      {},
      {},
    ],
    ['a history state', { a: { initial: 'x', states: { x: run('#m.end', '#m.end'), h: { type: 'history' } } }, end: final }, {}, {}],
    ['edges of the machine itself', { a: waiting({ GO: 'end' }), end: final }, { on: { STOP: '.end' } }, {}],
    ['an event with a wildcard', { a: waiting({ '*': 'end' }), end: final }, {}, {}],
    [
      'snapshots of a node',
      { a: { invoke: { src: 'a', onDone: { target: 'end', actions: 'merge' }, onError: 'end', onSnapshot: {} } }, end: final },
      {},
      {},
    ],
  ];
  it.each(unsupported)('suggests a replacement with UNSUPPORTED_EFFECT: %s', (_what, states, more, parts) => {
    expect(codes(states, more, parts).some((issue) => issue.startsWith('UNSUPPORTED_EFFECT'))).toBe(true);
    const refusals = issuesOf(states, more, parts).filter(({ code }) => code === 'UNSUPPORTED_EFFECT');
    for (const { message } of refusals)
      expect(message).toMatch(/\. (?:Compute|Do|Give|Keep|Move|Name|Remove|Report|Return|Start|Use|Write) /);
  });

  const region = (more: object): object => ({ initial: 'x', states: { x: run('y', '#m.end'), y: { type: 'final', ...more } } });
  const both = { type: 'parallel', states: { left: region({}), right: region({}) }, onDone: 'end' };
  const shapes: [expected: string, what: string, states: object, more?: object][] = [
    ['STATE_INVALID', 'a machine without states', {}, { initial: undefined, states: undefined }],
    ['STATE_INVALID', 'a machine that is parallel', { a: run('end'), end: final }, { type: 'parallel', initial: 'a' }],
    ['STATE_INVALID', 'an initial state that is not there', { a: run('end'), end: final }, { initial: 'b' }],
    ['STATE_INVALID a', 'a missing initial state inside', { a: { initial: 'z', states: { x: final }, onDone: 'end' }, end: final }],
    ['STATE_INVALID a', 'a missing initial target', { a: { initial: { target: 'z' }, states: { x: final }, onDone: 'end' }, end: final }],
    ['STATE_INVALID a', 'an initial state of a state without any', { a: { ...run('end'), initial: 'z' }, end: final }],
    ['STATE_INVALID a', 'a type that does not exist', { a: { ...run('end'), type: 'loop' }, end: final }],
    ['STATE_INVALID a', 'states in an atomic state', { a: { ...run('end'), type: 'atomic', states: { x: final } }, end: final }],
    ['STATE_INVALID a', 'a parallel state without regions', { a: { type: 'parallel', onDone: 'end' }, end: final }],
    ['STATE_INVALID end', 'states in a final state', { a: run('end'), end: { type: 'final', states: { x: final } } }],
    ['STATE_INVALID a', 'targets that exclude each other', { a: run({ target: ['b', 'end'] }), b: run('end'), end: final }],
    ['STATE_INVALID a', 'targets inside each other', { a: run({ target: ['both', 'both.left.y'] }), both, end: final }],
    ['NAME_RESERVED a', 'an event called done', { a: waiting({ done: 'end' }), end: final }],
    ['NAME_RESERVED a', 'an event called error', { a: waiting({ error: 'end' }), end: final }],
    ['NAME_RESERVED a', 'an event called always', { a: waiting({ always: 'end' }), end: final }],
    ['NAME_RESERVED a', 'an event named like a timer', { a: waiting({ 'after 10': 'end' }), end: final }],
    ['NAME_RESERVED a', 'an event of XState', { a: waiting({ 'xstate.done.actor.0.m.a': 'end' }), end: final }],
    ['NAME_RESERVED a|b', 'a name with a path separator', { 'a|b': run('end'), end: final }],
    ['NAME_RESERVED', 'an empty name', { '': run('end'), end: final }, { initial: { target: '' } }],
    ['NAME_RESERVED a', 'an id that XState reads as a wildcard', { a: { ...run('end'), id: 'x.*' }, end: final }],
    ['ID_TWICE b', 'two states with one id', { a: { ...run('b'), id: 'x' }, b: { ...run('end'), id: 'x' }, end: final }],
    [
      'ID_TWICE b',
      'two nodes with one id',
      {
        a: { invoke: { ...(run('b') as { invoke: object }).invoke, id: 'x' } },
        b: { invoke: { ...(run('end') as { invoke: object }).invoke, id: 'x' } },
        end: final,
      },
    ],
    ['ID_TWICE a', 'one delay written twice', { a: waiting({ GO: 'end' }, { 10: 'end', '10.0': 'end' }), end: final }],
    ['FINAL_WITH_WORK end', 'a node in a final state', { a: run('end'), end: { ...run('a', 'a'), type: 'final' } }],
    ['FINAL_WITH_WORK end', 'a timer in a final state', { a: run('end'), end: { type: 'final', after: { 10: 'a' } } }],
    ['FINAL_WITH_WORK end', 'an edge out of a final state', { a: run('end'), end: { type: 'final', always: 'a' } }],
    ['FINAL_WITH_WORK end', 'a final state that waits', { a: run('end'), end: { type: 'final', tags: ['waiting'] } }],
    ['WAITING_WITH_STATES', 'a machine that waits', { a: waiting({ GO: 'end' }), end: final }, { tags: 'waiting' }],
    ['WAITING_WITH_STATES both', 'a parallel state that waits', { both: { ...both, tags: 'waiting' }, end: final }],
    [
      'INPUT_MISSING a',
      'a node without input',
      { a: { invoke: { src: 'a', onDone: { target: 'end', actions: 'merge' }, onError: 'end' } }, end: final },
    ],
    ['DELAY_INVALID a', 'a delay unknown to setup', { a: waiting({ GO: 'end' }, { soon: 'end' }), end: final }],
    ['DELAY_INVALID a', 'a delay below 0', { a: waiting({ GO: 'end' }, { '-5': 'end' }), end: final }],
    ['DELAY_INVALID a', 'an infinite delay', { a: waiting({ GO: 'end' }, { Infinity: 'end' }), end: final }],
    ['EDGE_WITHOUT_TARGET a', 'a timer without any edge', { a: waiting({ GO: 'end' }, { 10: [] }), end: final }],
    [
      'UNSUPPORTED_EFFECT a',
      'a node with a systemId',
      { a: { invoke: { ...(run('end') as { invoke: object }).invoke, systemId: 'x' } }, end: final },
    ],
    ['UNSUPPORTED_EFFECT', 'an action on the initial edge', { a: run('end'), end: final }, { initial: { target: 'a', actions: log('x') } }],
    ['UNSUPPORTED_EFFECT a', 'an edge to the machine itself', { a: run([{ target: '#m', guard: 'big' }, 'end']), end: final }],
    [
      'UNSUPPORTED_EFFECT',
      'a context that spawns',
      { a: run('end'), end: final },
      { context: ({ spawn }: { spawn: () => 1 }) => ({ n: spawn() }) },
    ],
    [
      'UNSUPPORTED_EFFECT',
      'an output of self',
      { a: run('end'), end: final },
      { output: (args: { self: { id: string } }) => args.self.id },
    ],
  ];
  it.each(shapes)('%s: %s', (expected, _what, states, more) => {
    expect(codes(states, more ?? {})).toContain(expected);
  });

  it.each([...cases.map(([code, what, states]): (typeof shapes)[number] => [code, what, states]), ...shapes])(
    'suggests a replacement with %s: %s',
    (expected, _what, states, more = {}) => {
      const [code] = expected.split(' ');
      const found = issuesOf(states, more).filter((issue) => issue.code === code);
      expect(found.length).toBeGreaterThan(0);
      for (const { message } of found) {
        expect(message).toMatch(/\. (?:Add|Compute|Do|Give|Keep|Move|Name|Put|Remove|Report|Return|Split|Start|Tag|Use|Write) /);
      }
    },
  );

  it('names edges without merge once, each with a correction', () => {
    const done = [{ target: 'a', guard: 'big', reenter: true }, { target: 'end' }];
    expect(messages({ a: { invoke: { src: 'a', onDone: done, onError: 'end', input: () => ({}) } }, end: final })).toEqual([
      'its "done" edge has no merge action, so the node\'s result is lost. ' +
        "Write { target: 'a', actions: 'merge' } and { target: 'end', actions: 'merge' }",
    ]);
  });

  it.each([
    [null, 'null'],
    [{}, '{ … }'],
    [5, '5'],
  ])('shows the guard %j, which is not a name', (guard, written) => {
    expect(messages({ a: run([{ target: 'a', reenter: true, guard }, 'end']), end: final })).toEqual([
      `its guard ${written} is not a name. Remove it, or write guard: 'ready', a name of state.guards({ … })`,
    ]);
  });

  it('reports STATE_KIT_MIXED for guards and merge of two defineState calls', () => {
    const other = defineState<S, null, number>();
    const states = { a: run([{ target: 'end', guard: 'big' }, 'end']), end: final };
    const guards = other.guards({ big: ({ n }) => n > 3 });
    expect(codes(states, {}, { guards })).toEqual(['STATE_KIT_MIXED']);
    expect(codes(states, {}, { actions: { merge: kit.merge, too: other.merge } })).toEqual(['STATE_KIT_MIXED']);
  });

  it('supports fractions of milliseconds and several targets', () => {
    const states = {
      a: { ...waiting({ GO: 'both' }), after: { 1.5: 'both', 1.25: { target: ['both.left.y', 'both.right.y'] } } },
      both,
      end: final,
    };
    const machine = machineOf(states);
    expect(lintWorkflow(machine)).toEqual([]);
    expect(toGraph(machine).states[0]?.edges.map(({ on, target, targets }) => [on, target, targets])).toEqual([
      ['GO', 'both', undefined],
      ['after 1.5', 'both', undefined],
      ['after 1.25', 'both.left.y', ['both.left.y', 'both.right.y']],
    ]);
  });

  it("accepts guards and actions in the notation of Stately's editor", () => {
    const edge = { target: 'end', guard: { type: 'big' }, actions: { type: 'merge' } };
    expect(codes({ a: run([edge, { target: 'end', actions: [{ type: 'merge' }] }]), end: final })).toEqual([]);
  });

  it('suggests a replacement for params', () => {
    const guarded = run([{ target: 'end', guard: { type: 'big', params: { at: 3 } }, actions: 'merge' }, 'end']);
    expect(messages({ a: guarded, end: final })).toEqual([
      'its guard "big" has params, which a drawing does not show. Write a guard for each case that reads the state, big: (s) => …',
    ]);
    expect(messages({ a: run({ target: 'end', actions: { type: 'merge', params: { at: 3 } } }), end: final })).toEqual([
      `its action "merge" has params, which are ignored. Write actions: 'merge'`,
    ]);
  });

  it('reports GUARD_UNKNOWN for inline, missing and foreign guards', () => {
    for (const guard of [inline, 'nothing', { type: 'big', params: {} }]) {
      expect(codes({ a: run([{ target: 'end', guard }, 'end']), end: final })).toContain('GUARD_UNKNOWN a');
    }
    const plain = { guards: { big: inline } };
    expect(codes({ a: run([{ target: 'end', guard: 'big' }, 'end']), end: final }, {}, plain)).toContain('GUARD_UNKNOWN a');
  });

  it('accepts compound states', () => {
    const inner = { initial: 'ask', onDone: 'end', on: { STOP: 'end' }, states: { ask: waiting({ GO: 'x' }), x: run('y', 'y'), y: final } };
    expect(codes({ a: inner, end: final })).toEqual([]);
  });

  it('accepts a loop that a guard can leave', () => {
    const inner = {
      initial: 'x',
      states: { x: { always: [{ target: 'z', guard: 'big' }, { target: 'y' }] }, y: run('z', 'z'), z: final },
      onDone: [
        { target: 'end', guard: 'big' },
        { target: 'a', reenter: true },
      ],
    };
    expect(codes({ a: inner, end: final })).toEqual([]);
  });

  it('reports a compound state that can never finish', () => {
    const inner = { initial: 'x', onDone: 'end', states: { x: waiting({ GO: 'y' }), y: waiting({ GO: 'x' }), z: final } };
    expect(codes({ a: inner, end: final })).toEqual(
      expect.arrayContaining(['UNREACHABLE_STATE a.z', 'NO_PATH_TO_FINAL a.x', 'NO_PATH_TO_FINAL a.y']),
    );
  });
});

describe('defineWorkflow', () => {
  it('rejects a machine with every issue in one error', () => {
    const define = () =>
      logWorkflow({
        states: { a: node('a', [{ target: 'done', guard: 'g' }]), lost: final, done: final, failed: failure },
        guards: { g: () => true },
        nodes: { a: says('a') },
      });
    expect(define).toThrow(WorkflowError);
    expect(define).toThrow(/MISSING_FALLBACK_EDGE a: [\s\S]*UNREACHABLE_STATE lost/);
  });

  it('rejects an unused node, and a node without a handler', () => {
    const machine = machineOf({ a: run('end'), end: final }, {}, { actors: { a: kit.slot('a'), b: kit.slot('b') } });
    expect(() => defineWorkflow({ machine, nodes: { a: async () => ({}), b: async () => ({}) } as never })).toThrow(
      /no state runs the node "b"/,
    );
    expect(() => defineWorkflow({ machine, nodes: { a: async () => ({}) } as never })).toThrow(/the node "b" has no handler/);
  });

  it('gives equal machines equal hashes, and different machines different hashes', () => {
    const base = {
      states: { a: node('a', [{ target: 'done', guard: 'g' }, 'b']), b: node('b', 'done'), done: final, failed: failure },
      guards: { g: () => true },
      nodes: { a: says('a'), b: says('b') },
    };
    const hashes = [
      logWorkflow(base),
      logWorkflow({ ...base, nodes: { a: says('other'), b: says('other') } }), // handlers are not structure
      logWorkflow({ ...base, version: '2' }),
      logWorkflow({ ...base, id: 'other' }),
      logWorkflow({
        ...base,
        guards: { g: () => true, h: () => true },
        states: { ...base.states, a: node('a', [{ target: 'done', guard: 'h' }, 'b']) },
      }),
      logWorkflow({ ...base, states: { ...base.states, a: node('a', [{ target: 'failed', guard: 'g' }, 'b']) } }),
      logWorkflow({ ...base, states: { ...base.states, b: node('b', 'done', 'done') } }),
      logWorkflow({ ...base, states: { ...base.states, b: { ...node('b', 'done'), after: { 100: 'failed' } } } }),
    ].map(({ structureHash }) => structureHash);
    expect(hashes[0]).toBe(hashes[1]);
    expect(new Set(hashes.slice(1)).size).toBe(hashes.length - 1);
  });
});
