// A worker whose store cannot be used: what it says, to whom, and whether it goes on.
import { once } from 'node:events';
import { createRuntime, createWorker, type ErrorCode, memoryStore, type RunStore, type WorkerEvent, WorkflowError } from 'agent-machines';
import { postgresStore } from 'agent-machines/stores/postgres';
import { fakeClock } from 'agent-machines/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { final, logWorkflow, node, waiting } from '../../../fixtures/log-workflow.ts';
import { drain } from '../../../fixtures/text-tools.ts';

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

describe('a store with a permanent error', () => {
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

  it('causes a warning when no listener exists, and ends no process', async () => {
    const warnings = warningsOf('STORE_LOST');
    createWorker({ store: failing(error('STORE_LOST')), clock: fakeClock() });
    await drain();
    expect(warnings).toMatchObject([
      {
        name: 'AgentMachinesWarning',
        code: 'STORE_LOST',
        message: 'A worker cannot use its store and has stopped: it is STORE_LOST. Do something.',
      },
    ]);
  });

  it('includes a store whose package is not installed', async () => {
    const [worker, warning] = [
      createWorker({ store: postgresStore({ connectionString: 'postgres://nowhere/none' }) }),
      once(process, 'warning'),
    ];
    await expect(worker.closed).rejects.toMatchObject({ code: 'ADAPTER_MISSING' });
    expect(await warning).toMatchObject([{ code: 'ADAPTER_MISSING', message: expect.stringContaining('npm install pg') }]);
  });

  it('is reported while a run is active, which rests first', async () => {
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

describe('a store with a temporary error', () => {
  it.each([
    { name: 'a retryable error', cause: error('STORE_VERSION', true), code: 'STORE_VERSION' },
    { name: 'an error that its store does not mark as retryable', cause: error('STORE_UNAVAILABLE'), code: 'STORE_UNAVAILABLE' },
    { name: 'an error of a single run', cause: error('JOURNAL_CORRUPT'), code: 'JOURNAL_CORRUPT' },
    { name: 'a foreign error', cause: new Error('the cable is out'), code: 'UNKNOWN' },
  ])('is retried after $name, with one warning', async ({ cause, code }) => {
    const warnings = warningsOf(cause.message);
    const store = failing(cause);
    const clock = fakeClock();
    const worker = createWorker({ store, clock });
    await clock.advance(100_000);
    await drain();
    expect(warnings.map(({ message }) => message)).toEqual([expect.stringMatching(/^A worker cannot use its store and retries: /)]);
    expect(warnings).toMatchObject([{ code }]);
    store.cause = undefined;
    const closing = worker.close();
    await clock.advance(60_000); // it was just waiting for its store
    await Promise.all([closing, worker.closed]);
  });
});

it('is closed with its runtime without a warning', async () => {
  const events: WorkerEvent[] = [];
  const clock = fakeClock();
  const runtime = createRuntime({ store: memoryStore(), clock });
  const worker = createWorker({ runtime, clock, onEvent: (event) => events.push(event) });
  await runtime.close();
  await clock.advance(1_000);
  await worker.closed;
  expect(events).toEqual([]);
});
