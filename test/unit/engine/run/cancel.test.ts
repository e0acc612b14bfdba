// A run that is cancelled elsewhere: its driver makes no further call, and both sides say the same.
import { existsSync, readFileSync } from 'node:fs';
import { createRuntime, memoryStore, type RunStore, WorkflowError } from 'agent-machines';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { fakeClock } from 'agent-machines/testing';
import { describe, expect, it } from 'vitest';
import { final, hangs, type LogHandler, logWorkflow, node, waiting } from '../../../fixtures/log-workflow.ts';
import { runtimeProcesses } from '../../../fixtures/runtime-child.ts';
import { inDatabase, sqliteFiles } from '../../../fixtures/sqlite-files.ts';

const files = sqliteFiles('cancel-damaged-');

const working = (a: LogHandler, id = 'work') =>
  logWorkflow({ id, states: { a: node('a', 'done'), done: final, failed: final }, nodes: { a } });
const begun = async (run: { events(): AsyncIterable<{ type: string }> }): Promise<void> => {
  for await (const event of run.events()) if (event.type === 'node-start') return;
};

describe('a run that another runtime cancels', () => {
  it('is aborted within 500 ms without a write of its own, and its handle reports it', async () => {
    const store = memoryStore();
    const clock = fakeClock();
    let abortedAt = -1;
    const run = createRuntime({ store, clock }).start(
      working(
        (_state, { signal }) =>
          new Promise((_, reject) =>
            signal.addEventListener('abort', () => {
              abortedAt = clock.now();
              reject(signal.reason);
            }),
          ),
      ),
      {},
    );
    await begun(run);
    await clock.advance(10_000);
    await createRuntime({ store, clock }).cancel(run.id);
    await clock.advance(500);
    expect(await run.result).toEqual({ status: 'cancelled' });
    expect(abortedAt).toBeGreaterThanOrEqual(10_000);
    expect(abortedAt).toBeLessThanOrEqual(10_500);
  });

  it('is cancelled while it waits for its thread', async () => {
    const store = memoryStore();
    const clock = fakeClock();
    const runtime = createRuntime({ store, clock });
    const asks = logWorkflow({ states: { ask: waiting({ STOP: 'done' }), done: final } });
    await runtime.start(asks, {}, { threadId: 't' }).result;
    const queued = runtime.start(asks, {}, { threadId: 't', ifBusy: 'queue' });
    await clock.advance(1);
    await createRuntime({ store, clock }).cancel(queued.id);
    await clock.advance(500);
    expect(await queued.result).toEqual({ status: 'cancelled' });
  });

  it('is cancelled by one of many callers without a takeover, and the others get RUN_ENDED', async () => {
    for (const isDrivenHere of [false, true]) {
      const store = memoryStore();
      const driver = createRuntime({ store });
      const run = driver.start(working(hangs), {});
      await begun(run);
      const callers = Array.from({ length: 24 }, () => (isDrivenHere ? driver : createRuntime({ store })));
      const outcomes = await Promise.all(callers.map((runtime) => runtime.cancel(run.id).catch(({ code, data }) => [code, data?.status])));
      expect(outcomes.filter((outcome) => outcome === undefined)).toHaveLength(1);
      expect(outcomes.filter((outcome) => outcome !== undefined)).toEqual(Array(23).fill(['RUN_ENDED', 'cancelled']));
      expect(await run.result).toEqual({ status: 'cancelled' });
      expect(await store.read(run.id)).toMatchObject({ epoch: isDrivenHere ? 1 : 2, crashes: 0, seq: 2 });
    }
  });

  it('is cancelled for both callers when two runtimes cancel it during a write', async () => {
    const inner = memoryStore();
    const writing = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const store: RunStore = {
      ...inner,
      async append(lease, entry, activeMs) {
        if (entry.kind === 'step') {
          writing.resolve();
          await gate.promise;
        }
        return inner.append(lease, entry, activeMs);
      },
    };
    const driver = createRuntime({ store });
    const run = driver.start(
      working(async (_state, { step }) => {
        await step('s', async () => 1);
        return {};
      }),
      {},
    );
    await writing.promise;
    await createRuntime({ store: inner }).cancel(run.id);
    const own = driver.cancel(run.id).catch(({ code, data }) => [code, data?.status]);
    await Promise.resolve(); // it stops the run before the write has failed
    gate.resolve();
    expect(await run.result).toEqual({ status: 'cancelled' });
    expect(await own).toEqual(['RUN_ENDED', 'cancelled']);
  });

  it('is cancelled while its driver writes entries without a pause', async () => {
    const store = memoryStore();
    const busy: LogHandler = async (_state, { step, signal }) => {
      for (let n = 0; !signal.aborted; n++) await step(`s${n}`, async () => n);
      return {};
    };
    const run = createRuntime({ store }).start(working(busy), {});
    await begun(run);
    await createRuntime({ store }).cancel(run.id);
    expect(await run.result).toEqual({ status: 'cancelled' });
    const journal = await store.journal(run.id);
    expect(journal.length).toBeGreaterThan(5);
    const events = journal.flatMap((entry) => entry.events);
    expect(events.at(-1)).toMatchObject({ type: 'run-end', status: 'cancelled', seq: events.length });
  });

  it('leaves one of many replacements in its thread', async () => {
    const store = memoryStore();
    const workflow = working(hangs);
    const first = createRuntime({ store }).start(workflow, {}, { threadId: 't' });
    await begun(first);
    const runs = Array.from({ length: 24 }, () =>
      createRuntime({ store }).start(workflow, {}, { threadId: 't', ifBusy: 'cancel-and-replace' }),
    );
    await Promise.all(runs.map(begun));
    const records = await store.list({ threadId: 't' });
    expect(records.map(({ status }) => status)).toEqual(['running', ...Array(24).fill('cancelled')]);
    expect(records.every(({ epoch, crashes }) => epoch <= 2 && crashes === 0)).toBe(true);
  });
});

describe('a run of another process', () => {
  const processes = runtimeProcesses('cancel-');
  const callsIn = (file: string, name: string): number =>
    existsSync(file)
      ? readFileSync(file, 'utf8')
          .split('\n')
          .filter((line) => line === name).length
      : 0;
  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
  };

  it('makes no further call after it is cancelled, and its own process reports it', async () => {
    const path = processes.newPath();
    const calls = processes.newPath();
    const [owner, other] = await Promise.all([processes.start(path, { calls }), processes.start(path, { calls })]);
    const { runId, result } = await owner.call('start', 'working', { log: ['x'] });
    await until(() => callsIn(calls, 'x') > 3);
    expect((await other.call('cancel', runId)).error).toBeUndefined();
    expect(await result).toEqual({ status: 'cancelled' });
    const after = callsIn(calls, 'x');
    // what it does next goes through the same event loop: a call that was still to come would have been made by then
    await (await owner.call('start', 'asking', {})).result;
    expect(callsIn(calls, 'x')).toBe(after);
    const store = sqliteStore({ path });
    expect(await store.read(runId)).toMatchObject({ status: 'cancelled' });
    await store.close();
  });

  it('is replaced in its thread when its process works, sleeps or is dead', async () => {
    for (const how of ['works', 'SIGSTOP', 'SIGKILL'] as const) {
      const path = processes.newPath();
      const calls = processes.newPath();
      const [owner, other] = await Promise.all([processes.start(path, { calls }), processes.start(path, { calls })]);
      const first = await owner.call('start', 'working', { log: ['first'] }, { threadId: 't' });
      await until(() => callsIn(calls, 'first') > 0);
      if (how !== 'works') owner.kill(how);
      const second = await other.call('start', 'asking', {}, { threadId: 't2' });
      expect(await second.result).toMatchObject({ status: 'waiting' });
      const third = await other.call('start', 'working', { log: ['third'] }, { threadId: 't', ifBusy: 'cancel-and-replace' });
      await until(() => callsIn(calls, 'third') > 0); // the thread is its own
      if (how === 'SIGSTOP') owner.kill('SIGCONT');
      if (how !== 'SIGKILL') expect(await first.result).toEqual({ status: 'cancelled' });
      await other.call('cancel', third.runId);
      expect(await third.result).toEqual({ status: 'cancelled' });
    }
  });
});

describe('a run that is cancelled while it is resumed', () => {
  it('returns its stored result', async () => {
    const store = memoryStore();
    const run = createRuntime({ store }).start(working(hangs), {});
    await begun(run);
    const acquire: RunStore['acquire'] = async (runId, request) => {
      await createRuntime({ store }).cancel(runId);
      return store.acquire(runId, request);
    };
    const resumed = await createRuntime({ store: { ...store, acquire }, workflows: [working(hangs)] }).resume(run.id);
    expect(await resumed.result).toEqual({ status: 'cancelled' });
  });
});

describe('a queued run that cannot be cancelled', () => {
  it('is not reported as cancelled, and is cancelled later', async () => {
    const clock = fakeClock();
    const store = memoryStore();
    let isLocked = false;
    const cancel: RunStore['cancel'] = (runId, request) => {
      if (isLocked) throw new WorkflowError({ code: 'STORE_UNAVAILABLE', message: 'locked', retryable: true });
      return store.cancel(runId, request);
    };
    const runtime = createRuntime({ store: { ...store, cancel }, clock });
    const workflow = working(hangs);
    runtime.start(workflow, {}, { threadId: 't' });
    const run = runtime.start(workflow, {}, { threadId: 't', ifBusy: 'queue' });
    await clock.advance(200);
    isLocked = true;
    const cancelled = runtime.cancel(run.id).catch((cause: unknown) => cause);
    await clock.advance(60_000);
    expect([await cancelled, await run.result]).toMatchObject([{ code: 'STORE_UNAVAILABLE' }, { error: { code: 'STORE_UNAVAILABLE' } }]);
    isLocked = false;
    await runtime.cancel(run.id);
    expect((await store.read(run.id))?.status).toBe('cancelled');
  });
});

describe('a run with a damaged journal', () => {
  it('can be cancelled and frees its thread', async () => {
    const path = files.newPath();
    const store = files.openStore(path);
    const workflow = logWorkflow({
      states: { ask: waiting({ STOP: 'done' }), done: final },
      thread: { initial: [], next: (_before, { state }) => state.log },
    });
    const runtime = createRuntime({ store });
    const run = runtime.start(workflow, {}, { threadId: 't' });
    await run.result;
    inDatabase(path, (db) => db.exec(`UPDATE journal SET outcome = '{"input":{"log":["x"]}}' WHERE kind = 'start'`));
    await expect(runtime.get(run.id)).rejects.toMatchObject({ code: 'JOURNAL_CORRUPT' });
    await runtime.cancel(run.id);
    expect((await store.list({ threadId: 't' })).map(({ status }) => status)).toEqual(['cancelled']);
    expect(await runtime.start(workflow, {}, { threadId: 't' }).result).toMatchObject({ status: 'waiting' });
  });
});
