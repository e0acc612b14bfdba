// A value that tools read and change: whatever is spared, nobody is told a value that was there once.
import { type Json, type StreamEvent, type Tool, WorkflowError } from 'agent-machines';
import { executeCalls, executePlan, type PastCall, type PastStep, type PlanStep, parsePlan, parseToolCall } from 'agent-machines/tools';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { callEnd } from '../fixtures/call-end.ts';
import { share } from '../fixtures/share.ts';

/** What a call does: `get` reads, `set` (idempotent) and `add` (once) write and return the value after it. */
interface Move {
  readonly tool: 'get' | 'set' | 'add';
  readonly n: number;
  /** It throws, before it has done its work or after it. */
  readonly fails: 'before' | 'after' | false;
}

const move: fc.Arbitrary<Move> = fc.record({
  tool: fc.constantFrom('get', 'get', 'set', 'add'),
  n: fc.constantFrom(1, 2),
  fails: fc.oneof({ weight: 8, arbitrary: fc.constant(false as const) }, fc.constantFrom('before' as const, 'after' as const)),
});
const moves = fc.array(move, { minLength: 1, maxLength: 8, size: 'max' });

/** `get` has one form, so that it is often repeated. */
const argsOf = ({ tool, n, fails }: Move): { readonly n: number; readonly fails: string } => ({
  n: tool === 'get' ? 0 : n,
  fails: fails === false ? 'no' : fails,
});

const effects = { get: 'pure', set: 'idempotent', add: 'once' } as const;

/** A value, and its tools, which take their time as `pause` says. */
class Store {
  value = 0;
  readonly tools: readonly Tool[];

  constructor(pause: (what: string) => Promise<void>) {
    this.tools = (['get', 'set', 'add'] as const).map((name) => ({
      name,
      effect: effects[name],
      inputSchema: { type: 'object', properties: { n: { type: 'number' }, fails: { type: 'string' } }, required: ['n', 'fails'] },
      capabilities: { private: false, untrusted: false, external: false },
      execute: async ({ n, fails }): Promise<Json> => {
        await pause(`${name} begins`);
        if (fails === 'before') throw new WorkflowError({ code: 'FETCH_FAILED', message: 'before' });
        if (name === 'set') this.value = Number(n);
        if (name === 'add') this.value += Number(n);
        const value = this.value;
        await pause(`${name} has acted`);
        if (fails === 'after') throw new WorkflowError({ code: 'FETCH_FAILED', message: 'after' });
        return value;
      },
    }));
  }
}

/** One after the other, and nothing is spared but what an equal call has just done: the value that each call returns, its error's code if it fails. */
function interpret(sequence: readonly Move[]): readonly Json[] {
  let value = 0;
  let acted: string | undefined; // the last call with an effect
  const done = new Map<string, number>();
  return sequence.map((each) => {
    const { tool, n, fails } = each;
    const signature = JSON.stringify([tool, argsOf(each)]);
    if (tool !== 'get' && acted === signature && done.has(signature)) return value;
    if (tool !== 'get') {
      acted = signature;
      done.delete(signature);
    }
    if (fails === 'before') return 'FETCH_FAILED';
    if (tool === 'set') value = n;
    if (tool === 'add') value += n;
    if (fails === 'after') return 'FETCH_FAILED';
    done.set(signature, value);
    return value;
  });
}

const valuesOf = (results: readonly (PastStep | PastCall)[]): readonly Json[] => results.map(callEnd);

const stepsOf = (sequence: readonly Move[], first = 1): readonly PlanStep[] =>
  sequence.map((each, index) => ({ step_id: first + index, tool: each.tool, input: argsOf(each) }));

const planOf = (steps: readonly PlanStep[], tools: readonly Tool[], history: readonly PastStep[] = []) =>
  parsePlan(JSON.stringify({ steps }), { tools, completed: history.map(({ step, status }) => ({ step_id: step.step_id, status })) });

const atOnce = (): Promise<void> => Promise.resolve();

describe('sequential calls match a plain interpreter', () => {
  it('in one execution of a plan', async () => {
    let spared = 0;
    await fc.assert(
      fc.asyncProperty(moves, async (sequence) => {
        const { tools } = new Store(atOnce);
        const { results } = await executePlan(planOf(stepsOf(sequence), tools), { tools, execution: 'sequential' });
        expect(valuesOf(results)).toEqual(interpret(sequence));
        spared += results.filter(({ deduplicated }) => deduplicated).length;
      }),
      { numRuns: share(500) },
    );
    expect(spared).toBeGreaterThan(share(20));
  });

  it('in one execution for each step, as plan-execute does it', async () => {
    let spared = 0;
    await fc.assert(
      fc.asyncProperty(moves, async (sequence) => {
        const { tools } = new Store(atOnce);
        const { options, history } = { options: { tools, execution: 'sequential', until: 'wave' } as const, history: [] as PastStep[] };
        let remaining = stepsOf(sequence);
        while (remaining.length > 0) {
          const wave = await executePlan(planOf(remaining, tools, history), { ...options, history });
          expect(wave.results).toHaveLength(1);
          history.push(...wave.results);
          remaining = wave.remaining;
        }
        const failed = sequence.findIndex(({ fails }) => fails);
        const sure = failed === -1 ? sequence.length : failed; // after it another plan would follow, which repeats no `add`
        expect(valuesOf(history).slice(0, sure)).toEqual(interpret(sequence).slice(0, sure));
        spared += history.filter(({ deduplicated }) => deduplicated).length;
      }),
      { numRuns: share(300) },
    );
    expect(spared).toBeGreaterThan(share(20));
  });

  it("in rounds of a model's calls", async () => {
    let spared = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(moves, { minLength: 1, maxLength: 3 }), async (rounds) => {
        const { tools } = new Store(atOnce);
        const history: PastCall[] = [];
        for (const round of rounds) {
          const calls = round.map((each) =>
            parseToolCall({ id: 'c', name: each.tool, arguments: JSON.stringify(argsOf(each)) }, { tools }),
          );
          const { results } = await executeCalls(calls, { tools, history, concurrency: 1 });
          history.push(...results);
        }
        expect(valuesOf(history)).toEqual(interpret(rounds.flat()));
        spared += history.filter(({ deduplicated }) => deduplicated).length;
      }),
      { numRuns: share(300) },
    );
    expect(spared).toBeGreaterThan(share(20));
  });
});

describe('in every order in which calls may act and end', () => {
  it('reuses a result only if the call would return the same at that moment', async () => {
    const seen = { spared: 0, repeated: 0, again: 0 };
    const plans = fc.array(fc.tuple(moves, fc.array(fc.option(fc.nat({ max: 7 }), { freq: 2 }), { maxLength: 8 })), {
      minLength: 1,
      maxLength: 3,
    });
    await fc.assert(
      fc.asyncProperty(plans, fc.integer({ min: 1, max: 4 }), fc.scheduler(), async (tries, concurrency, scheduler) => {
        const store = new Store((what) => scheduler.schedule(Promise.resolve(), what));
        const { tools } = store;
        const history: PastStep[] = [];
        for (const [sequence, after] of tries) {
          /** The value when a call was spared. */
          const then = new Map<string, number>();
          const emit = (event: StreamEvent): void => {
            if (event.type === 'tool-end' && event.deduplicated) then.set(event.callId, store.value);
          };
          const first = 1 + history.reduce((highest, { step }) => Math.max(highest, step.step_id), 0);
          const steps = withOrder(stepsOf(sequence, first), after);
          const { signal } = new AbortController();
          const done = executePlan(planOf(steps, tools, history), {
            tools,
            history,
            concurrency,
            until: 'wave',
            io: { emit, step: (key, work) => work({ number: 1, idempotencyKey: key, signal }) },
          });
          const { results } = await scheduler.waitFor(done);
          for (const past of results) {
            const { step } = past;
            if (!past.deduplicated) seen.repeated++;
            else if (step.tool !== 'add') {
              seen.spared++;
              // a call that reads, or writes what is there, tells the value as it is
              expect([step, callEnd(past)]).toEqual([step, then.get(`step_${step.step_id}`)]);
            }
          }
          if (history.length > 0) seen.again++;
          history.push(...results);
        }
      }),
      { numRuns: share(1_000) },
    );
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(share(50));
  });

  /** Some steps take the output of an earlier one in, so that they come after it. */
  const withOrder = (steps: readonly PlanStep[], after: readonly (number | null)[]): readonly PlanStep[] =>
    steps.map((step, index) => {
      const earlier = after[index] ?? null;
      const source = earlier === null ? undefined : steps[earlier];
      if (!source || earlier === null || earlier >= index) return step;
      const { n: _, ...rest } = step.input as { readonly n: number };
      return { ...step, input: rest, input_from: { n: `step_${source.step_id}` } };
    });

  it('repeats a call after an effect in the plan, and returns the new value', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('set' as const, 'add' as const), { minLength: 1, maxLength: 3 }),
        fc.scheduler(),
        async (writes, scheduler) => {
          const store = new Store((what) => scheduler.schedule(Promise.resolve(), what));
          const { tools } = store;
          const get: Move = { tool: 'get', n: 0, fails: false };
          const sequence = [get, ...writes.map((tool, index): Move => ({ tool, n: index + 1, fails: false })), get];
          const { results } = await scheduler.waitFor(executePlan(planOf(stepsOf(sequence), tools), { tools }));
          expect(results.at(-1)).toMatchObject({ output: store.value, deduplicated: false });
        },
      ),
      { numRuns: share(200) },
    );
  });

  it.each(['auto', 'sequential'] as const)('returns the new value from get, add, get (%s)', async (execution) => {
    const { tools } = new Store(atOnce);
    const sequence: readonly Move[] = (['get', 'add', 'get'] as const).map((tool) => ({ tool, n: 1, fails: false }));
    const { results } = await executePlan(planOf(stepsOf(sequence), tools), { tools, execution });
    expect(results.at(-1)).toMatchObject({ output: 1, deduplicated: false });
  });
});
