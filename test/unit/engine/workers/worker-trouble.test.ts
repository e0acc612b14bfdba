// A worker whose store cannot be used: what it says, to whom, and whether it goes on.
import { once } from 'node:events';
import { createRuntime, createWorker, type ErrorCode, memoryStore, type RunStore, type WorkerEvent, WorkflowError } from 'agent-machines';
import { postgresStore } from 'agent-machines/stores/postgres';
import { fakeClock } from 'agent-machines/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { nextTurn } from '../../../../src/core/util/next-turn.ts';
import { final, logWorkflow, node, waiting } from '../../../fixtures/log-workflow.ts';

/** A store that cannot be looked at, for as long as there is a reason. */
function failing(cause: unknown): RunStore & { cause: unknown } {
  const store = memoryStore();
  const made = {
    ...store,
    cause,
    list(...asked: Parameters<RunStore['list']>) {
      if (made.cause !== undefined) throw made.cause;
      return store.list(...asked);
    },
  };
  return made;
}

/** The warnings of this process with a text in them. */
function warningsOf(text: string): readonly Error[] {
  const heard: Error[] = [];
  const hear = (warning: Error): void => {
    if (warning.message.includes(text)) heard.push(warning);
  };
  process.on('warning', hear);
  onTestFinished(() => void process.off('warning', hear));
  return heard;
}

const error = (code: ErrorCode, retryable = false): WorkflowError =>
  new WorkflowError({ code, message: `it is ${code}.`, hint: 'Do something.', retryable });

describe('a store that no other try would mend', () => {
  it.each<ErrorCode>(['ADAPTER_MISSING', 'STORE_VERSION', 'STORE_LOST', 'OPTION_INVALID', 'ENGINE_TOO_OLD'])(
    'ends the worker: %s',
    async (code) => {
      const cause = error(code);
      const events: WorkerEvent[] = [];
      const worker = createWorker({ store: failing(cause), clock: fakeClock(), onEvent: (event) => events.push(event) });
      await expect(worker.closed).rejects.toBe(cause);
      expect(events).toEqual([{ type: 'trouble', error: expect.objectContaining({ code, hint: 'Do something.' }), final: true }]);
      await worker.close(); // it was cleaned up after, as any other
    },
  );

  it('is warned of where nobody hears of it, and ends no process', async () => {
    const warnings = warningsOf('STORE_LOST');
    createWorker({ store: failing(error('STORE_LOST')), clock: fakeClock() });
    await nextTurn();
    expect(warnings).toMatchObject([
      {
        name: 'AgentMachinesWarning',
        code: 'STORE_LOST',
        message: 'A worker cannot use its store, and has stopped: it is STORE_LOST. Do something.',
      },
    ]);
  });

  it('is one whose package is not installed', async () => {
    const [worker, warning] = [
      createWorker({ store: postgresStore({ connectionString: 'postgres://nowhere/none' }) }),
      once(process, 'warning'),
    ];
    await expect(worker.closed).rejects.toMatchObject({ code: 'ADAPTER_MISSING' });
    expect(await warning).toMatchObject([{ code: 'ADAPTER_MISSING', message: expect.stringContaining('npm install pg') }]);
  });

  it('is found while a run is at work, which comes to its rest first', async () => {
    const store = failing(undefined);
    const gate = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const slow = logWorkflow({
      states: { ask: waiting({ GO: 'a' }, { 1000: 'a' }), a: node('a', 'done'), done: final, failed: final },
      nodes: {
        async a() {
          begun.resolve();
          await gate.promise;
          return { log: ['a'] };
        },
      },
    });
    const before = createRuntime({ store, clock: fakeClock() });
    await before.start(slow, {}).result;
    await before.close();
    const clock = fakeClock(5_000);
    const events: WorkerEvent[] = [];
    const worker = createWorker({ store, clock, workflows: [slow], onEvent: (event) => events.push(event) });
    await begun.promise;
    store.cause = error('STORE_LOST');
    await clock.advance(2_000);
    gate.resolve();
    await expect(worker.closed).rejects.toBe(store.cause);
    expect(events.map(({ type }) => type)).toEqual(['taken', 'trouble', 'rested']);
    expect(events.at(-1)).toMatchObject({ result: { status: 'done' } });
  });
});

describe('a store that may come back', () => {
  it.each([
    { name: 'an error that is retryable', cause: error('STORE_VERSION', true), code: 'STORE_VERSION' },
    { name: 'one that its store does not call so', cause: error('STORE_UNAVAILABLE'), code: 'STORE_UNAVAILABLE' },
    { name: 'one of a single run', cause: error('JOURNAL_CORRUPT'), code: 'JOURNAL_CORRUPT' },
    { name: 'an error of somebody else', cause: new Error('the cable is out'), code: 'UNKNOWN' },
  ])('is asked again after $name, and warned of once', async ({ cause, code }) => {
    const warnings = warningsOf(cause.message);
    const store = failing(cause);
    const clock = fakeClock();
    const worker = createWorker({ store, clock });
    await clock.advance(100_000);
    await nextTurn();
    expect(warnings.map(({ message }) => message)).toEqual([expect.stringMatching(/^A worker cannot use its store, and asks again: /)]);
    expect(warnings).toMatchObject([{ code }]);
    store.cause = undefined;
    const closing = worker.close();
    await clock.advance(60_000); // it was just waiting for its store
    await Promise.all([closing, worker.closed]);
  });
});

it('closes with its runtime, without a word', async () => {
  const events: WorkerEvent[] = [];
  const clock = fakeClock();
  const runtime = createRuntime({ store: memoryStore(), clock });
  const worker = createWorker({ runtime, clock, onEvent: (event) => events.push(event) });
  await runtime.close();
  await clock.advance(1_000);
  await worker.closed;
  expect(events).toEqual([]);
});
