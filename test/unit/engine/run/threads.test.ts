import { createRuntime, memoryStore, type RunResult, type RunStore, WorkflowError } from 'agent-machines';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { fakeClock } from 'agent-machines/testing';
import { describe, expect, it } from 'vitest';
import {
  failure,
  final,
  hangs,
  type LogHandler,
  type LogThread,
  logWorkflow,
  node,
  says,
  waiting,
} from '../../../fixtures/log-workflow.ts';

const thread = {
  initial: [] as LogThread,
  next: (before: LogThread, { state, finalState }: { state: { log: readonly string[] }; finalState: string }): LogThread =>
    finalState === 'failed' ? before : state.log.slice(-4),
};
const talk = (...handlers: readonly LogHandler[]) => {
  let run = 0;
  const a: LogHandler = (state, io) => (handlers[run++] ?? says('a'))(state, io);
  return logWorkflow({ states: { a: node('a', 'done'), done: final, failed: failure }, nodes: { a }, thread });
};
const stores = (): readonly RunStore[] => [memoryStore(), sqliteStore({ path: ':memory:' })];
const codeOf = (result: RunResult<unknown>): string => (result.status === 'failed' ? result.error.code : result.status);
const started = async (run: { events(): AsyncIterable<{ type: string }> }): Promise<void> => {
  for await (const event of run.events()) if (event.type === 'node-start') return;
};

describe('a thread', () => {
  it('passes the state of a run to the next one, and counts the runs that changed it', async () => {
    const runtime = createRuntime();
    const workflow = talk();
    const outputs: unknown[] = [];
    for (const log of [['1'], ['2'], ['3']]) {
      const result = await runtime.start(workflow, { log }, { threadId: 't' }).result;
      outputs.push(result.status === 'done' && result.output);
    }
    expect(outputs).toEqual(['1,a', '1,a,2,a', '1,a,2,a,3,a']);
    expect(await runtime.thread('t')).toMatchObject({
      workflow: 'log',
      revision: 3,
      state: ['2', 'a', '3', 'a'],
      turns: [
        { input: { log: ['1'] }, threadRevision: 0, result: { output: '1,a' } },
        { input: { log: ['2'] }, threadRevision: 1 },
        { input: { log: ['3'] }, threadRevision: 2 },
      ],
    });
  });

  it('keeps its state after a run without changes, but adds the turn', async () => {
    const runtime = createRuntime();
    const workflow = talk(says('a'), async () => {
      throw new Error('no');
    });
    await runtime.start(workflow, { log: ['1'] }, { threadId: 't' }).result;
    await runtime.start(workflow, { log: ['2'] }, { threadId: 't' }).result;
    expect(await runtime.thread('t')).toMatchObject({ revision: 1, state: ['1', 'a'], turns: [{}, { input: { log: ['2'] } }] });
  });

  it('belongs to one workflow', async () => {
    const runtime = createRuntime();
    await runtime.start(talk(), {}, { threadId: 't' }).result;
    const other = logWorkflow({ id: 'other', states: { a: node('a', 'done'), done: final, failed: failure }, nodes: { a: says('x') } });
    expect(codeOf(await runtime.start(other, {}, { threadId: 't' }).result)).toBe('THREAD_OF_OTHER_WORKFLOW');
    await expect(runtime.thread('nobody')).rejects.toMatchObject({ code: 'THREAD_UNKNOWN' });
  });

  it('accepts ids that are names of object properties', async () => {
    const runtime = createRuntime();
    const workflow = talk();
    for (const threadId of ['__proto__', 'constructor', 'toString']) {
      expect(await runtime.start(workflow, {}, { threadId }).result).toMatchObject({ output: 'a' });
    }
    expect(({} as Record<string, unknown>).log).toBeUndefined();
  });
});

describe('a busy thread', () => {
  it('rejects a run by default, names the owning run and stores nothing', async () => {
    const runtime = createRuntime();
    const workflow = talk(hangs);
    const first = runtime.start(workflow, {}, { threadId: 't' });
    await started(first);
    const second = runtime.start(workflow, {}, { threadId: 't' });
    expect(await second.result).toMatchObject({
      status: 'failed',
      error: { code: 'THREAD_BUSY', retryable: true, data: { runId: first.id } },
    });
    await expect(runtime.get(second.id)).rejects.toMatchObject({ code: 'RUN_UNKNOWN' });
    expect(await runtime.list({ threadId: 't' })).toHaveLength(1);
  });

  it('stays busy while its run waits for a human', async () => {
    const runtime = createRuntime();
    const asks = logWorkflow({ states: { ask: waiting({ STOP: 'done' }), done: final }, thread });
    const first = runtime.start(asks, {}, { threadId: 't' });
    await first.result;
    expect(codeOf(await runtime.start(asks, {}, { threadId: 't' }).result)).toBe('THREAD_BUSY');
    await runtime.cancel(first.id);
    expect(codeOf(await runtime.start(asks, {}, { threadId: 't' }).result)).toBe('waiting');
  });

  it('queues runs in the order of arrival, and loses none', async () => {
    const runtime = createRuntime();
    let release = (): void => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const workflow = talk(async () => {
      await gate;
      return { log: ['first'] };
    });
    const first = runtime.start(workflow, {}, { threadId: 't' });
    await started(first);
    const rest = ['1', '2', '3'].map((log) => runtime.start(workflow, { log: [log] }, { threadId: 't', ifBusy: 'queue' }));
    while ((await runtime.list({ status: 'queued' })).length < 3) await new Promise((resolve) => setTimeout(resolve));
    release();
    const results = await Promise.all([first, ...rest].map((run) => run.result));
    expect(results.map((result) => result.status)).toEqual(['done', 'done', 'done', 'done']);
    const { turns, state } = await runtime.thread('t');
    expect(turns.map(({ id, threadRevision }) => [id, threadRevision])).toEqual([first, ...rest].map(({ id }, i) => [id, i]));
    expect(state).toEqual(['2', 'a', '3', 'a']);
  });

  it('keeps the place of a queued run for longer than a lease', async () => {
    const store = memoryStore();
    const clock = fakeClock();
    const asks = logWorkflow({ states: { ask: waiting({ STOP: 'done' }), done: final }, thread });
    const runtime = createRuntime({ store, clock, leaseMs: 1_000, workflows: [asks] });
    const first = runtime.start(asks, {}, { threadId: 't' });
    await first.result;
    const queued = runtime.start(asks, {}, { threadId: 't', ifBusy: 'queue' });
    await clock.advance(5_000);
    const other = createRuntime({ store, clock, leaseMs: 1_000, workflows: [asks] });
    const later = other.start(asks, {}, { threadId: 't', ifBusy: 'queue' });
    await other.cancel(first.id);
    await clock.advance(1_000);
    expect(await queued.result).toMatchObject({ status: 'waiting' });
    expect((await runtime.get(later.id)).status).toBe('queued');
    await runtime.cancel(queued.id);
    await clock.advance(1_000);
    expect(await later.result).toMatchObject({ status: 'waiting' });
  });

  it.each(['close', 'pause'] as const)('gives a queued run to the next process immediately, in its place: %s', async (way) => {
    for (const store of stores()) {
      const asks = logWorkflow({ states: { ask: waiting({ STOP: 'done' }), done: final }, thread });
      const runtime = createRuntime({ store, workflows: [asks] });
      const first = runtime.start(asks, {}, { threadId: 't' });
      await first.result;
      const queued = runtime.start(asks, {}, { threadId: 't', ifBusy: 'queue' });
      while ((await runtime.list({ status: 'queued' })).length < 1) await new Promise((resolve) => setTimeout(resolve));
      await (way === 'close' ? runtime.close() : runtime.pause(queued.id));
      expect(await queued.result).toMatchObject({ status: 'paused' });
      const other = createRuntime({ store, workflows: [asks] });
      await expect(other.resume(queued.id)).rejects.toMatchObject({ code: 'THREAD_BUSY' });
      const later = other.start(asks, {}, { threadId: 't', ifBusy: 'queue' });
      await other.cancel(first.id);
      await other.recover();
      expect([(await other.get(queued.id)).status, (await other.get(later.id)).status]).toEqual(['waiting', 'queued']);
      await other.close();
      await store.close();
    }
  });

  it('cancels a queued run without affecting the owning run', async () => {
    const runtime = createRuntime();
    const workflow = talk(hangs);
    const first = runtime.start(workflow, {}, { threadId: 't' });
    await started(first);
    const queued = runtime.start(workflow, {}, { threadId: 't', ifBusy: 'queue' });
    while ((await runtime.list({ status: 'queued' })).length < 1) await new Promise((resolve) => setTimeout(resolve));
    await runtime.cancel(queued.id);
    expect([await queued.result, (await runtime.get(queued.id)).status]).toEqual([{ status: 'cancelled' }, 'cancelled']);
    expect(await runtime.thread('t')).toMatchObject({ activeRun: first.id });
    await runtime.cancel(first.id);
    expect((await runtime.thread('t')).activeRun).toBeUndefined();
  });

  it('cancels the owning run and puts the new one in its place', async () => {
    const runtime = createRuntime();
    const workflow = talk(hangs);
    const first = runtime.start(workflow, {}, { threadId: 't' });
    await started(first);
    const second = runtime.start(workflow, {}, { threadId: 't', ifBusy: 'cancel-and-replace' });
    expect(await second.result).toMatchObject({ status: 'done', output: 'a' });
    expect(await first.result).toEqual({ status: 'cancelled' });
  });

  it('commits or rejects each of ten messages that arrive at once', async () => {
    const runtime = createRuntime();
    const workflow = talk();
    const results = await Promise.all(
      Array.from({ length: 10 }, (_, i) => runtime.start(workflow, { log: [`${i}`] }, { threadId: 't' }).result),
    );
    const done = results.filter(({ status }) => status === 'done').length;
    const refused = results.filter((result) => codeOf(result) === 'THREAD_BUSY').length;
    expect([done >= 1, done + refused]).toEqual([true, 10]);
    expect((await runtime.thread('t')).revision).toBe(done);
  });
});

describe('a run that failed', () => {
  it('resumes with its thread while the thread is unchanged', async () => {
    const runtime = createRuntime();
    const greedy: LogHandler = async (_state, io) => {
      io.emit({ type: 'model-start', task: 't', model: 'm' });
      return { log: ['ok'] };
    };
    const workflow = talk(says('a'), greedy, says('ok'));
    await runtime.start(workflow, { log: ['0'] }, { threadId: 't' }).result;
    const limited = runtime.start(workflow, { log: ['1'] }, { threadId: 't', limits: { nodeVisits: 0.5 } });
    expect(codeOf(await limited.result)).toBe('LIMIT_EXCEEDED');
    const resumed = await runtime.resume(limited.id, { limits: { nodeVisits: 5 } });
    expect(await resumed.result).toMatchObject({ status: 'done', output: '0,a,1,ok' });
  });

  it('is rejected when its thread has changed', async () => {
    const runtime = createRuntime();
    const workflow = talk();
    const limited = runtime.start(workflow, { log: ['1'] }, { threadId: 't', limits: { nodeVisits: 0.5 } });
    await limited.result;
    await runtime.start(workflow, { log: ['2'] }, { threadId: 't' }).result;
    await expect(runtime.resume(limited.id)).rejects.toMatchObject({ code: 'THREAD_MOVED_ON', data: { threadId: 't' } });
  });
});

describe('leases', () => {
  it('are renewed while a run is driven, so that other runtimes cannot get it', async () => {
    const clock = fakeClock();
    const store = memoryStore();
    const first = createRuntime({ store, clock, leaseMs: 3_000 });
    const run = first.start(talk(hangs), {});
    await clock.advance(60_000);
    const second = createRuntime({ store, clock, workflows: [talk()] });
    await expect(second.resume(run.id)).rejects.toBeInstanceOf(WorkflowError);
    await expect(second.resume(run.id)).rejects.toMatchObject({ code: 'RUN_BUSY' });
  });

  it('expire without renewals', async () => {
    const clock = fakeClock();
    const store = memoryStore();
    // a process that stopped: its clock stands still
    const run = createRuntime({ store, clock: fakeClock(), leaseMs: 3_000 }).start(talk(hangs), {});
    await started(run);
    const second = createRuntime({ store, clock, workflows: [talk()] });
    await expect(second.resume(run.id)).rejects.toMatchObject({ code: 'RUN_BUSY' }); // from now on it is watched
    await clock.advance(2_999);
    await expect(second.resume(run.id)).rejects.toMatchObject({ code: 'RUN_BUSY' });
    await clock.advance(1);
    const taken = await second.resume(run.id);
    expect(await taken.result).toMatchObject({ status: 'done' });
  });
});

describe('a queued run', () => {
  it('does not fail when a renewal of its place arrives after it got its thread', async () => {
    const clock = fakeClock();
    const store = memoryStore();
    const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    /** A locked database: the renewal of a place is written when it is not locked any more. */
    const renew: RunStore['renew'] = async (lease, request) => {
      if (lease.epoch === 0) {
        asked.resolve();
        await answered.promise;
      }
      return store.renew(lease, request);
    };
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const work: LogHandler = async ({ log }) => {
      await (log.length === 1 ? first.promise : second.promise);
      return { log: ['a'] };
    };
    const works = talk(work, work);
    const runtime = createRuntime({ store: { ...store, renew }, clock, leaseMs: 3_000 });
    const before = runtime.start(works, { log: ['1'] }, { threadId: 't' });
    const run = runtime.start(works, { log: ['2'] }, { threadId: 't', ifBusy: 'queue' });
    await clock.advance(1_000);
    await asked.promise;
    first.resolve();
    await before.result;
    await clock.advance(400);
    expect((await store.read(run.id))?.status).toBe('running');
    answered.resolve();
    await clock.advance(0);
    second.resolve();
    expect(await run.result).toMatchObject({ status: 'done', output: '1,a,2,a' });
  });

  it('is not started again by a paused process after another process drove it', async () => {
    const store = memoryStore();
    const calls: string[] = [];
    const process = (name: string) => {
      const a: LogHandler = async () => {
        calls.push(name);
        return { log: ['a'] };
      };
      const states = { a: node('a', 'ask'), ask: waiting({ STOP: 'done' }), done: final, failed: failure };
      const workflow = logWorkflow({ states, nodes: { a }, thread });
      const clock = fakeClock();
      return { workflow, clock, runtime: createRuntime({ store, clock, leaseMs: 1_000, workflows: [workflow] }) };
    };
    const [first, second] = [process('first'), process('second')];
    const owner = second.runtime.start(second.workflow, {}, { threadId: 't' });
    await owner.result;
    const queued = first.runtime.start(first.workflow, {}, { threadId: 't', ifBusy: 'queue' });
    await first.clock.advance(1);
    await second.runtime.cancel(owner.id);
    await expect(second.runtime.resume(queued.id)).rejects.toMatchObject({ code: 'RUN_BUSY' });
    await second.clock.advance(1_000);
    expect(await (await second.runtime.resume(queued.id)).result).toMatchObject({ status: 'waiting' });
    await first.clock.advance(1_000);
    expect(codeOf(await queued.result)).toBe('RUN_FENCED');
    expect(calls).toEqual(['second', 'second']);
    expect((await store.read(queued.id))?.status).toBe('waiting');
  });
});
