// What nobody is at work on is found and resumed: dead runs, due timers, queues, and runs that could not be written.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import {
  createRuntime,
  createWorker,
  memoryStore,
  type Run,
  type RunStore,
  type Runtime,
  type WorkerEvent,
  WorkflowError,
} from 'agent-machines';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { type FakeClock, fakeClock } from 'agent-machines/testing';
import { describe, expect, it } from 'vitest';
import { crashRun } from '../../../fixtures/crash-run.ts';
import { final, hangs, type LogHandler, logWorkflow, node, says, waiting } from '../../../fixtures/log-workflow.ts';
import { runtimeProcesses } from '../../../fixtures/runtime-child.ts';

const talk = (a: LogHandler = says('a'), version = '1') =>
  logWorkflow({ id: 'talk', version, states: { a: node('a', 'done'), done: final, failed: final }, nodes: { a } });
const timed = logWorkflow({
  id: 'timed',
  states: { ask: waiting({ STOP: 'done' }, { 1000: 'late' }), late: node('late', 'done'), done: final, failed: final },
  nodes: { late: says('late') },
});
const begun = async (run: Run<unknown>): Promise<void> => {
  for await (const event of run.events()) if (event.type === 'node-start') return;
};
const statusOf = async (store: RunStore, runId: string): Promise<string | undefined> => (await store.read(runId))?.status;

/** A store that cannot be written while it is told to. */
function lockable(store: RunStore): RunStore & { isLocked: boolean } {
  const locked: { isLocked: boolean } = { isLocked: false };
  const write = <T>(work: () => T): T => {
    if (locked.isLocked) throw new WorkflowError({ code: 'STORE_UNAVAILABLE', message: 'locked', retryable: true });
    return work();
  };
  return Object.assign(locked, {
    ...store,
    create: (...args: Parameters<RunStore['create']>) => write(() => store.create(...args)),
    acquire: (...args: Parameters<RunStore['acquire']>) => write(() => store.acquire(...args)),
    append: (...args: Parameters<RunStore['append']>) => write(() => store.append(...args)),
    settle: (...args: Parameters<RunStore['settle']>) => write(() => store.settle(...args)),
    list: (...args: Parameters<RunStore['list']>) => write(() => store.list(...args)),
  });
}

/** Lets the time go on, step by step, until something is settled. */
async function passTime<T>(clock: FakeClock, stepMs: number, promise: Promise<T>): Promise<T> {
  let isSettled = false;
  const settled = promise.finally(() => {
    isSettled = true;
  });
  settled.catch(() => {});
  while (!isSettled) await clock.advance(stepMs);
  return settled;
}

/** A run that waits for its timer at 1,000 ms, in the store of a runtime that is gone. */
async function sleeper(store: RunStore): Promise<string> {
  const gone = createRuntime({ store, clock: fakeClock() });
  const run = gone.start(timed, {});
  await run.result;
  await gone.close();
  return run.id;
}
const whyOf = async (runtime: Runtime): Promise<readonly (readonly [string, string])[]> =>
  (await runtime.recover()).taken.map(({ run, why }) => [run.id, why]);

describe('runtime.recover', () => {
  it('resumes only runs with a due timer', async () => {
    const store = memoryStore();
    const id = await sleeper(store);
    expect(await whyOf(createRuntime({ store, clock: fakeClock(999), workflows: [timed] }))).toEqual([]);
    const { taken, left } = await createRuntime({ store, clock: fakeClock(1000), workflows: [timed] }).recover();
    expect([taken.map(({ run, why }) => [run.id, why]), left]).toEqual([[[id, 'due']], []]);
    expect(await taken[0]?.run.result).toMatchObject({ status: 'done', output: 'late' });
  });

  it('resumes a run that waits only for a timer', async () => {
    const delayed = logWorkflow({
      id: 'delayed',
      states: { wait: { after: { 3600000: 'b' } }, b: node('b', 'done'), done: final, failed: final },
      nodes: { b: says('b') },
    });
    const store = memoryStore();
    const clock = fakeClock();
    const gone = createRuntime({ store, clock });
    const run = gone.start(delayed, {});
    expect(await run.result).toMatchObject({ status: 'waiting', interrupts: [] });
    await gone.close();
    expect(await whyOf(createRuntime({ store, clock: fakeClock(3_599_999), workflows: [delayed] }))).toEqual([]);
    const { taken } = await createRuntime({ store, clock: fakeClock(3_600_000), workflows: [delayed] }).recover();
    expect(await taken[0]?.run.result).toMatchObject({ status: 'done', output: 'b' });
  });

  it('resumes runs that a closed runtime suspended, but not paused or failed ones', async () => {
    const store = memoryStore();
    const runtime = createRuntime({ store });
    const workflow = talk(hangs);
    const runs = [1, 2, 3].map(() => runtime.start(workflow, {}));
    const failed = runtime.start(workflow, {}, { limits: { nodeVisits: 0.5 } });
    await failed.result;
    const [paused, handed, closed] = runs;
    if (!paused || !handed || !closed) throw new Error('three were started');
    for (const run of runs) await begun(run);
    await runtime.pause(paused.id);
    await runtime.pause(handed.id, { handOver: true });
    await runtime.close();
    const next = createRuntime({ store, workflows: [talk()] });
    expect(await whyOf(next)).toEqual([
      [handed.id, 'due'],
      [closed.id, 'due'],
    ]);
    expect([await statusOf(store, paused.id), await statusOf(store, failed.id)]).toEqual(['paused', 'failed']);
  });

  it('resumes a run after failed writes without counting a crash', async () => {
    const store = lockable(memoryStore());
    const clock = fakeClock();
    const runtime = createRuntime({ store, clock });
    const locks: LogHandler = async () => {
      store.isLocked = true;
      return { log: ['a'] };
    };
    const run = runtime.start(talk(locks), {});
    expect(await run.result).toMatchObject({ status: 'failed', error: { code: 'STORE_UNAVAILABLE' } });
    for (let time = 0; time < 5; time++) {
      store.isLocked = false;
      const { taken } = await runtime.recover();
      expect(await taken[0]?.run.result).toMatchObject({ error: { code: 'STORE_UNAVAILABLE' } });
    }
    expect(await store.read(run.id)).toMatchObject({ status: 'running', crashes: 0 });
    store.isLocked = false;
    const last = createRuntime({ store, clock: fakeClock(), workflows: [talk()] });
    expect(await whyOf(last)).toEqual([]); // it belongs to a runtime that may live
    expect(await (await last.resume(run.id, { force: true })).result).toMatchObject({ status: 'done' });
  });

  it('retries a locked store with backoff, and gives up with a named error', async () => {
    const store = lockable(memoryStore());
    const id = await sleeper(store);
    const clock = fakeClock(5_000);
    const runtime = createRuntime({ store, clock, workflows: [timed] });
    store.isLocked = true;
    const recovering = runtime.recover();
    await clock.advance(10_000);
    store.isLocked = false;
    const { taken } = await passTime(clock, 1_000, recovering);
    expect(taken.map(({ run }) => run.id)).toEqual([id]);
    store.isLocked = true;
    await expect(passTime(clock, 1_000, runtime.recover())).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  });

  it('reports unknown workflows, unknown versions and poisoned runs without resuming them', async () => {
    const store = memoryStore();
    const other = logWorkflow({ id: 'other', states: { a: node('a', 'done'), done: final, failed: final }, nodes: { a: hangs } });
    const before = createRuntime({ store });
    const runs = [before.start(talk(hangs), {}), before.start(talk(hangs, '2'), {}), before.start(other, {})];
    for (const run of runs) await begun(run);
    await before.close();
    const poisoned = createRuntime({ store }).start(talk(hangs, '3'), {});
    await begun(poisoned);
    await crashRun(store, poisoned.id, 3);
    const records = await store.list({});
    const { taken, left } = await createRuntime({ store, workflows: [talk(says('a'), '3')] }).recover();
    expect(taken).toEqual([]);
    expect(left.map(({ runId, error }) => [runId, error.code])).toEqual([
      [poisoned.id, 'RUN_POISONED'],
      [runs[0]?.id, 'JOURNAL_OF_OTHER_MACHINE'],
      [runs[1]?.id, 'JOURNAL_OF_OTHER_MACHINE'],
      [runs[2]?.id, 'WORKFLOW_UNKNOWN'],
    ]);
    expect(await store.list({})).toEqual(records);
  });

  it('makes a workflow from the settings of a run with workflowFor', async () => {
    const store = memoryStore();
    const before = createRuntime({ store });
    const workflow = talk(hangs);
    const runs = ['x', 'y'].map((name) => before.start(workflow, {}, { metadata: { name } }));
    for (const run of runs) await begun(run);
    await before.close();
    const runtime = createRuntime({ store, workflowFor: ({ metadata }) => talk(says(`by ${String(metadata?.name)}`)) });
    const { taken } = await runtime.recover();
    expect(await Promise.all(taken.map(async ({ run }) => (await run.result) as unknown))).toMatchObject([
      { output: 'by x' },
      { output: 'by y' },
    ]);
  });
});

describe('a timer that is due while the store is locked', () => {
  it('fires when the store is free again', async () => {
    const store = lockable(memoryStore());
    const clock = fakeClock();
    const runtime = createRuntime({ store, clock });
    const run = runtime.start(timed, {});
    await run.result;
    store.isLocked = true;
    await clock.advance(120_000);
    expect(await statusOf(store, run.id)).toBe('waiting');
    store.isLocked = false;
    await clock.advance(120_000);
    expect(await statusOf(store, run.id)).toBe('done');
  });
});

describe('a worker', () => {
  const dueRuns = async (store: RunStore, count: number): Promise<void> => {
    for (let made = 0; made < count; made++) await sleeper(store);
  };
  const gated = (): { readonly workflow: typeof timed; readonly atWork: () => number; readonly release: () => void } => {
    let running = 0;
    let open: (() => void)[] = [];
    const late: LogHandler = async () => {
      running++;
      await new Promise<void>((resolve) => open.push(resolve));
      running--;
      return { log: ['late'] };
    };
    const states = { ask: waiting({ STOP: 'done' }, { 1000: 'late' }), late: node('late', 'done'), done: final, failed: final };
    const release = (): void => {
      for (const go of open) go();
      open = [];
    };
    return { workflow: logWorkflow({ id: 'timed', states, nodes: { late } }), atWork: () => running, release };
  };

  it('resumes up to its limit of runs, and the next one when a run ends', async () => {
    const store = memoryStore();
    await dueRuns(store, 5);
    const { workflow, atWork, release } = gated();
    const clock = fakeClock(2_000);
    const events: WorkerEvent[] = [];
    const worker = createWorker({ store, clock, workflows: [workflow], concurrency: 2, onEvent: (event) => events.push(event) });
    for (const expected of [2, 2, 1, 0]) {
      await clock.advance(5_000);
      expect(atWork()).toBe(expected);
      release();
    }
    expect(await store.list({ status: 'done' })).toHaveLength(5);
    expect(events.map(({ type }) => type).sort()).toEqual([...Array(5).fill('rested'), ...Array(5).fill('taken')]);
    await passTime(clock, 1_000, worker.close());
  });

  it('waits for its runs when it closes, and hands over slow ones', async () => {
    const store = memoryStore();
    await dueRuns(store, 2);
    const { workflow, release } = gated();
    const clock = fakeClock(2_000);
    const stop = new AbortController();
    const quick = createWorker({ store, clock, workflows: [workflow], concurrency: 1, signal: stop.signal });
    await clock.advance(1);
    stop.abort();
    await clock.advance(1);
    release();
    await quick.closed;
    expect((await store.list({})).map(({ status }) => status).sort()).toEqual(['done', 'waiting']);

    const runtime = createRuntime({ store, clock, workflows: [workflow] });
    const slow = createWorker({ runtime, clock, drainMs: 3_000 });
    await clock.advance(1);
    const closing = slow.close();
    await clock.advance(2_999);
    expect(await store.list({ status: 'running' })).toHaveLength(1);
    await clock.advance(1);
    await closing;
    expect(await store.list({ status: 'paused', dueBefore: clock.now() })).toHaveLength(1);
    const next = createWorker({ store, clock, workflows: [timed] });
    await clock.advance(1_000);
    expect(await store.list({ status: 'done' })).toHaveLength(2);
    await passTime(clock, 1_000, next.close());
    expect(await runtime.recover()).toEqual({ taken: [], left: [] }); // it is still open
  });

  it('reports a skipped run once, and continues after trouble of the store', async () => {
    const store = lockable(memoryStore());
    await dueRuns(store, 1);
    const clock = fakeClock(2_000);
    const events: WorkerEvent[] = [];
    const worker = createWorker({ store, clock, onEvent: (event) => events.push(event) });
    await clock.advance(30_000);
    expect(events).toMatchObject([{ type: 'left', error: { code: 'WORKFLOW_UNKNOWN' } }]);
    store.isLocked = true;
    await clock.advance(120_000);
    store.isLocked = false;
    await clock.advance(120_000);
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'trouble', error: expect.objectContaining({ code: 'STORE_UNAVAILABLE' }) }),
    );
    expect(events.at(-1)).toMatchObject({ type: 'left' });
    await passTime(clock, 1_000, worker.close());
  });

  it('rejects unknown options', () => {
    for (const options of [{ concurency: 2 }, { concurrency: 0 }, { runtime: 'agents.db' }, { onEvent: true }, { drainMs: -1 }]) {
      expect(() => createWorker(options as never)).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
    }
  });
});

describe('a thread whose process was killed', () => {
  const processes = runtimeProcesses('recover-');
  const states = { done: final, failed: final };
  const working = logWorkflow({ id: 'working', states: { a: node('a', 'done'), ...states }, nodes: { a: says('done') } });

  /** A run of the thread that was at work, and two that were queued behind it, of a process that is dead now. */
  async function killed(path: string): Promise<readonly string[]> {
    const child = await processes.start(path, { calls: processes.newPath() });
    const runIds = ['r_first', 'r_second', 'r_third'];
    const store = sqliteStore({ path });
    for (const [index, runId] of runIds.entries()) {
      await child.call('start', 'working', { log: [`${index}`] }, { runId, threadId: 't', ifBusy: 'queue' });
      while (!(await store.read(runId))) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await store.close();
    child.kill('SIGKILL');
    await child.ended;
    return runIds;
  }
  const turnsOf = async (runtime: Runtime): Promise<readonly unknown[]> =>
    (await runtime.thread('t')).turns.map(({ id, status, threadRevision }) => [id, status, threadRevision]);

  it('is recovered in the order of its messages', async () => {
    const path = processes.newPath();
    const runIds = await killed(path);
    const store = sqliteStore({ path });
    const runtime = createRuntime({ store, workflows: [working] });
    const hasty = await runtime.start(working, {}, { threadId: 't' }).result;
    expect(hasty).toMatchObject({ status: 'failed', error: { code: 'THREAD_BUSY', data: { runId: 'r_first' } } });
    const { taken } = await runtime.recover();
    expect(taken[0]).toMatchObject({ run: { id: 'r_first' }, why: 'dead' });
    expect(runIds.slice(0, taken.length)).toEqual(taken.map(({ run }) => run.id)); // one may have ended before the next was looked at
    const last = runtime.start(working, {}, { runId: 'r_last', threadId: 't', ifBusy: 'queue' });
    expect(await last.result).toMatchObject({ status: 'done' });
    expect(await turnsOf(runtime)).toEqual([...runIds, 'r_last'].map((id) => [id, 'done', 0]));
    const ends = await Promise.all([...runIds, 'r_last'].map(async (id) => (await store.read(id))?.updatedAt ?? 0));
    expect(ends).toEqual([...ends].sort((a, b) => a - b));
    await store.close();
  });

  it('is resumed by the next queued message, without recover', async () => {
    const path = processes.newPath();
    const runIds = await killed(path);
    const store = sqliteStore({ path });
    const runtime = createRuntime({ store, leaseMs: 300, workflows: [working] });
    const last = runtime.start(working, {}, { runId: 'r_last', threadId: 't', ifBusy: 'queue' });
    expect(await last.result).toMatchObject({ status: 'done' });
    expect(await turnsOf(runtime)).toEqual([...runIds, 'r_last'].map((id) => [id, 'done', 0]));
    await store.close();
  });
});

describe('workers that are killed repeatedly', () => {
  const processes = runtimeProcesses('workers-');

  it('complete every message of every thread in order, and repeat only work in flight', async () => {
    const path = processes.newPath();
    const calls = processes.newPath();
    // however fast they are, there is something left for the next ones
    const allowMore = (count: number): void => {
      const made = existsSync(calls) ? readFileSync(calls, 'utf8').split('\n').length - 1 : 0;
      writeFileSync(`${calls}.new`, String(made + count));
      renameSync(`${calls}.new`, `${calls}.most`);
    };
    allowMore(6);
    const first = await processes.start(path, { calls });
    const threads = ['t0', 't1', 't2'];
    const messages = Array.from({ length: 8 }, (_, n) => threads.map((threadId) => ({ runId: `${threadId}_${n}`, threadId }))).flat();
    const store = sqliteStore({ path });
    for (const { runId, threadId } of messages) {
      await first.call('start', 'stepping', { log: [runId] }, { runId, threadId, ifBusy: 'queue' });
      while (!(await store.read(runId))) await new Promise((resolve) => setTimeout(resolve, 1));
    }
    first.kill('SIGKILL');
    await first.ended;
    let kills = 0;
    const isOver = async (): Promise<boolean> => (await store.list({ status: 'done' })).length === messages.length;
    while (!(await isOver())) {
      const workers = await Promise.all([processes.start(path, { calls }), processes.start(path, { calls })]);
      await Promise.all(workers.map((worker) => worker.call('work')));
      const before = (await store.list({ status: 'done' })).length;
      allowMore(30);
      const moved = async (): Promise<boolean> => (await isOver()) || (await store.list({ status: 'done' })).length > before + 3;
      while (!(await moved())) await new Promise((resolve) => setTimeout(resolve, 3));
      for (const worker of workers) worker.kill('SIGKILL');
      await Promise.all(workers.map(({ ended }) => ended));
      kills += 2;
    }
    expect(kills).toBeGreaterThan(3);
    for (const threadId of threads) {
      const turns = [...(await store.list({ threadId }))].reverse();
      expect(turns.map(({ id, status }) => [id, status])).toEqual(
        messages.filter((one) => one.threadId === threadId).map(({ runId }) => [runId, 'done']),
      );
      const begun = await Promise.all(turns.map(async ({ id }) => (await store.journal(id)).map(({ at }) => at)));
      for (const [index, times] of begun.entries())
        expect(times.at(-1)).toBeLessThanOrEqual(begun[index + 1]?.[1] ?? Number.POSITIVE_INFINITY);
    }
    const made = readFileSync(calls, 'utf8').trim().split('\n');
    expect(new Set(made).size).toBe(3 * messages.length);
    expect(made.length - 3 * messages.length).toBeLessThanOrEqual(threads.length * (kills + 1)); // one in flight in each thread, for each kill
    await store.close();
  });
});
