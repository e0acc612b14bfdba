import { type AnyWorkflow, createRuntime, type HumanEvent, memoryStore, type RunEvent } from 'agent-machines';
import { type Exploration, eventually, exploreMachine, fakeClock, never } from 'agent-machines/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bothForms } from '../fixtures/both-forms.ts';
import { draftWorkflow } from '../fixtures/draft-workflow.ts';
import { cells } from '../fixtures/equality/cells.ts';
import { flatMachines, flatWorkflow } from '../fixtures/flat-machines.ts';
import { says } from '../fixtures/log-workflow.ts';
import { share } from '../fixtures/share.ts';

type Cell = typeof cells extends fc.Arbitrary<infer T> ? T : never;
type Edge = Extract<RunEvent, { readonly type: 'edge' }>;
type Make = (handler: () => Promise<object>) => AnyWorkflow;

const tapes = fc.array(cells, { minLength: 1, maxLength: 15 });
const answers = ['GO', 'SAY', 'STOP', 'BACK', 'time'] as const;

/** The edges of a real run: nodes take their outcomes from the tape, and so do humans and timers when it waits. */
async function edgesOfRun(make: Make, tape: readonly Cell[], input: object | null = null): Promise<readonly Edge[]> {
  let at = 0;
  const workflow = make(async () => {
    const { ending } = tape[at++ % tape.length] ?? {};
    if (ending && 'error' in ending) throw new Error(String(ending.error));
    return ending?.patch ?? {};
  });
  const clock = fakeClock();
  const store = memoryStore();
  const runtime = createRuntime({ clock, store, limits: { nodeVisits: 12 } });
  let run = runtime.start(workflow, input);
  for (const { pick } of tape) {
    const result = await run.result;
    if (result.status !== 'waiting') break;
    const answer = answers[pick % answers.length];
    if (answer === 'time' || answer === undefined || !result.interrupt) await clock.advance(300);
    else {
      const event: HumanEvent = answer === 'SAY' ? { type: answer, text: 'said' } : { type: answer };
      run = await runtime.send(run.id, event, { interruptId: result.interrupt.id }).catch(() => run);
    }
    run = await runtime.resume(run.id).catch(() => run);
  }
  await runtime.close();
  return (await store.journal(run.id)).flatMap(({ events }) => events).filter((event) => event.type === 'edge');
}

/** The edges of a run that no move of an exploration takes to the same place. */
function unexplored({ moves }: Exploration, edges: readonly Edge[]): readonly string[] {
  const known = new Set(moves.flatMap((move) => move.edges.map(({ from, on, guard = '' }) => `${from} ${on} ${guard} ${move.to.where}`)));
  return edges.map(({ from, on, guard = '', to }) => `${from} ${on} ${guard} ${to}`).filter((edge) => !known.has(edge));
}

describe('an exploration', () => {
  it('has every edge of every real run of a flat machine, with outcomes that it proposed itself', async () => {
    let taken = 0;
    await fc.assert(
      fc.asyncProperty(flatMachines, tapes, async (plan, tape) => {
        const make: Make = (handler) => flatWorkflow(plan, handler as never) as AnyWorkflow;
        const explored = exploreMachine(
          make(async () => ({})),
          { maxStates: 500 },
        );
        if (!explored.complete) return;
        const edges = await edgesOfRun(make, tape);
        taken += edges.length;
        expect(unexplored(explored, edges)).toEqual([]);
      }),
      { numRuns: share(60, 20) },
    );
    expect(taken).toBeGreaterThan(share(50));
  });

  it.each(bothForms)(
    'has every edge of every real run of $name, with outcomes that it proposed itself',
    async ({ short }) => {
      const make: Make = (handler) => draftWorkflow(short, handler);
      const explored = exploreMachine(
        make(async () => ({})),
        { inputs: [{ first: 'x' }] },
      );
      expect(explored.complete).toBe(true);
      let taken = 0;
      await fc.assert(
        fc.asyncProperty(tapes, async (tape) => {
          const edges = await edgesOfRun(make, tape, { first: 'x' });
          taken += edges.length;
          expect(unexplored(explored, edges)).toEqual([]);
        }),
        { numRuns: share(60, 20) },
      );
      expect(taken).toBeGreaterThan(share(20));
    },
    120_000,
  );
});

/** The length of a shortest way that ends, or turns in a circle, and does not come to a place: by trying all ways. */
function shortestWithout({ states, moves }: Exploration, where: string, most: number): number | undefined {
  for (let length = 0; length <= most; length++) {
    const tries = states.filter((place) => place.depth === 0 && place.where !== where).map((place) => [place]);
    for (let way = tries.pop(); way; way = tries.pop()) {
      const last = way.at(-1);
      if (way.length - 1 === length) {
        if (last?.done || way.slice(0, -1).some((place) => place === last)) return length;
        continue;
      }
      for (const { from, to } of moves) if (from === last && to.where !== where) tries.push([...way, to]);
    }
  }
  return undefined;
}

describe('a counterexample', () => {
  it('has the minimum length', () => {
    let found = 0;
    fc.assert(
      fc.property(flatMachines, fc.nat(6), (plan, pick) => {
        const explored = exploreMachine(flatWorkflow(plan, says('x')) as AnyWorkflow, {
          abstract: () => null,
          outcomes: Object.fromEntries(plan.flatMap(({ waits }, index) => (waits ? [] : [[`s${index}`, [{ patch: { count: pick } }]]]))),
        });
        const where = ['done', 'failed', ...plan.map((_, index) => `s${index}`)][pick % (plan.length + 2)] ?? 'done';
        const there = explored.states.filter((place) => place.where === where).map(({ depth }) => depth);
        const seen = never('it is never there', ({ isIn }) => isIn(where)).check(explored);
        expect(seen.verdict === 'broken' ? seen.counterexample.moves.length : undefined).toBe(
          there.length === 0 ? undefined : Math.min(...there),
        );
        const missed = eventually('it comes there', ({ isIn }) => isIn(where)).check(explored);
        const shortest = shortestWithout(explored, where, 5);
        const length = missed.verdict === 'broken' ? missed.counterexample.moves.length : undefined;
        if (shortest !== undefined || length === undefined || length <= 5) expect(length).toBe(shortest);
        if (shortest !== undefined) found++;
      }),
      { numRuns: share(150, 50) },
    );
    expect(found).toBeGreaterThan(share(50));
  });
});
