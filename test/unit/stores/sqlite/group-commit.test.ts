import { performance } from 'node:perf_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import { createRuntime, type Lease, type RunStore } from 'agent-machines';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startChild } from '../../../fixtures/child.ts';
import { newRun, nodeEntry, requestBy, startEntry } from '../../../fixtures/example-entries.ts';
import { final, logWorkflow, node, says } from '../../../fixtures/log-workflow.ts';
import { share } from '../../../fixtures/share.ts';
import { inDatabase, outcomeOf, sqliteFiles } from '../../../fixtures/sqlite-files.ts';
import { watchedConnection } from '../../../fixtures/watched-connection.ts';

const { newPath, openStore, startProcess } = sqliteFiles('group-commit-');
const asker = requestBy('o_1');
const workflow = logWorkflow({
  states: { a: node('a', 'b'), b: node('b', 'done'), done: final, failed: final },
  nodes: { a: says('a'), b: says('b') },
});

/** A store whose commits are counted by turns of the event loop, and may be made to fail. */
function watchedStore() {
  const perTurn = new Map<number, number>();
  const seen = { commits: 0, fails: false };
  let begun = '';
  const database = watchedConnection(newPath(), (sql) => {
    if (sql.startsWith('BEGIN')) begun = sql;
    const isCommit =
      (sql === 'COMMIT' && begun === 'BEGIN IMMEDIATE') || (/^(?:INSERT|UPDATE|DELETE)/.test(sql) && !database.isTransaction);
    if (!isCommit) return;
    seen.commits++;
    const { loopCount } = performance.nodeTiming.uvMetricsInfo;
    perTurn.set(loopCount, (perTurn.get(loopCount) ?? 0) + 1);
    if (seen.fails) throw new Error('the disk is full');
  });
  const store = sqliteStore({ database });
  onTestFinished(async () => {
    await store.close();
    database.close();
  });
  return { store, seen, perTurn };
}

const begin = async (store: RunStore, count: number): Promise<readonly Lease[]> => {
  const ids = Array.from({ length: count }, (_, index) => `r_${index}`);
  return (await Promise.all(ids.map((id) => store.create(newRun(id), [startEntry()], asker)))).map(({ lease }) => lease);
};

describe('commits of one turn of the event loop', () => {
  it('are two at most, however many runs start, advance and end in it', async () => {
    const { store, seen, perTurn } = watchedStore();
    const runtime = createRuntime({ store });
    const runs = Array.from({ length: 200 }, () => runtime.start(workflow, {}));
    const results = await Promise.all(runs.map(({ result }) => result));
    await turn();
    expect(results.filter(({ status }) => status === 'done')).toHaveLength(200);
    expect(Math.max(...perTurn.values())).toBeLessThanOrEqual(2);
    expect(seen.commits).toBeLessThan(40); // 800 writes
    for (const run of runs) expect((await runtime.history(run.id)).at(-1)).toMatchObject({ kind: 'settle' });
    await runtime.close();
  });

  it('are four at most for 200 runs that end at once', async () => {
    const { store, seen } = watchedStore();
    const leases = await begin(store, 200);
    await turn();
    const before = seen.commits;
    await Promise.all(leases.map((lease) => store.settle(lease, { status: 'done', activeMs: 0, entry: nodeEntry(2) })));
    expect(seen.commits - before).toBeLessThanOrEqual(4);
    expect((await store.list({ status: 'done', limit: 1_000 })).length).toBe(200);
  });

  it('begin with one at once, so that a single run waits for no other', async () => {
    const { store } = watchedStore();
    const [lease] = await begin(store, 1);
    await turn();
    await turn();
    expect(lease && store.append(lease, nodeEntry(2), 0)).toBeUndefined();
    expect(lease && store.append(lease, nodeEntry(3), 0)).toBeInstanceOf(Promise);
  });

  it('are refused one by one: who has no lease fails alone', async () => {
    const { store } = watchedStore();
    const leases = await begin(store, 6);
    const stale = (lease: Lease, index: number): Lease => (index % 2 === 0 ? lease : { ...lease, epoch: 7 });
    const outcomes = await Promise.all(leases.map(stale).map((lease) => outcomeOf(() => store.append(lease, nodeEntry(2), 0))));
    expect(outcomes).toEqual([undefined, 'RUN_FENCED', undefined, 'RUN_FENCED', undefined, 'RUN_FENCED']);
    const lengths = await Promise.all(leases.map(async ({ runId }) => (await store.journal(runId)).length));
    expect(lengths).toEqual([2, 1, 2, 1, 2, 1]);
  });

  it('fail together, with nothing written, and the next ones succeed', async () => {
    const { store, seen } = watchedStore();
    const leases = await begin(store, 5);
    const [first, ...others] = leases;
    await turn();
    await turn();
    const writes = leases.map((lease) => outcomeOf(() => store.append(lease, nodeEntry(2), 0)));
    seen.fails = true; // the first is committed by now
    expect(await Promise.all(writes)).toEqual([undefined, ...others.map(() => 'STORE_UNAVAILABLE')]);
    seen.fails = false;
    const lengths = async () => Promise.all(leases.map(async ({ runId }) => (await store.journal(runId)).length));
    expect(await lengths()).toEqual([2, 1, 1, 1, 1]);
    await Promise.all(others.map((lease) => store.append(lease, nodeEntry(2), 0)));
    if (first) await store.append(first, nodeEntry(3), 0);
    expect(await lengths()).toEqual([3, 2, 2, 2, 2]);
  });

  it('keep the writes of one run in order, each with what the one before has left', async () => {
    const { store } = watchedStore();
    const [lease, other] = await begin(store, 2);
    if (!lease || !other) throw new Error('no runs');
    await Promise.all([
      store.append(other, nodeEntry(2), 0),
      store.append(lease, nodeEntry(2, { output: 'first' }), 0),
      store.renew(lease, asker),
      store.append(lease, nodeEntry(3, { output: 'last' }), 0),
      store.renew(lease, asker),
      store.settle(lease, { status: 'done', activeMs: 0, entry: { ...nodeEntry(4, { output: 'last' }), key: 'run', kind: 'settle' } }),
    ]);
    const outcomes = (await store.journal(lease.runId)).map(({ outcome }) => outcome);
    expect(outcomes.slice(1)).toEqual([{ output: 'first' }, { output: 'last' }, { output: 'last' }]);
  });

  it('wait for the lock together, and give up each at its own time', async () => {
    const path = newPath();
    const store = openStore(path, { busyTimeoutMs: 300 });
    const leases = await begin(store, 4);
    const holder = startChild('lock-process.ts', [path, 'IMMEDIATE']);
    onTestFinished(() => holder.kill('SIGKILL'));
    expect(await holder.line(0)).toBe('locked');
    const outcomes = await Promise.all(leases.map((lease) => outcomeOf(() => store.append(lease, nodeEntry(2), 0))));
    expect(outcomes).toEqual(leases.map(() => 'STORE_UNAVAILABLE'));
    const late = Promise.all(leases.map((lease) => outcomeOf(() => store.append(lease, nodeEntry(2), 0))));
    holder.say('let go');
    expect(await late).toEqual(leases.map(() => undefined));
  });

  it('acknowledge nothing before the transaction: killed in front of the commit, the process has promised none of it', async () => {
    const path = newPath();
    const child = startProcess(['die-in-group', path, '20']);
    await child.ended;
    const store = openStore(path);
    const lengths = await Promise.all(Array.from({ length: 20 }, async (_, run) => (await store.journal(`r_${run}`)).length));
    expect(lengths).toEqual([2, ...Array.from({ length: 19 }, () => 1)]);
    expect(['', 'r_0']).toContain(child.lines.join(''));
    expect(inDatabase(path, (db) => db.prepare('PRAGMA integrity_check').all())).toEqual([{ integrity_check: 'ok' }]);
  });

  it('leave no promise pending, with two other processes that write', async () => {
    const path = newPath();
    const store = openStore(path, { busyTimeoutMs: 60_000 });
    const runtime = createRuntime({ store });
    startProcess(['commit-forever', path, 'r_other', '2000']);
    startProcess(['commit-forever', path, 'r_third', '2000']);
    for (let round = 0; round < share(100); round++) {
      const results = await Promise.all(Array.from({ length: 50 }, () => runtime.start(workflow, {}).result));
      expect(results.filter(({ status }) => status === 'done')).toHaveLength(50);
    }
    await runtime.close();
  });
});
