// One action on many runs.
import { join } from 'node:path';
import { type BulkOutcome, bulkRuns, createRuntime, memoryStore, type RunStore, type Runtime, type Settlement } from 'agent-machines';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { crashRun } from '../../../fixtures/crash-run.ts';
import { newRun, nodeEntry, requestBy, startEntry } from '../../../fixtures/example-entries.ts';
import { folderForTest } from '../../../fixtures/folder-for-test.ts';
import { final, hangs, logWorkflow, node, waiting } from '../../../fixtures/log-workflow.ts';

const asks = (version: string, migrate?: { readonly from: string }) =>
  logWorkflow({ id: 'asks', version, states: { ask: waiting({ GO: 'done' }), done: final }, ...(migrate ? { migrate } : {}) });
const stuck = logWorkflow({ id: 'stuck', states: { a: node('a', 'done'), done: final, failed: final }, nodes: { a: hangs } });

async function settled(store: RunStore, id: string, end: Omit<Settlement, 'activeMs' | 'entry'>): Promise<void> {
  const { lease } = await store.create(newRun(id), [startEntry()], requestBy('o_1'));
  await store.settle(lease, {
    ...end,
    activeMs: 0,
    entry: { ...nodeEntry(2, { status: end.status }), key: 'run', kind: 'settle', events: [] },
  });
}

const fail = (store: RunStore, id: string, failure = 'MODEL_UNAVAILABLE'): Promise<void> =>
  settled(store, id, { status: 'failed', failure });

const open = (store: RunStore = memoryStore()): { readonly store: RunStore; readonly runtime: Runtime } => ({
  store,
  runtime: createRuntime({ store }),
});

const ids = (outcomes: readonly BulkOutcome[], result: BulkOutcome['result']): readonly string[] =>
  outcomes.filter((one) => one.result === result).map(({ runId }) => runId);

describe('bulkRuns', () => {
  it('finds the runs and changes none by default', async () => {
    const { store, runtime } = open();
    for (const id of ['r_1', 'r_2']) await fail(store, id);
    await fail(store, 'r_3', 'TOOL_FAILED');
    const before = await store.list({});
    const found = await bulkRuns({ store, runtime, action: 'retry', where: { code: 'MODEL_UNAVAILABLE' } });
    expect(found).toEqual({ action: 'retry', dryRun: true, runIds: ['r_2', 'r_1'], outcomes: [] });
    expect(await store.list({})).toEqual(before);
  });

  it('leaves failed runs to the workers under their ids, and skips a final state tagged failure', async () => {
    const { store, runtime } = open();
    await fail(store, 'r_1');
    await settled(store, 'r_2', { status: 'done', failure: 'MODEL_UNAVAILABLE' });
    const { outcomes } = await bulkRuns({ store, runtime, action: 'retry', where: { code: 'MODEL_UNAVAILABLE' }, dryRun: false });
    expect(outcomes).toMatchObject([
      { runId: 'r_2', result: 'skipped', error: { code: 'RUN_ENDED' } },
      { runId: 'r_1', result: 'done' },
    ]);
    expect((await store.list({ state: 'queued' })).map(({ id }) => id)).toEqual(['r_1']);
  });

  it('cancels what has not ended, and failed runs only if the filter names them', async () => {
    const { store, runtime } = open();
    await settled(store, 'r_waits', { status: 'waiting' });
    await settled(store, 'r_done', { status: 'done' });
    await fail(store, 'r_fails');
    const all = await bulkRuns({ store, runtime, action: 'cancel', where: {}, all: true, dryRun: false });
    expect(ids(all.outcomes, 'done')).toEqual(['r_waits']);
    const named = await bulkRuns({ store, runtime, action: 'cancel', where: { state: 'failed' }, dryRun: false });
    expect(ids(named.outcomes, 'done')).toEqual(['r_fails']);
    expect((await store.list({ state: 'cancelled' })).map(({ id }) => id)).toEqual(['r_fails', 'r_waits']);
  });

  it('releases parked runs', async () => {
    const { store, runtime } = open();
    const run = createRuntime({ store }).start(stuck, {});
    for await (const event of run.events()) if (event.type === 'node-start') break;
    await crashRun(store, run.id, 3);
    const { outcomes } = await bulkRuns({ store, runtime, action: 'release', where: {}, all: true, dryRun: false });
    expect(outcomes).toEqual([{ runId: run.id, result: 'done' }]);
    expect((await store.list({ state: 'queued' })).map(({ id }) => id)).toEqual([run.id]);
  });

  it('migrates waiting runs, and plans each move in a dry run', async () => {
    const store = memoryStore();
    const runtime = createRuntime({ store });
    const old = asks('1');
    for (const runId of ['r_1', 'r_2']) await runtime.start(old, {}, { runId }).result;
    const workflows = [old, asks('2', { from: '1' })];
    const options = { store, runtime, workflows, action: 'migrate', where: { workflow: 'asks' } } as const;
    expect(ids((await bulkRuns(options)).outcomes, 'done')).toEqual(['r_2', 'r_1']);
    expect((await store.read('r_1'))?.version).toBe('1');
    expect(ids((await bulkRuns({ ...options, dryRun: false })).outcomes, 'done')).toEqual(['r_2', 'r_1']);
    expect((await store.list({})).map(({ version }) => version)).toEqual(['2', '2']);
    const again = await bulkRuns({ ...options, dryRun: false });
    expect(ids(again.outcomes, 'skipped')).toEqual(['r_2', 'r_1']);
  });

  it('pages through all runs once, without those that come after the start', async () => {
    const { store, runtime } = open();
    for (let n = 1; n <= 25; n++) await fail(store, `r_${n}`);
    await fail(store, 'r_later');
    const done: string[] = [];
    let before: string | undefined;
    do {
      const page = await bulkRuns({
        store,
        runtime,
        action: 'retry',
        where: { state: 'failed' },
        dryRun: false,
        limit: 10,
        from: 'r_25',
        ...(before === undefined ? {} : { before }),
      });
      done.push(...ids(page.outcomes, 'done'));
      await fail(store, `r_new_${done.length}`);
      before = page.next;
    } while (before !== undefined);
    expect(done).toEqual(Array.from({ length: 25 }, (_, n) => `r_${25 - n}`));
  });

  it('skips a run that has changed since it was listed', async () => {
    const { store, runtime } = open();
    await settled(store, 'r_1', { status: 'waiting' });
    await settled(store, 'r_2', { status: 'waiting' });
    const onRun = ({ runId }: BulkOutcome): void => {
      if (runId === 'r_2') void store.acquire('r_1', requestBy('o_2'));
    };
    const { outcomes } = await bulkRuns({ store, runtime, action: 'cancel', where: { state: 'waiting' }, dryRun: false, onRun });
    expect(outcomes).toMatchObject([
      { runId: 'r_2', result: 'done' },
      { runId: 'r_1', result: 'skipped', error: { code: 'RUN_FENCED', data: { state: 'running' } } },
    ]);
    expect((await store.read('r_1'))?.status).toBe('running');
  });

  it('stops after the current run when it is aborted', async () => {
    const { store, runtime } = open();
    for (const id of ['r_1', 'r_2', 'r_3']) await fail(store, id);
    const stop = new AbortController();
    const where = { state: 'failed' } as const;
    const { outcomes } = await bulkRuns({
      ...{ store, runtime, where, dryRun: false, signal: stop.signal },
      action: 'retry',
      onRun: () => stop.abort(),
    });
    expect(outcomes).toEqual([{ runId: 'r_3', result: 'done' }]);
  });

  it('retries each run once when four callers act at the same time', async () => {
    const path = join(folderForTest('bulk-runs-'), 'runs.db');
    const callers = Array.from({ length: 4 }, () => open(sqliteStore({ path, durability: 'normal' })));
    onTestFinished(async () => {
      for (const { store } of callers) await store.close();
    });
    const [first] = callers;
    for (let n = 0; n < 200; n++) if (first) await fail(first.store, `r_${n}`);
    const results = await Promise.all(
      callers.map((caller) => bulkRuns({ ...caller, action: 'retry', where: { state: 'failed' }, dryRun: false })),
    );
    const outcomes = results.flatMap((result) => result.outcomes);
    expect(outcomes.filter(({ result }) => result === 'failed')).toEqual([]);
    expect([...ids(outcomes, 'done')].sort()).toEqual(Array.from({ length: 200 }, (_, n) => `r_${n}`).sort());
  });

  it('refuses an empty filter without all, a state that the action is not for, and unknown conditions', async () => {
    const { store, runtime } = open();
    await fail(store, 'r_1');
    const refused = [
      { action: 'cancel', where: {} },
      { action: 'retry', where: { state: 'waiting' } },
      { action: 'retry', where: { stat: 'failed' } },
      { action: 'drop', where: { state: 'failed' } },
      { action: 'retry', where: { state: 'failed' }, limit: 0 },
      { action: 'retry', where: { state: 'failed' }, limit: 1_001 },
    ];
    for (const options of refused)
      await expect(bulkRuns({ store, runtime, dryRun: false, ...options } as never)).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    await expect(bulkRuns({ store, runtime, action: 'retry', where: { state: 'failed' }, before: 'r_9' })).rejects.toMatchObject({
      code: 'RUN_UNKNOWN',
    });
    await expect(runtime.retry('r_1', { drive: false, patch: {} })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    expect((await store.read('r_1'))?.status).toBe('failed');
  });
});
