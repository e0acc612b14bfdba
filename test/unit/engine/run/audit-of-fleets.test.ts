// Entries of the log for changes of many runs, of versions and of schedules.
import { type AnyWorkflow, bulkRuns, createRuntime, memoryStore, migrateRuns, type RunStore } from 'agent-machines';
import { storedSchedules } from 'agent-machines/schedules';
import { readAudit } from 'agent-machines/stores';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { publish, renamed } from '../../../fixtures/publish-versions.ts';
import { asking, serve } from '../../../fixtures/served.ts';

const ada = { via: 'backoffice', name: 'ada' } as const;
const daily = { workflow: 'asking', input: { log: ['a secret'] }, cron: '0 9 * * *', timeZone: 'UTC', name: 'nightly' } as const;

/** By run, because several may have happened in one millisecond. */
const entriesOf = async (store: RunStore) =>
  (await readAudit(store)).map(({ at: _, ...entry }) => entry).sort((a, b) => (a.runId ?? '').localeCompare(b.runId ?? ''));

function open(store: RunStore, workflows: readonly AnyWorkflow[] = [asking]) {
  const runtime = createRuntime({ store, workflows });
  onTestFinished(() => runtime.close());
  return runtime;
}

describe.each([
  ['memory', () => memoryStore()],
  ['sqlite', () => sqliteStore({ path: ':memory:' })],
])('readAudit on %s', (_, create) => {
  it('names who has moved each run to a version, but records no dry run', async () => {
    const store = create();
    const [former, current] = [publish('1'), renamed('2')];
    const runtime = open(store, [former]);
    for (const runId of ['r_1', 'r_2', 'r_3']) await runtime.start(former, {}, { runId }).result;
    const versions = { store, workflows: [former, current] };
    await migrateRuns({ ...versions, runId: 'r_1' });
    await migrateRuns({ ...versions, by: ada, dryRun: true });
    expect(await entriesOf(store)).toEqual([]);
    await bulkRuns({ ...versions, runtime: runtime.as(ada), action: 'migrate', where: { workflow: 'publish' }, limit: 1, dryRun: false });
    await migrateRuns({ ...versions, by: { ...ada, name: 'ben' } });
    expect(await entriesOf(store)).toEqual([
      { action: 'migrate', by: { ...ada, name: 'ben' }, runId: 'r_2', outcome: 'done' },
      { action: 'migrate', by: ada, runId: 'r_3', outcome: 'done' },
    ]);
    await expect(migrateRuns({ ...versions, by: { via: '' } })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
  });

  it('has one entry for each run of a bulk action, and none for a dry run', async () => {
    const store = create();
    const runtime = open(store);
    for (const runId of ['r_1', 'r_2']) await runtime.start(asking, {}, { runId }).result;
    const cancelling = { store, runtime: runtime.as(ada), action: 'cancel', where: { workflow: 'asking' } } as const;
    await bulkRuns(cancelling);
    expect(await entriesOf(store)).toEqual([]);
    await bulkRuns({ ...cancelling, dryRun: false });
    expect(await entriesOf(store)).toEqual(['r_1', 'r_2'].map((runId) => ({ action: 'cancel', by: ada, runId, outcome: 'done' })));
  });

  it('names who has changed a schedule and started its runs, without its input', async () => {
    const store = create();
    const runtime = open(store);
    const schedules = storedSchedules(runtime.as(ada));
    await schedules.add(daily);
    await expect(schedules.add({ ...daily, cron: '0 8 * * *' })).rejects.toMatchObject({ code: 'SCHEDULE_EXISTS' });
    await expect(schedules.add({ ...daily, cron: 'never' })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    await schedules.pause('nightly');
    await schedules.resume('nightly');
    const { runId } = await schedules.trigger('nightly');
    const day = { fromMs: Date.UTC(2026, 0, 1), toMs: Date.UTC(2026, 0, 2) };
    await schedules.backfill('nightly', { ...day, dryRun: true });
    await schedules.backfill('nightly', day);
    await schedules.remove('nightly');
    for (const change of ['pause', 'resume', 'trigger', 'remove'] as const)
      await expect(schedules[change]('nightly')).rejects.toMatchObject({ code: 'SCHEDULE_UNKNOWN' });
    const entries = await entriesOf(store);
    expect(
      entries
        .filter(({ schedule }) => schedule !== undefined)
        .map(({ action, outcome }) => `${action} ${outcome}`)
        .toSorted(),
    ).toEqual(['add SCHEDULE_EXISTS', 'add done', 'backfill done', 'pause done', 'remove done', 'resume done', 'trigger done']);
    expect(entries.filter(({ schedule }) => schedule !== undefined && schedule !== 'nightly')).toEqual([]);
    expect(entries.filter(({ action }) => action === 'start')).toEqual(
      expect.arrayContaining([runId, 'nightly_20260101T090000Z'].map((id) => ({ action: 'start', by: ada, runId: id, outcome: 'done' }))),
    );
    expect(JSON.stringify(entries)).not.toContain('secret');
    await storedSchedules(runtime).add(daily);
    expect(await entriesOf(store)).toHaveLength(entries.length);
  });
});

it('names the token that has changed a schedule, or many runs, over the API', async () => {
  const { ask, runtime, store } = serve();
  onTestFinished(() => runtime.close());
  await ask('POST', '/api/schedules', daily);
  await ask('DELETE', '/api/schedules/nightly');
  const { body } = await ask('POST', '/api/runs', { workflow: 'asking', input: {} });
  await ask('POST', '/api/runs/bulk', { action: 'cancel', where: { workflow: 'asking' }, dryRun: false });
  const by = { via: 'api', tenant: 'local' };
  const entries = await entriesOf(store);
  expect(entries).toHaveLength(4);
  expect(entries).toEqual(
    expect.arrayContaining([
      { action: 'add', by, schedule: 'nightly', outcome: 'done' },
      { action: 'remove', by, schedule: 'nightly', outcome: 'done' },
      { action: 'start', by, runId: body.id, outcome: 'done' },
      { action: 'cancel', by, runId: body.id, outcome: 'done' },
    ]),
  );
  expect((await ask('GET', '/api/audit?since=0')).body.entries).toContainEqual(expect.objectContaining({ schedule: 'nightly' }));
});
