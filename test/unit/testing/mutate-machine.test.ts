import {
  append,
  createRuntime,
  defineMachine,
  defineState,
  defineWorkflow,
  engineOf,
  final,
  lintWorkflow,
  nested,
  node,
  parallelNodes,
  toGraph,
  waiting,
} from 'agent-machines';
import { type MutationKind, mutateMachine, mutationScore } from 'agent-machines/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

interface DraftState {
  readonly drafts: readonly string[];
  readonly limit: number;
  readonly good: boolean;
}

const state = defineState<DraftState, null, DraftState, { type: 'APPROVE' } | { type: 'REVISE' }>({ reducers: { drafts: append } });
const context = (): DraftState => ({ drafts: [], limit: 2, good: false });
const guards = { isGood: ({ good }: DraftState) => good, hasRoom: ({ drafts, limit }: DraftState) => drafts.length < limit };

const flat = defineMachine(state, {
  id: 'flat',
  initial: 'write',
  context,
  guards,
  output: (last) => last,
  states: {
    write: node('write', {
      done: [{ guard: 'isGood', target: 'review' }, { guard: 'hasRoom', target: 'write', reenter: true }, 'failed'],
      error: 'failed',
    }),
    review: waiting({ APPROVE: 'published', REVISE: 'write' }, { after: { 1000: 'failed' } }),
    published: final(),
    failed: final('failure'),
  },
});

const write = defineWorkflow({ machine: flat, nodes: { write: async () => ({ drafts: ['d'] }) } });
const states: DraftState[] = [
  { drafts: ['d'], limit: 2, good: false },
  { drafts: [], limit: 2, good: true },
];

describe('mutateMachine', () => {
  it('mutates every edge of a flat machine in every way, without duplicates', () => {
    const texts = [...mutateMachine(write, { states })].map(({ description }) => description);
    expect(texts.filter((text) => text.startsWith('write --done'))).toMatchInlineSnapshot(`
      [
        "write --done [isGood]--> review: guard negated",
        "write --done [isGood]--> review: guard dropped",
        "write --done [isGood]--> review: edge dropped",
        "write --done [isGood]--> review: edge retargeted, write",
        "write --done [isGood]--> review: edge retargeted, published",
        "write --done [isGood]--> review: edge retargeted, failed",
        "write --done [hasRoom]--> write: guard negated",
        "write --done [hasRoom]--> write: guard dropped",
        "write --done [hasRoom]--> write: guard off by one, hasRoom with drafts.length + 1",
        "write --done [hasRoom]--> write: guard off by one, hasRoom with drafts.length - 1",
        "write --done [hasRoom]--> write: guard off by one, hasRoom with limit + 1",
        "write --done [hasRoom]--> write: guard off by one, hasRoom with limit - 1",
        "write --done [hasRoom]--> write: edge dropped",
        "write --done [hasRoom]--> write: edge retargeted, review",
        "write --done [hasRoom]--> write: edge retargeted, published",
        "write --done [hasRoom]--> write: edge retargeted, failed",
        "write --done--> failed: edge dropped",
        "write --done--> failed: edge retargeted, review",
        "write --done--> failed: edge retargeted, published",
        "write --done [isGood]--> review: edges swapped, with the edge to write, in order",
        "write --done [isGood]--> review: edges swapped, with the edge to write, in target",
        "write --done [isGood]--> review: edges swapped, with the edge to failed, in order",
        "write --done [isGood]--> review: edges swapped, with the edge to failed, in target",
      ]
    `);
    expect(texts.filter((text) => !text.startsWith('write --done'))).toMatchInlineSnapshot(`
      [
        "write --error--> failed: edge dropped",
        "write --error--> failed: edge retargeted, write",
        "write --error--> failed: edge retargeted, review",
        "write --error--> failed: edge retargeted, published",
        "review --APPROVE--> published: edge dropped",
        "review --APPROVE--> published: edge retargeted, write",
        "review --APPROVE--> published: edge retargeted, review",
        "review --APPROVE--> published: edge retargeted, failed",
        "review --REVISE--> write: edge dropped",
        "review --REVISE--> write: edge retargeted, review",
        "review --REVISE--> write: edge retargeted, published",
        "review --REVISE--> write: edge retargeted, failed",
        "review --after 1000--> failed: edge dropped",
        "review --after 1000--> failed: edge retargeted, write",
        "review --after 1000--> failed: edge retargeted, review",
        "review --after 1000--> failed: edge retargeted, published",
        "reducer of drafts: reducer dropped",
        "reducer of drafts: reducer keeps the old value",
        "reducer of drafts: reducer arguments swapped",
        "review after 1000: timer longer",
        "output: output dropped",
        "output: output loses a key, drafts",
        "output: output loses a key, limit",
        "output: output loses a key, good",
      ]
    `);
    expect(new Set(texts).size).toBe(texts.length);
  });

  it('changes only the edges of one state for one event', () => {
    const before = toGraph(write.machine).states;
    const isEdge = (kind: MutationKind): boolean => /^(?:guard|edge)/.test(kind);
    for (const { workflow } of mutateMachine(write, { states, kinds: isEdge })) {
      const after = toGraph(workflow.machine).states;
      const changed = after.flatMap((each, index) => (JSON.stringify(each) === JSON.stringify(before[index]) ? [] : [{ each, index }]));
      expect(changed).toHaveLength(1);
      for (const { each, index } of changed) {
        const [was, is] = [before[index]?.edges ?? [], each.edges].map((edges) => Map.groupBy(edges, ({ on }) => on));
        const events = [...new Set([...(was?.keys() ?? []), ...(is?.keys() ?? [])])];
        expect(events.filter((on) => JSON.stringify(was?.get(on)) !== JSON.stringify(is?.get(on)))).toHaveLength(1);
      }
      expect(workflow.structureHash).not.toBe(write.structureHash);
    }
  });

  it('returns workflows that run on the same engine as the original', async () => {
    const visits = async (description: string): Promise<readonly string[]> => {
      const mutant = [...mutateMachine(write, { states })].find((each) => each.description === description);
      if (!mutant) throw new Error(`there is no ${description}`);
      expect(engineOf(mutant.workflow).engine).toBe('table');
      const result = await createRuntime({ limits: { nodeVisits: 9 } }).start(mutant.workflow, null).result;
      if (!('finalState' in result)) return [result.status];
      return [result.finalState, ...result.output.drafts];
    };
    expect(await createRuntime().start(write, null).result).toMatchObject({ status: 'failed', resumable: false, finalState: 'failed' });
    const hasRoom = 'write --done [hasRoom]--> write';
    expect(await visits(`${hasRoom}: guard off by one, hasRoom with drafts.length + 1`)).toEqual(['failed', 'd']);
    expect(await visits(`${hasRoom}: guard off by one, hasRoom with limit + 1`)).toEqual(['failed', 'd', 'd', 'd']);
    expect(await visits(`${hasRoom}: guard negated`)).toEqual(['failed', 'd']);
    expect(await visits(`${hasRoom}: guard dropped`)).toEqual(['failed']);
    expect(await visits(`${hasRoom}: edge dropped`)).toEqual(['failed', 'd']);
    expect(await visits(`${hasRoom}: edge retargeted, published`)).toEqual(['published', 'd']);
    expect(await visits('write --done [isGood]--> review: guard negated')).toEqual(['waiting']);
  });

  it('also returns mutants that lint would reject', () => {
    const refused = [...mutateMachine(write)].filter(({ workflow }) => lintWorkflow(workflow.machine).length > 0);
    expect(refused.map(({ description }) => description)).toContain('write --error--> failed: edge dropped');
  });

  it('mutates nested and parallel states, timers and the ends of groups', () => {
    const groups = defineMachine(state, {
      id: 'groups',
      initial: 'both',
      context,
      guards,
      states: {
        both: parallelNodes(['left', 'right'], { done: [{ guard: 'isGood', target: 'inner' }, 'failed'], error: 'failed' }),
        inner: nested({
          initial: 'first',
          states: { first: node('left', { done: 'second', error: '#groups.failed' }), second: final() },
          done: 'published',
          after: { 500: 'failed' },
        }),
        published: final(),
        failed: final('failure'),
      },
    });
    const left = async (): Promise<object> => ({});
    const workflow = defineWorkflow({ machine: groups, nodes: { left, right: left } });
    const mutants = [...mutateMachine(workflow, { states })];
    for (const mutant of mutants) expect(() => toGraph(mutant.workflow.machine)).not.toThrow();
    expect(mutants.map(({ description }) => description)).toMatchInlineSnapshot(`
      [
        "both --state.done [isGood]--> inner: guard negated",
        "both --state.done [isGood]--> inner: guard dropped",
        "both --state.done [isGood]--> inner: edge dropped",
        "both --state.done [isGood]--> inner: edge retargeted, both",
        "both --state.done [isGood]--> inner: edge retargeted, published",
        "both --state.done--> failed: edge dropped",
        "both --state.done--> failed: edge retargeted, both",
        "both --state.done--> failed: edge retargeted, published",
        "both.left.run --done--> both.left.end: edge dropped",
        "both.left.run --done--> both.left.end: edge retargeted, both.left.run",
        "both.left.run --error--> failed: edge dropped",
        "both.left.run --error--> failed: edge retargeted, both",
        "both.left.run --error--> failed: edge retargeted, inner",
        "both.left.run --error--> failed: edge retargeted, published",
        "both.right.run --done--> both.right.end: edge dropped",
        "both.right.run --done--> both.right.end: edge retargeted, both.right.run",
        "both.right.run --error--> failed: edge dropped",
        "both.right.run --error--> failed: edge retargeted, both",
        "both.right.run --error--> failed: edge retargeted, inner",
        "both.right.run --error--> failed: edge retargeted, published",
        "inner --state.done--> published: edge dropped",
        "inner --state.done--> published: edge retargeted, both",
        "inner --state.done--> published: edge retargeted, inner",
        "inner --state.done--> published: edge retargeted, failed",
        "inner --after 500--> failed: edge dropped",
        "inner --after 500--> failed: edge retargeted, both",
        "inner --after 500--> failed: edge retargeted, inner",
        "inner --after 500--> failed: edge retargeted, published",
        "inner.first --done--> inner.second: edge dropped",
        "inner.first --done--> inner.second: edge retargeted, inner.first",
        "inner.first --error--> failed: edge dropped",
        "inner.first --error--> failed: edge retargeted, both",
        "inner.first --error--> failed: edge retargeted, inner",
        "inner.first --error--> failed: edge retargeted, published",
        "reducer of drafts: reducer dropped",
        "reducer of drafts: reducer keeps the old value",
        "reducer of drafts: reducer arguments swapped",
        "inner after 500: timer longer",
        "both: region dropped, left",
        "both: region dropped, right",
      ]
    `);
  });

  it('finds numbers in lists and behind methods', () => {
    interface Steps {
      readonly steps: readonly { readonly cost: number; readonly ok: boolean }[];
    }
    const kit = defineState<Steps, null, null>();
    const seen = (test: (state: Steps) => boolean): readonly string[] => {
      const machine = defineMachine(kit, {
        id: 'm',
        initial: 'a',
        context: () => ({ steps: [] }),
        guards: { test },
        states: { a: node('a', { done: [{ guard: 'test', target: 'b' }, 'c'], error: 'c' }), b: final(), c: final('failure') },
      });
      const one = defineWorkflow({ machine, nodes: { a: async () => ({}) } });
      const mutants = [...mutateMachine(one, { states: [{ steps: [{ cost: 3, ok: true }] }, { steps: [] }] })];
      return mutants.filter(({ kind }) => kind === 'guard off by one').map(({ description }) => description.replace(/.* with /, ''));
    };
    expect(seen(({ steps }) => steps.length > 0)).toEqual(['steps.length + 1', 'steps.length - 1']);
    expect(seen(({ steps }) => steps.some(({ cost }) => cost > 3))).toEqual(['steps[].cost + 1', 'steps[].cost - 1']);
    expect(seen(({ steps }) => steps[0]?.cost === 3)).toEqual(['steps[].cost + 1', 'steps[].cost - 1']);
    expect(seen(({ steps }) => steps.filter(({ ok }) => ok).length > 1)).toEqual([
      'steps.filter().length + 1',
      'steps.filter().length - 1',
    ]);
    expect(seen(({ steps }) => steps.every(({ ok }) => ok))).toEqual([]);
  });

  it('omits mutants that always decide like the original', () => {
    const kit = defineState<{ readonly a: boolean; readonly b: boolean }, null, null>();
    const machine = defineMachine(kit, {
      id: 'm',
      initial: 'run',
      context: () => ({ a: false, b: false }),
      guards: { a: (s) => s.a, b: (s) => s.b },
      states: {
        run: node('run', { done: [{ guard: 'a', target: 'x' }, { guard: 'b', target: 'x' }, 'y'], error: 'y' }),
        x: final(),
        y: final('failure'),
      },
    });
    const mutants = [...mutateMachine(defineWorkflow({ machine, nodes: { run: async () => ({}) } }))];
    expect(mutants.filter(({ description }) => description.includes('swapped, with the edge to x'))).toEqual([]);
    expect(mutants.map(({ description }) => description)).toMatchInlineSnapshot(`
      [
        "run --done [a]--> x: guard negated",
        "run --done [a]--> x: guard dropped",
        "run --done [a]--> x: edge dropped",
        "run --done [a]--> x: edge retargeted, run",
        "run --done [a]--> x: edge retargeted, y",
        "run --done [b]--> x: guard negated",
        "run --done [b]--> x: edge dropped",
        "run --done [b]--> x: edge retargeted, run",
        "run --done--> y: edge dropped",
        "run --done--> y: edge retargeted, run",
        "run --done [a]--> x: edges swapped, with the edge to y, in order",
        "run --done [a]--> x: edges swapped, with the edge to y, in target",
        "run --error--> y: edge dropped",
        "run --error--> y: edge retargeted, run",
        "run --error--> y: edge retargeted, x",
      ]
    `);
  });
});

describe('mutateMachine, besides edges', () => {
  const talk = defineState<DraftState, null, DraftState, { type: 'SAY'; text: string } | { type: 'QUIT' }>({
    reducers: { drafts: append },
    events: {
      SAY: {
        parse: (event) => z.object({ type: z.literal('SAY'), text: z.string() }).parse(event),
        patch: (_state, { text }) => ({ drafts: [text], good: false }),
      },
      QUIT: { parse: (event) => z.object({ type: z.literal('QUIT') }).parse(event), patch: () => ({ limit: 0 }) },
    },
    onError: () => ({ limit: 99, good: false }),
  });
  const talking = defineWorkflow({
    machine: defineMachine(talk, {
      id: 'talk',
      initial: 'write',
      context: () => ({ drafts: [], limit: 2, good: true }),
      guards: { isFull: ({ drafts, limit }) => drafts.length >= limit },
      output: (last) => ({ ...last }),
      states: {
        write: { node: 'write', done: 'ask', error: 'failed' },
        ask: {
          waiting: {
            SAY: [
              { guard: 'isFull', target: 'end' },
              { target: 'ask', reenter: true },
            ],
            QUIT: 'failed',
          },
          after: { 1000: 'failed' },
        },
        end: { final: true },
        failed: { final: 'failure' },
      },
    }),
    nodes: {
      write: async ({ limit }) => {
        if (limit === 3) throw new Error('no');
        return { drafts: ['first'] };
      },
    },
  });
  const isPart = (kind: MutationKind): boolean => !/^(?:guard|edge)/.test(kind);
  const parts = [...mutateMachine(talking, { kinds: isPart })];
  const mutant = (description: string) => {
    const found = parts.find((each) => each.description === description);
    if (!found) throw new Error(`there is no ${description}`);
    return found.workflow;
  };
  /** Says one word after another, until the run ends. */
  async function saying(workflow: typeof talking, ...texts: readonly string[]) {
    const runtime = createRuntime({ workflows: [workflow] });
    const run = runtime.start(workflow, null);
    let result = await run.result;
    for (const text of texts) {
      if (result.status !== 'waiting' || !result.interrupt) break;
      result = await (await runtime.of(workflow).send(run.id, { type: 'SAY', text }, { interruptId: result.interrupt.id })).result;
    }
    return result;
  }

  it('breaks each part once', () => {
    expect(parts.map(({ description }) => description)).toMatchInlineSnapshot(`
      [
        "reducer of drafts: reducer dropped",
        "reducer of drafts: reducer keeps the old value",
        "reducer of drafts: reducer arguments swapped",
        "change by SAY: event change dropped",
        "change by SAY: event change loses a key, drafts",
        "change by SAY: event change loses a key, good",
        "change by QUIT: event change dropped",
        "onError: failure change dropped",
        "onError: failure change loses a key, limit",
        "onError: failure change loses a key, good",
        "ask after 1000: timer longer",
        "output: output dropped",
        "output: output loses a key, drafts",
        "output: output loses a key, limit",
        "output: output loses a key, good",
      ]
    `);
  });

  it('breaks guards along with the state', async () => {
    expect(await saying(talking, 'a')).toMatchObject({ status: 'done', output: { drafts: ['first', 'a'], good: false } });
    expect(await saying(mutant('reducer of drafts: reducer dropped'), 'a', 'b')).toMatchObject({ status: 'waiting' });
    expect(await saying(mutant('reducer of drafts: reducer keeps the old value'), 'a', 'b')).toMatchObject({ status: 'waiting' });
    expect(await saying(mutant('reducer of drafts: reducer arguments swapped'), 'a')).toMatchObject({ output: { drafts: ['a', 'first'] } });
    expect(await saying(mutant('change by SAY: event change dropped'), 'a', 'b')).toMatchObject({ status: 'waiting' });
    expect(await saying(mutant('change by SAY: event change loses a key, drafts'), 'a', 'b')).toMatchObject({ status: 'waiting' });
    expect(await saying(mutant('output: output loses a key, good'), 'a')).toMatchObject({ output: { drafts: ['first', 'a'], limit: 2 } });
  });

  it('leaves the structure of the journal as it is, unless a timer changes', () => {
    for (const { kind, workflow } of parts) expect(workflow.structureHash === talking.structureHash).toBe(kind !== 'timer longer');
  });

  it('has no mutants of a symmetric reducer with swapped arguments, or of an event that changes nothing', () => {
    const sum = defineState<{ n: number }, null, null, { type: 'GO' }>({
      reducers: { n: (a, b) => a + b },
      events: { GO: { patch: () => ({}) } },
    });
    const machine = defineMachine(sum, {
      id: 'sum',
      initial: 'ask',
      context: () => ({ n: 1 }),
      states: { ask: { waiting: { GO: 'end' } }, end: { final: true } },
    });
    const made = [...mutateMachine(defineWorkflow({ machine, nodes: {} }), { kinds: isPart })];
    expect(made.map(({ kind }) => kind)).toEqual(['reducer dropped', 'reducer keeps the old value']);
  });

  it('is scored by a check of runs', async () => {
    const check = async (workflow: typeof talking) => {
      const result = await saying(workflow, 'a', 'b');
      return 'output' in result && JSON.stringify(result.output) === '{"drafts":["first","a"],"limit":2,"good":false}' ? [] : ['wrong'];
    };
    const { survived } = await mutationScore(talking, check, { kinds: isPart });
    expect(survived.map(({ description }) => description)).toEqual([
      'change by QUIT: event change dropped',
      'onError: failure change dropped',
      'onError: failure change loses a key, limit',
      'onError: failure change loses a key, good',
      'ask after 1000: timer longer',
    ]);
  });
});
