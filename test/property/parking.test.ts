import { createRuntime, memoryStore, type RunResult, type RunStore, subWorkflow, WorkflowError } from 'agent-machines';
import { crashingStore, type FakeClock, fakeClock } from 'agent-machines/testing';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { final, type LogHandler, type LogState, logWorkflow, node, waiting } from '../fixtures/log-workflow.ts';
import { share } from '../fixtures/share.ts';

/** What a region of a parallel state does, one after the other. */
type Part = 'node' | 'once' | 'doubt' | 'two' | 'timer' | 'wait' | 'inner' | 'left';

interface Plan {
  readonly regions: readonly (readonly Part[])[];
  /** Writes that each process makes before it dies; the last one lives. */
  readonly deaths: readonly number[];
  /** How the store answers: at once, or later. */
  readonly later: boolean;
  readonly resolutions: readonly ('done' | 'retry' | 'abort')[];
}

const parts = fc.constantFrom<Part>('node', 'once', 'doubt', 'two', 'timer', 'wait', 'inner', 'left');
const plans: fc.Arbitrary<Plan> = fc.record({
  regions: fc.array(fc.array(parts, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 }),
  deaths: fc.array(fc.integer({ min: 1, max: 8 }), { maxLength: 4 }),
  later: fc.boolean(),
  resolutions: fc.array(fc.constantFrom('done' as const, 'retry' as const, 'abort' as const), { minLength: 1, maxLength: 4 }),
});

/** How often each call that must happen once was made. */
type Calls = Map<string, number>;

const pays =
  (calls: Calls, doubtful: boolean): LogHandler =>
  async (_state, io) => {
    const pay = (name: string): Promise<string> =>
      io.step(
        name,
        async () => {
          const key = `${io.key}/${name}`;
          calls.set(key, (calls.get(key) ?? 0) + 1);
          if (doubtful && calls.get(key) === 1) throw new WorkflowError({ code: 'CALL_IN_DOUBT', message: 'it was cut off' });
          return 'paid';
        },
        { effect: 'once' },
      );
    return { log: [await pay('pay')] };
  };

const inner = (calls: Calls) =>
  logWorkflow({
    id: 'inner',
    states: { x: node('x', 'ask', 'ask'), ask: waiting({ INNER: 'y' }, { 500: 'y' }), y: node('y', 'done', 'done'), done: final },
    nodes: { x: pays(calls, false), y: async () => ({ log: ['y'] }) },
  });

function workflowOf(regions: Plan['regions'], calls: Calls) {
  const nodes: Record<string, LogHandler> = {};
  const regionOf = (region: readonly Part[], r: number): object => {
    const states: Record<string, object> = { end: final };
    region.forEach((part, i) => {
      const next = i + 1 < region.length ? `s${i + 1}` : 'end';
      const name = `n${r}_${i}`;
      const withNode = (handler: LogHandler): object => {
        nodes[name] = handler;
        return node(name, next, next);
      };
      const nested = (): LogHandler =>
        subWorkflow<LogState, object, LogState, string>(inner(calls), {
          toInput: () => ({}),
          toPatch: ({ output }) => ({ log: [output] }),
        });
      if (part === 'timer') states[`s${i}`] = { after: { 100: { target: next, actions: 'merge' } } };
      else if (part === 'wait') states[`s${i}`] = waiting({ [`R${r}`]: next });
      else if (part === 'inner') states[`s${i}`] = withNode(nested());
      else if (part === 'left') states[`s${i}`] = { ...withNode(nested()), after: { 50: { target: next, actions: 'merge' } } };
      else if (part === 'once' || part === 'doubt') states[`s${i}`] = withNode(pays(calls, part === 'doubt'));
      else if (part === 'two') {
        states[`s${i}`] = withNode(async (_state, io) => ({
          log: await Promise.all([io.step('a', async () => 'a'), io.step('b', async () => 'b')]),
        }));
      } else states[`s${i}`] = withNode(async () => ({ log: ['n'] }));
    });
    return { initial: 's0', states };
  };
  const all = Object.fromEntries(regions.map((region, r) => [`r${r}`, regionOf(region, r)]));
  return logWorkflow({ states: { both: { type: 'parallel', onDone: 'done', states: all }, done: final }, nodes });
}

/** A store whose writes arrive in a later turn. */
const laterStore = (store: RunStore): RunStore => {
  const later = async <T>(work: () => T): Promise<T> => {
    await new Promise((resolve) => setImmediate(resolve));
    return work();
  };
  return {
    ...store,
    append: (...args) => later(() => store.append(...args) as undefined),
    settle: (...args) => later(() => store.settle(...args) as undefined),
  };
};

/** What a promise brings, while time goes on. */
const inTime = async <T>(promise: Promise<T>, clock: FakeClock): Promise<T> => {
  let settled = false;
  const settle = (): void => {
    settled = true;
  };
  promise.then(settle, settle);
  await clock.advance(0);
  for (let i = 0; !settled && i < 400; i++) await clock.advance(25);
  if (!settled) throw new Error('It does not come to an end.');
  return promise;
};

async function live({
  regions,
  deaths,
  later,
  resolutions,
}: Plan): Promise<{ store: RunStore; runId: string; calls: Calls; retries: number }> {
  const calls: Calls = new Map();
  const workflow = workflowOf(regions, calls);
  const clock = fakeClock(1_000);
  const store = memoryStore();
  const open = (death: number | undefined) => {
    const dying = death === undefined ? store : crashingStore(store, death);
    return createRuntime({ store: later ? laterStore(dying) : dying, clock, workflows: [workflow] });
  };
  const first = open(deaths[0]);
  const { id: runId, result } = first.start(workflow, {});
  let rest: RunResult<unknown> = await inTime(result, clock);
  let retries = 0;
  for (let round = 1; round < 60; round++) {
    if (rest.status === 'done') return { store, runId, calls, retries };
    const runtime = open(deaths[round]);
    // a timer of the process before may have gone on with it
    rest = (await createRuntime({ store }).get(runId)).result ?? { status: 'paused' };
    if (rest.status === 'done') continue;
    const go = async (): Promise<RunResult<unknown>> => {
      if (rest.status === 'in_doubt' && rest.calls[0]) {
        const as = resolutions[round % resolutions.length] ?? 'abort';
        if (as === 'retry') retries++;
        const { callId } = rest.calls[0];
        const run = await runtime.resolve(runId, callId, as === 'done' ? { as, output: 'by hand' } : { as });
        return run.result;
      }
      if (rest.status === 'waiting' && rest.interrupts[0]) {
        const { id, accepts } = rest.interrupts[0];
        const run = await runtime.send(runId, { type: accepts[0] ?? '' }, { interruptId: id });
        return run.result;
      }
      return (await runtime.resume(runId, { force: true })).result;
    };
    /** True when a timer of the process before took what was asked away, or a call beside it came into doubt. */
    const isOvertaken = async (cause: unknown, asked: RunResult<unknown>): Promise<boolean> => {
      if (!WorkflowError.isInstance(cause) || !['CALL_IN_DOUBT', 'RUN_ENDED', 'INTERRUPT_UNKNOWN'].includes(cause.code)) return false;
      const { result: now } = await createRuntime({ store }).get(runId);
      const [still] = asked.status === 'waiting' ? asked.interrupts : [];
      return cause.code === 'CALL_IN_DOUBT' || now?.status !== 'waiting' || now.interrupts.every(({ id }) => id !== still?.id);
    };
    try {
      rest = await inTime(go(), clock);
    } catch (cause) {
      if (!(await isOvertaken(cause, rest)) && !String(cause).includes('The process has crashed.')) throw cause;
    }
    if (rest.status === 'failed' && !rest.error.message.includes('The process has crashed.')) throw new Error(JSON.stringify(rest));
  }
  throw new Error(`The run does not end: ${JSON.stringify(rest)}`);
}

const numbers = (length: number): number[] => Array.from({ length }, (_, index) => index + 1);

/** The process dies when the call has begun, and before the timer beside it is written. */
const inDoubtBesideATimer: Plan = { regions: [['once'], ['timer']], deaths: [2], later: false, resolutions: ['done'] };

/** The state is left, and the run ends, while the outcome of its node waits behind the timer's to be written. */
const leftWhileItsNodeEnds: Plan = { regions: [['left']], deaths: [4], later: true, resolutions: ['done'] };

const numRuns = share(3_000, 100);

it('parks, resumes, answers and resolves every run at any time and after any crash', async () => {
  await fc.assert(
    fc.asyncProperty(plans, async (plan) => {
      const { store, runId, calls, retries } = await live(plan);
      const entries = await store.journal(runId);
      const events = entries.flatMap((entry) => entry.events);
      expect(entries.map(({ seq }) => seq)).toEqual(numbers(entries.length));
      expect(events.map(({ seq }) => seq)).toEqual(numbers(events.length));
      // each entry once, and its event once
      const keys = (kind: string) => entries.filter((entry) => entry.kind === kind).map(({ key }) => key);
      for (const kind of ['node', 'event', 'timer', 'timer-start']) expect(new Set(keys(kind)).size).toBe(keys(kind).length);
      const ends = events.flatMap((event) => (event.type === 'node-end' ? [event.key] : []));
      expect(ends.sort()).toEqual(keys('node').sort());
      const starts = events.flatMap((event) => (event.type === 'node-start' ? [event.key] : []));
      expect(new Set(starts).size).toBe(starts.length);
      expect(starts).toEqual(expect.arrayContaining(ends));
      // what must happen once has, unless a human has said to repeat it
      for (const times of calls.values()) expect(times).toBeLessThanOrEqual(1 + retries);
    }),
    { numRuns, examples: [[inDoubtBesideATimer], [leftWhileItsNodeEnds]] },
  );
}, 600_000);
