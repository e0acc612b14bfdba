import {
  createRuntime,
  defineMachine,
  defineState,
  defineWorkflow,
  engineOf,
  final,
  lintWorkflow,
  nested,
  node,
  parallel,
  parallelNodes,
  type RunEvent,
  toGraph,
  waiting,
} from 'agent-machines';
import { toMermaid } from 'agent-machines/inspect';
import { describe, expect, it } from 'vitest';
import { type AnyStateMachine, createActor } from 'xstate';
import { bothForms } from '../../../fixtures/both-forms.ts';

const says = (word: string) => async () => ({ log: [word] });
const fails = async (): Promise<never> => {
  throw new Error('no');
};
/** The handlers of the nodes that a machine has. */
const nodesOf = (machine: AnyStateMachine, failing: string) =>
  Object.fromEntries(Object.keys(machine.implementations.actors).map((name) => [name, name === failing ? fails : says(name)]));

/** A whole run: what it said, but for what differs from run to run, and how it ended. */
async function play(machine: AnyStateMachine, answers: readonly string[], failing: string, engine?: 'xstate') {
  const workflow = defineWorkflow({ machine, nodes: nodesOf(machine, failing), ...(engine ? { engine } : {}) });
  const runtime = createRuntime();
  let run = runtime.start(workflow, { first: 'x' } as never);
  let result = await run.result;
  for (const type of answers) {
    if (result.status !== 'waiting' || !result.interrupt) break;
    run = await runtime.send(run.id, { type }, { interruptId: result.interrupt.id });
    result = await run.result;
  }
  const said: object[] = [];
  for await (const event of run.events()) said.push(withoutChance(event));
  await runtime.close();
  return { engine: engineOf(workflow), said, result };
}

function withoutChance(event: RunEvent): object {
  const { at: _, seq, ...rest } = event;
  if (rest.type === 'interrupt') return { seq, type: rest.type, key: rest.interrupt.key, accepts: rest.interrupt.accepts };
  if (rest.type === 'node-end') return { ...rest, seq, durationMs: 0 };
  return rest.type === 'run-start' ? { seq, type: rest.type, workflow: rest.workflow, version: rest.version } : { seq, ...rest };
}

/** The same under XState's own actor: every state and context that it came to. */
async function playLive(machine: AnyStateMachine, answers: readonly string[], failing: string) {
  const { machine: live } = defineWorkflow({ machine, nodes: nodesOf(machine, failing) });
  const seen: object[] = [];
  const actor = createActor(live, { input: { first: 'x' } });
  const left = [...answers];
  await new Promise<void>((resolve) => {
    actor.subscribe({
      next: ({ value, context, status }) => {
        seen.push({ value, context, status });
        if (!actor.getSnapshot().hasTag('waiting')) return;
        const type = left.shift();
        if (type) queueMicrotask(() => actor.send({ type }));
        else resolve();
      },
      complete: resolve,
    });
    actor.start();
  });
  actor.stop();
  return { seen, output: actor.getSnapshot().output };
}

describe.each(bothForms)('defineMachine: $name', ({ short, literal, answers }) => {
  it('has the graph, lint result and drawing of the written-out machine', () => {
    expect(toGraph(short)).toEqual(toGraph(literal));
    expect(lintWorkflow(short)).toEqual(lintWorkflow(literal));
    expect(toMermaid(toGraph(short))).toBe(toMermaid(toGraph(literal)));
  });

  it('has the config of the written-out machine, apart from functions', () => {
    expect(JSON.parse(JSON.stringify(short.config))).toEqual(JSON.parse(JSON.stringify(literal.config)));
  });

  it('has the structure of the written-out machine, so either resumes runs of the other', () => {
    const [one, other] = [short, literal].map((machine) => defineWorkflow({ machine, nodes: nodesOf(machine, '') }));
    expect(one?.structureHash).toBe(other?.structureHash);
  });

  it.each(['', 'a', 'b', 'c'])('runs identically on both engines and under XState when "%s" fails', async (failing) => {
    expect(await play(short, answers, failing)).toEqual(await play(literal, answers, failing));
    expect(await play(short, answers, failing, 'xstate')).toEqual(await play(literal, answers, failing, 'xstate'));
    expect(await playLive(short, answers, failing)).toEqual(await playLive(literal, answers, failing));
  });
});

describe('defineMachine', () => {
  const state = defineState<{ readonly n: number }, null, number>();

  it('accepts plain config among the short forms', () => {
    const machine = defineMachine(state, {
      id: 'm',
      initial: 'a',
      context: () => ({ n: 0 }),
      states: {
        a: node('a', { done: 'choose', error: 'failed' }),
        choose: { always: { target: 'done' } },
        done: final(),
        failed: final('failure'),
      },
    });
    expect(lintWorkflow(defineWorkflow({ machine, nodes: { a: async () => ({}) } }).machine)).toEqual([]);
  });

  it('leaves errors that types cannot see to the linter', () => {
    const machine = defineMachine(state, { id: 'm', initial: 'a', context: () => ({ n: 0 }), states: { a: { on: {} }, lost: final() } });
    expect(lintWorkflow(machine).map(({ code }) => code)).toContain('UNREACHABLE_STATE');
  });

  it('targets a state outside nested parallel nodes when one of them fails', () => {
    const machine = defineMachine(state, {
      id: 'm',
      initial: 'both',
      context: () => ({ n: 0 }),
      states: {
        both: parallelNodes(['a', 'b'], { done: 'group', error: 'failed' }),
        group: nested({
          initial: 'again',
          done: 'done',
          states: { again: parallelNodes(['a'], { done: 'good', error: ['bad'] }), good: final(), bad: final() },
        }),
        done: final(),
        failed: final('failure'),
      },
    });
    const { states } = toGraph(machine);
    const targets = states.flatMap(({ path, edges }) => edges.filter(({ on }) => on === 'error').map(({ target }) => [path, target]));
    expect(targets).toEqual([
      ['both.a.run', 'failed'],
      ['both.b.run', 'failed'],
      ['group.again.a.run', 'group.bad'],
    ]);
  });

  const end = { done: final(), failed: final('failure') };
  const make =
    (states: object, initial = 'a') =>
    () =>
      defineMachine(state, { id: 'm', initial, context: () => ({ n: 0 }), states: { ...end, ...states } } as never);
  const call =
    (helper: unknown, ...args: readonly unknown[]) =>
    (): unknown =>
      (helper as (...given: readonly unknown[]) => unknown)(...args);

  it.each<[string, () => unknown, string]>([
    ['a missing target', make({ a: node('a', { done: 'dune', error: 'failed' }) }), "'dune' does not exist"],
    ['a missing target of the machine', make({ a: node('a', { done: '#m.dune', error: 'failed' }) }), "'dune' does not exist"],
    ['no initial state', call(defineMachine, state, { id: 'm', states: end }), 'No initial state'],
    ['a state that is not an object', make({ a: null }), '"a" of the machine is not an object'],
    ['no states', call(defineMachine, state, { id: 'm' }), 'no states'],
    ['no state', call(defineMachine, {}, { id: 'm', states: end }), 'The first argument of defineMachine is not a state'],
    ['a node without edges', call(node, 'a'), "{ node: 'a', done, error }"],
    ['a wait without events', call(waiting), "{ waiting: { EVENT: 'target' } }"],
    [
      'names that are not a list',
      call(parallelNodes, 'ab', { done: 'done', error: 'failed' }),
      "`nodes` is not a list of names. Write { nodes: ['a', 'b'], done, error }",
    ],
    ['a name twice', call(parallelNodes, ['a', 'a'], { done: 'done', error: 'failed' }), '"a" twice'],
    ['nothing inside', call(nested), 'nested({ initial, states })'],
    ['no regions', call(parallel), 'parallel({ states, done })'],
  ])('rejects with a code what types reject: %s', (_what, making, message) => {
    expect(making).toThrow(expect.objectContaining({ code: 'WORKFLOW_INVALID', message: expect.stringContaining(message) }));
  });

  it('leaves a missing edge to the linter', () => {
    const machine = make({ a: call(node, 'a', { done: 'done' })() })();
    expect(lintWorkflow(machine).map(({ code }) => code)).toContain('MISSING_ERROR_EDGE');
  });
});

describe('states as data without types', () => {
  const node = { node: 'a', done: 'done', error: 'failed' };
  it.each<[string, object, string]>([
    ['a timer beside a node', { ...node, after: { 1000: 'done' } }, '"one" has the key "after" beside "node"'],
    ['two kinds', { ...node, waiting: { GO: 'done' } }, '"one" has the key "waiting" beside "node"'],
    ['a wrong key', { ...node, eror: 'failed' }, '"one" has the key "eror" beside "node"'],
    ['an edge beside `waiting`', { waiting: { GO: 'done' }, done: 'done' }, '"one" has the key "done" beside "waiting"'],
    ['a wrong outcome', { final: 'fail' }, '`final` of "one" is "fail"'],
    ['no outcome', { final: false }, '`final` of "one" is false'],
  ])('rejects %s', (_, one, message) => {
    const states = { one, done: { final: true }, failed: { final: 'failure' } };
    expect(() => Reflect.apply(defineMachine, undefined, [defineState(), { id: 'm', initial: 'one', states }])).toThrow(
      expect.objectContaining({ code: 'WORKFLOW_INVALID', message: expect.stringContaining(message) }),
    );
  });
});
