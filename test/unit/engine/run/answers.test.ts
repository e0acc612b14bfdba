// Answers to a question: what is checked before the run is touched, and what each of many answerers is told.
import { createRuntime, type JournalEntry, memoryStore, type RunRecord, type RunStore, WorkflowError } from 'agent-machines';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { fakeClock } from 'agent-machines/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { final, hangs, type LogHandler, logWorkflow, node, says, waiting } from '../../../fixtures/log-workflow.ts';
import { runtimeProcesses } from '../../../fixtures/runtime-child.ts';

const asking = (b: LogHandler = says('b')) =>
  logWorkflow({
    id: 'asking',
    states: { a: node('a', 'ask'), ask: waiting({ SAY: 'b', STOP: 'done' }), b: node('b', 'done'), done: final, failed: final },
    nodes: { a: says('a'), b },
  });

const codeOf = async (promise: Promise<unknown>): Promise<string> => {
  try {
    await promise;
    return 'nothing was thrown';
  } catch (error) {
    return WorkflowError.isInstance(error) ? error.code : String(error);
  }
};

async function waitingRun(store: RunStore): Promise<{ readonly runId: string; readonly interruptId: string }> {
  const run = createRuntime({ store }).start(asking(), {});
  const result = await run.result;
  if (result.status !== 'waiting' || !result.interrupt) throw new Error(`not waiting: ${JSON.stringify(result)}`);
  return { runId: run.id, interruptId: result.interrupt.id };
}

/** Its node runs in one region; in the other one the run can be told to stop. */
const besideAWait = (a: LogHandler) =>
  logWorkflow({
    initial: 'both',
    states: {
      both: {
        type: 'parallel',
        states: {
          left: { initial: 'a', states: { a: node('a', 'end', 'end'), end: final } },
          right: { initial: 'ask', states: { ask: waiting({ STOP: 'end' }), end: final } },
        },
        onDone: 'done',
      },
      done: final,
    },
    nodes: { a },
  });

const allOf = async (store: RunStore, runId: string): Promise<readonly [RunRecord | undefined, readonly JournalEntry[]]> => [
  await store.read(runId),
  await store.journal(runId),
];

/** A store that counts what is written through it. */
function counted(store: RunStore): RunStore & { readonly writes: () => number } {
  let writes = 0;
  const count = <T>(work: () => T): T => {
    writes++;
    return work();
  };
  return {
    ...store,
    create: (...args) => count(() => store.create(...args)),
    acquire: (...args) => count(() => store.acquire(...args)),
    renew: (...args) => count(() => store.renew(...args)),
    append: (...args) => count(() => store.append(...args)),
    settle: (...args) => count(() => store.settle(...args)),
    writes: () => writes,
  };
}

describe('a rejected answer', () => {
  const wrongEvents = fc.oneof(
    fc.record({ type: fc.constantFrom('GO', 'APPROVE', '', 'done', 'xstate.stop') }),
    fc.record({ type: fc.constant('SAY'), text: fc.constantFrom('', '  ', 5, null, [], {}) }),
    fc.record({ type: fc.constant('STOP'), extra: fc.jsonValue() }),
    fc.record({ type: fc.constantFrom(1, null, undefined) }),
  );
  const wrongAnswers = fc.oneof(
    fc.record({ event: wrongEvents, id: fc.constant('right') }),
    fc.record({ event: fc.oneof(wrongEvents, fc.constant({ type: 'STOP' })), id: fc.string() }),
  );

  it.each([
    ['memory', () => memoryStore()],
    ['SQLite', () => sqliteStore({ path: ':memory:' })],
  ] as const)('leaves the run unchanged and writes nothing: %s', async (_name, open) => {
    const store = counted(open());
    const { runId, interruptId } = await waitingRun(store);
    const before = await allOf(store, runId);
    const writes = store.writes();
    const runtime = createRuntime({ store, workflows: [asking()] });
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(wrongAnswers, async ({ event, id }) => {
        seen.add(await codeOf(runtime.send(runId, event as never, { interruptId: id === 'right' ? interruptId : id })));
        expect(await allOf(store, runId)).toEqual(before);
        expect(store.writes()).toBe(writes);
      }),
      // what JSON cannot keep is made once in thousands of runs: here it always is
      { numRuns: 100, examples: [[{ event: { type: 'STOP', extra: JSON.parse('{"__proto__":1}') }, id: 'right' }]] },
    );
    expect([...seen].sort()).toEqual(['EVENT_INVALID', 'EVENT_NOT_ACCEPTED', 'INTERRUPT_UNKNOWN', 'VALUE_NOT_JSON']);
    expect(await (await runtime.send(runId, { type: 'STOP' }, { interruptId })).result).toMatchObject({ status: 'done' });
  });

  it('does not fire an overdue timer, but is checked as if the timer had fired', async () => {
    const timed = logWorkflow({ states: { ask: waiting({ STOP: 'done' }, { 1000: 'late' }), late: waiting({ GO: 'done' }), done: final } });
    const store = memoryStore();
    const run = createRuntime({ store, clock: fakeClock() }).start(timed, {});
    const first = await run.result;
    if (first.status !== 'waiting' || !first.interrupt) throw new Error('not waiting');
    const before = await allOf(store, run.id);
    const runtime = createRuntime({ store, clock: fakeClock(5_000), workflows: [timed] });
    const late = runtime.send(run.id, { type: 'STOP' }, { interruptId: first.interrupt.id });
    await expect(late).rejects.toMatchObject({ code: 'INTERRUPT_UNKNOWN', hint: expect.stringContaining('(GO)') });
    expect(await allOf(store, run.id)).toEqual(before);
  });

  it('is rejected immediately while a node of another region runs', async () => {
    const both = besideAWait(hangs);
    const runtime = createRuntime();
    const run = runtime.start(both, {});
    for await (const event of run.events()) if (event.type === 'interrupt') break;
    expect(await codeOf(runtime.send(run.id, { type: 'STOP' }, { interruptId: 'i_other' }))).toBe('INTERRUPT_UNKNOWN');
    await runtime.close();
  });
});

describe('a repeated answer', () => {
  it('follows the run of the first runtime when it comes from another one, and returns the result', async () => {
    const store = memoryStore();
    const { runId, interruptId } = await waitingRun(store);
    const gate = Promise.withResolvers<void>();
    const slow: LogHandler = async () => {
      await gate.promise;
      return { log: ['slow'] };
    };
    const first = await createRuntime({ store, workflows: [asking(slow)] }).send(runId, { type: 'SAY', text: 'yes' }, { interruptId });
    const other = createRuntime({ store, workflows: [asking(hangs)] });
    const second = await other.send(runId, { type: 'SAY', text: 'yes' }, { interruptId });
    await expect(other.send(runId, { type: 'STOP' }, { interruptId })).rejects.toMatchObject({
      code: 'INTERRUPT_ANSWERED',
      data: { winner: 'SAY', winningEvent: { type: 'SAY', text: 'yes' } },
    });
    await expect(other.send(runId, { type: 'SAY', text: 'no' }, { interruptId })).rejects.toMatchObject({
      message: 'The question was answered with SAY before this SAY with other fields arrived.',
    });
    gate.resolve();
    const result = await first.result;
    expect(result).toMatchObject({ status: 'done', output: 'a,yes,slow' });
    expect(await second.result).toEqual(result);
    const events = [];
    for await (const event of second.events()) events.push(event);
    expect(events).toEqual((await store.journal(runId)).flatMap((entry) => entry.events));
  });

  it('drives the run when the runtime with the first answer has died', async () => {
    const store = memoryStore();
    const { runId, interruptId } = await waitingRun(store);
    const dead = createRuntime({ store, clock: fakeClock(Date.now()), leaseMs: 300, workflows: [asking(hangs)] });
    await dead.send(runId, { type: 'SAY', text: 'yes' }, { interruptId });
    const runtime = createRuntime({ store, leaseMs: 300, workflows: [asking()] });
    const second = await runtime.send(runId, { type: 'SAY', text: 'yes' }, { interruptId });
    expect(await second.result).toMatchObject({ status: 'done', output: 'a,yes,b' });
  });

  it('ends for its caller when the runtime is closed', async () => {
    const store = memoryStore();
    const { runId, interruptId } = await waitingRun(store);
    const first = createRuntime({ store, workflows: [asking(hangs)] });
    await first.send(runId, { type: 'SAY', text: 'yes' }, { interruptId });
    const second = createRuntime({ store, workflows: [asking()] });
    const run = await second.send(runId, { type: 'SAY', text: 'yes' }, { interruptId });
    await second.close();
    expect(await run.result).toMatchObject({ status: 'failed', error: { code: 'RUNTIME_CLOSED' } });
    await first.close();
  });
});

describe('a valid answer to a run that another runtime drives', () => {
  it('waits until that runtime suspends the run', async () => {
    const store = memoryStore();
    const { runId, interruptId } = await waitingRun(store);
    const now = Date.now();
    const other = await store.acquire(runId, { owner: 'o_other', leaseMs: 60_000, now, monotonic: 0 });
    const clock = fakeClock(now);
    const sent = createRuntime({ store, clock, workflows: [asking()] }).send(runId, { type: 'STOP' }, { interruptId });
    await clock.advance(5_000);
    await store.settle(other.lease, { status: 'waiting', activeMs: 0 });
    await clock.advance(1_000);
    expect(await (await sent).result).toMatchObject({ status: 'done' });
  });

  it('is rejected as busy when that runtime keeps the run', async () => {
    const store = memoryStore();
    const { runId, interruptId } = await waitingRun(store);
    const now = Date.now();
    await store.acquire(runId, { owner: 'o_other', leaseMs: 600_000, now, monotonic: 0 });
    const clock = fakeClock(now);
    const sent = createRuntime({ store, clock, workflows: [asking()] }).send(runId, { type: 'STOP' }, { interruptId });
    const refused = expect(sent).rejects.toMatchObject({ code: 'RUN_BUSY', retryable: true });
    await clock.advance(40_000);
    await refused;
  });

  it('is rejected with a call in doubt, without endless retries', async () => {
    const both = besideAWait(async (_state, io) => ({
      log: [
        await io.step('pay', () => Promise.reject(new WorkflowError({ code: 'CALL_IN_DOUBT', message: 'cut off' })), {
          effect: 'once',
        }),
      ],
    }));
    const runtime = createRuntime();
    const run = runtime.start(both, {});
    expect(await run.result).toMatchObject({ status: 'in_doubt' });
    const [interrupt] = (await runtime.history(run.id)).flatMap(({ events }) =>
      events.flatMap((event) => (event.type === 'interrupt' ? [event.interrupt] : [])),
    );
    const before = await runtime.get(run.id);
    expect(await codeOf(runtime.send(run.id, { type: 'STOP' }, { interruptId: interrupt?.id ?? '' }))).toBe('CALL_IN_DOUBT');
    expect(await runtime.get(run.id)).toEqual(before);
  });
});

describe('processes that answer at the same time', () => {
  const processes = runtimeProcesses('answers-');
  const races = Number(process.env.RACES ?? 50);

  it('all get the first outcome for equal answers, and INTERRUPT_ANSWERED for others, even after the end', async () => {
    const path = processes.newPath();
    const store = sqliteStore({ path });
    const runs = [];
    for (let race = 0; race < races; race++) runs.push(await waitingRun(store));
    const children = await Promise.all([1, 2, 3, 4].map(() => processes.start(path)));
    for (const [race, { runId, interruptId }] of runs.entries()) {
      const texts = children.map((_, index) => (race % 2 === 0 ? 'same' : `text ${index % 2}`));
      const sent = await Promise.all(
        children.map((child, index) => child.call('send', runId, { type: 'SAY', text: texts[index] }, { interruptId })),
      );
      const answer = (await store.journal(runId)).filter(({ kind }) => kind === 'event');
      expect(answer).toHaveLength(1);
      const [text] = answer.map(({ outcome }) => (outcome as { readonly event: { readonly text: string } }).event.text);
      for (const [index, { error, result }] of sent.entries()) {
        const won = texts[index] === text;
        const outcome = error ?? (await result);
        expect(outcome).toMatchObject(
          won ? { status: 'done', output: `a,${text},b` } : { code: 'INTERRUPT_ANSWERED', data: { winner: 'SAY' } },
        );
      }
    }
    const [last] = runs;
    const late = await children[0]?.call('send', last?.runId, { type: 'STOP' }, { interruptId: last?.interruptId });
    expect(late?.error).toMatchObject({ code: 'INTERRUPT_ANSWERED', data: { winner: 'SAY' } });
    await store.close();
  });
});
