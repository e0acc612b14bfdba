// A run whose id is its caller's: started once, however often it is asked for.
import { createRuntime, memoryStore, type RunResult, type RunStore } from 'agent-machines';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { crashingStore, fakeClock } from 'agent-machines/testing';
import { describe, expect, it } from 'vitest';
import { final, hangs, type LogHandler, logWorkflow, node, says, waiting } from '../../../fixtures/log-workflow.ts';
import { runtimeProcesses } from '../../../fixtures/runtime-child.ts';

const twice = (a: LogHandler = says('a'), version = '1') =>
  logWorkflow({
    id: 'twice',
    version,
    states: { a: node('a', 'b'), b: node('b', 'done'), done: final, failed: final },
    nodes: { a, b: says('b') },
  });
const asking = logWorkflow({ id: 'asking', states: { ask: waiting({ STOP: 'done' }), done: final } });
const runId = 'order_17';
const differencesOf = (result: RunResult<unknown>): unknown =>
  result.status === 'failed' && result.error.code === 'RUN_EXISTS' ? result.error.data?.differences : result.status;

describe('a run that is started twice under one id', () => {
  it('stays one run while it is driven, when it waits and after its end', async () => {
    const store = memoryStore();
    const runtime = createRuntime({ store });
    let calls = 0;
    const counts: LogHandler = async () => ({ log: [`${++calls}`] });
    const workflow = twice(counts);
    const both = [1, 2].map(() => runtime.start(workflow, { log: ['x'] }, { runId }));
    const results = await Promise.all(both.map((run) => run.result));
    expect(results).toEqual([1, 2].map(() => ({ status: 'done', finalState: 'done', output: 'x,1,b' })));
    const later = createRuntime({ store }).start(twice(counts), { log: ['x'] }, { runId });
    expect([later.id, await later.result, calls]).toEqual([runId, results[0], 1]);
    const events = [];
    for await (const event of later.events()) events.push(event);
    expect(events).toEqual((await store.journal(runId)).flatMap((entry) => entry.events));

    const first = await runtime.start(asking, {}, { runId: 'asks' }).result;
    const before = await store.read('asks');
    expect(await createRuntime({ store }).start(asking, {}, { runId: 'asks' }).result).toEqual(first);
    expect(await store.read('asks')).toEqual(before);
  });

  it('stays the run that is driven here when the second start read the store first', async () => {
    const store = memoryStore();
    const gate = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    let looks = 0;
    const slow: RunStore = {
      ...store,
      async read(id) {
        const isSecond = ++looks === 2;
        const found = await store.read(id);
        if (isSecond) await begun.promise; // what it has found is old when it comes
        return found;
      },
    };
    const clock = fakeClock();
    const runtime = createRuntime({ store: slow, clock, leaseMs: 3_000 });
    const waits: LogHandler = async () => {
      begun.resolve();
      await gate.promise;
      return { log: ['a'] };
    };
    const workflow = twice(waits);
    const both = [1, 2].map(() => runtime.start(workflow, {}, { runId }));
    await begun.promise;
    await clock.advance(20_000);
    // its lease is renewed: nobody else gets it
    const { code } = await Promise.resolve()
      .then(() => store.acquire(runId, { owner: 'o_other', leaseMs: 3_000, now: 0, monotonic: 0 }))
      .then(
        () => ({ code: 'given' }),
        (cause: { readonly code: string }) => cause,
      );
    expect(code).toBe('RUN_BUSY');
    expect((await store.read(runId))?.epoch).toBe(1);
    await expect(runtime.pause(runId)).resolves.toBe(undefined);
    gate.resolve();
    await clock.advance(20_000);
    expect((await Promise.all(both.map(({ result }) => result))).map(({ status }) => status)).toEqual(['paused', 'paused']);
  });

  it('resumes when it was suspended, or its process died at any point', async () => {
    for (let at = 0; at < 6; at++) {
      const store = memoryStore();
      const dying = createRuntime({ store: crashingStore(store, at), clock: fakeClock(0) });
      await dying.start(twice(), {}, { runId }).result;
      const clock = fakeClock(1_000_000);
      const again = createRuntime({ store, clock }).start(twice(), {}, { runId });
      await clock.advance(60_000); // for so long it may be at work
      expect(await again.result).toMatchObject({ status: 'done', output: 'a,b' });
      expect((await store.list({})).map(({ id }) => id)).toEqual([runId]);
    }
    const store = memoryStore();
    const closing = createRuntime({ store });
    const run = closing.start(twice(hangs), {}, { runId });
    for await (const event of run.events()) if (event.type === 'node-start') break;
    await closing.close();
    expect(await createRuntime({ store }).start(twice(), {}, { runId }).result).toMatchObject({ status: 'done' });
  });

  it('rejects another input, workflow, version or thread, and stays unchanged', async () => {
    const store = memoryStore();
    const runtime = createRuntime({ store });
    const workflow = twice();
    await runtime.start(workflow, { log: ['x'] }, { runId, threadId: 't' }).result;
    const before = [await store.read(runId), await store.journal(runId)];
    const start = { runId, threadId: 't' };
    const refused = [
      runtime.start(workflow, { log: ['y'] }, start),
      runtime.start(asking, { log: ['x'] }, start),
      runtime.start(twice(says('a'), '2'), { log: ['x'] }, start),
      runtime.start(workflow, { log: ['x'] }, { runId }),
      runtime.start(workflow, {}, { runId, threadId: 'u' }),
    ];
    expect((await Promise.all(refused.map((run) => run.result))).map(differencesOf)).toEqual([
      ['input'],
      ['workflow'],
      ['version'],
      ['thread'],
      ['thread', 'input'],
    ]);
    expect([await store.read(runId), await store.journal(runId)]).toEqual(before);
    expect(await runtime.start(workflow, { log: ['x'] }, { ...start, metadata: { other: true } }).result).toMatchObject({ status: 'done' });
    expect(() => runtime.start(workflow, {}, { runId: '../x' })).toThrow(expect.objectContaining({ code: 'ID_INVALID' }));
  });

  it('ignores the order of keys, and differs from a fork', async () => {
    const anything = logWorkflow({ id: 'anything', states: { a: node('a', 'done'), done: final, failed: final }, nodes: { a: says('a') } });
    const runtime = createRuntime();
    const input = { log: ['x'], more: { b: 1, a: [2] } };
    await runtime.start(anything, input, { runId }).result;
    expect(await runtime.start(anything, { more: { a: [2], b: 1 }, log: ['x'] } as typeof input, { runId }).result).toMatchObject({
      status: 'done',
    });
    const forked = await runtime.fork(runId, { at: 'a#1' });
    await forked.result;
    expect(differencesOf(await runtime.start(anything, input, { runId: forked.id }).result)).toEqual(['fork']);
  });

  it('is one fork for equal run, place and patch, before and after its end', async () => {
    const store = memoryStore();
    const runtime = createRuntime({ store });
    let calls = 0;
    const counts: LogHandler = async () => ({ log: [`${++calls}`] });
    const workflow = twice(counts);
    const run = runtime.start(workflow, {}, { runId });
    expect(await run.result).toMatchObject({ output: '1,b' });
    const same = { at: 'a#1', patch: { log: ['x'] }, runId: 'fork_1' };
    const both = await Promise.all([1, 2].map(() => runtime.fork(runId, same)));
    const later = await createRuntime({ store, workflows: [workflow] }).fork(runId, { ...same, patch: { ...same.patch } });
    for (const fork of [...both, later]) expect([fork.id, await fork.result]).toMatchObject(['fork_1', { output: 'x,b' }]);
    expect([calls, (await store.list({})).map(({ id }) => id)]).toEqual([1, ['fork_1', runId]]);

    const other = runtime.start(workflow, {}, { runId: 'order_18' });
    await other.result;
    const before = [await store.read('fork_1'), await store.journal('fork_1')];
    for (const [of, options] of [
      [runId, { ...same, at: 'b#1' }],
      [runId, { at: 'a#1', runId: 'fork_1' }],
      [runId, { ...same, patch: { log: ['y'] } }],
      [other.id, same],
      ['fork_1', same],
    ] as const) {
      const differs = { code: 'RUN_EXISTS', data: { runId: 'fork_1', differences: ['fork'] } };
      await expect(runtime.fork(of, options)).rejects.toMatchObject(differs);
    }
    expect([await store.read('fork_1'), await store.journal('fork_1')]).toEqual(before);
    await expect(runtime.fork(runId, { ...same, runId: runId })).rejects.toMatchObject({ data: { differences: ['fork'] } });
    await expect(runtime.fork(runId, { ...same, runId: '../x' })).rejects.toMatchObject({ code: 'ID_INVALID' });
    expect(calls).toBe(2);
  });

  it('gets its free thread after its process died in the queue', async () => {
    const store = memoryStore();
    const clock = fakeClock(0);
    const first = createRuntime({ store, clock }).start(asking, {}, { threadId: 't' });
    await first.result;
    const start = { runId, threadId: 't', ifBusy: 'queue' } as const;
    createRuntime({ store, clock: fakeClock(0) }).start(asking, {}, start); // and its clock stands still
    const runtime = createRuntime({ store, clock });
    const again = runtime.start(asking, {}, start);
    await clock.advance(60_000);
    expect((await store.read(runId))?.status).toBe('queued');
    await runtime.cancel(first.id);
    await clock.advance(2_000);
    expect(await again.result).toMatchObject({ status: 'waiting' });
  });

  it('queues in a busy thread again after a rejection', async () => {
    const runtime = createRuntime();
    const first = runtime.start(asking, {}, { threadId: 't' });
    await first.result;
    const start = { runId, threadId: 't' };
    expect(await runtime.start(asking, {}, start).result).toMatchObject({ status: 'failed', error: { code: 'THREAD_BUSY' } });
    await runtime.cancel(first.id);
    expect(await runtime.start(asking, {}, start).result).toMatchObject({ status: 'waiting' });
  });
});

describe('processes that start a run at the same time', () => {
  const processes = runtimeProcesses('start-');

  it('share one run and its outcome, except starts with another input', async () => {
    const path = processes.newPath();
    const children = await Promise.all([1, 2, 3].map(() => processes.start(path)));
    const store = sqliteStore({ path });
    for (let race = 0; race < 30; race++) {
      const id = `r_${race}`;
      const inputs = [{ log: ['1'] }, { log: ['1'] }, { log: [race % 2 === 0 ? '1' : '2'] }];
      const called = await Promise.all(children.map((child, index) => child.call('start', 'asking', inputs[index], { runId: id })));
      const results = await Promise.all(called.map(({ result }) => result));
      const [first] = await store.journal(id);
      const [winner] = first ? (first.outcome as { readonly input: { readonly log: readonly string[] } }).input.log : [];
      for (const [index, result] of results.entries()) {
        expect(result).toMatchObject(
          inputs[index]?.log[0] === winner
            ? { status: 'waiting' }
            : { status: 'failed', error: { code: 'RUN_EXISTS', data: { differences: ['input'] } } },
        );
      }
    }
    expect(await store.list({})).toHaveLength(30);
    await store.close();
  });
});
