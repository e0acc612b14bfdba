// The list of runs by state, error code and age, and for whom waiting runs wait.
import { createRuntime, fleetStates, memoryStore } from 'agent-machines';
import { fakeClock } from 'agent-machines/testing';
import { describe, expect, it } from 'vitest';
import { failure, final, logWorkflow, node, waiting } from '../../fixtures/log-workflow.ts';
import { serve } from '../../fixtures/served.ts';

const ofStates = (id: string, states: Readonly<Record<string, unknown>>): ReturnType<typeof logWorkflow> =>
  logWorkflow({ id, states: { ...states, done: final }, nodes: 'work' in states ? { breaks } : {} });
const breaks = async (): Promise<never> => {
  throw new Error('no');
};
const hourMs = 3_600_000;
const fails = ofStates('fails', { work: node('breaks', 'done', 'over'), over: failure });
const asks = ofStates('asks', { ask: waiting({ GO: 'done' }) });
const sleeps = ofStates('sleeps', { rest: { after: { [hourMs]: 'done' } } });
const asksInTime = ofStates('asks_in_time', { ask: waiting({ GO: 'done' }, { [hourMs]: 'done' }) });
const ends = ofStates('ends', {});

describe('the list of runs', () => {
  it('filters by state, code and age, and names the questions of waiting runs', async () => {
    const store = memoryStore();
    const clock = fakeClock();
    const workflows = [fails, asks, sleeps, asksInTime, ends];
    const runtime = createRuntime({ store, workflows, clock });
    const { ask } = serve({ store, runtime, workflows, clock });
    for (const workflow of workflows) await runtime.start(workflow, {}, { runId: `r_${workflow.id}` }).result;
    const idsOf = async (query: string): Promise<readonly string[]> =>
      (await ask('GET', `/api/runs?${query}`)).body.runs.map(({ id }: { readonly id: string }) => id);
    expect(await idsOf('state=waiting')).toEqual(['r_asks_in_time', 'r_asks']);
    expect(await idsOf('state=sleeping')).toEqual(['r_sleeps']);
    expect(await idsOf('status=waiting')).toEqual(['r_asks_in_time', 'r_sleeps', 'r_asks']);
    const [failed] = (await ask('GET', '/api/runs?state=failed')).body.runs;
    expect(failed).toMatchObject({ id: 'r_fails', state: 'failed' });
    expect(await idsOf(`code=${failed.failure}`)).toEqual(['r_fails']);
    expect(await idsOf('code=OTHER')).toEqual([]);
    const all = await Promise.all(fleetStates.map((state) => idsOf(`state=${state}`)));
    expect(all.flat().sort()).toEqual((await idsOf('')).toSorted());
    expect(await idsOf('older=1h')).toEqual([]);
    const since = clock.now();
    await clock.advance(hourMs / 2);
    expect(await idsOf('older=29m&state=waiting&workflow=asks')).toEqual(['r_asks']);
    const [waitingRun] = (await ask('GET', '/api/runs?workflow=asks')).body.runs;
    expect(waitingRun.waits).toEqual({ for: ['ask'], since });
    for (const query of ['state=asleep', 'older=1', 'older=1w', 'code=', 'status=parked'])
      expect([query, (await ask('GET', `/api/runs?${query}`)).status]).toEqual([query, 400]);
  });
});

describe('a bulk action over HTTP', () => {
  it('is a dry run by default, and changes the runs of one page after another', async () => {
    const store = memoryStore();
    const workflows = [asks];
    const runtime = createRuntime({ store, workflows });
    const { ask } = serve({ store, runtime, workflows });
    for (const runId of ['r_1', 'r_2', 'r_3']) await runtime.start(asks, {}, { runId }).result;
    const bulk = (body: object) => ask('POST', '/api/runs/bulk', body);
    const where = { state: 'waiting', workflow: 'asks' };
    expect((await bulk({ action: 'cancel', where })).body).toEqual({
      action: 'cancel',
      dryRun: true,
      runIds: ['r_3', 'r_2', 'r_1'],
      outcomes: [],
    });
    const first = (await bulk({ action: 'cancel', where, dryRun: false, limit: 2, from: 'r_3' })).body;
    expect(first).toMatchObject({ next: 'r_2', outcomes: [{ runId: 'r_3', result: 'done' }, { runId: 'r_2' }] });
    expect((await runtime.get('r_1')).status).toBe('waiting');
    const last = (await bulk({ action: 'cancel', where, dryRun: false, before: first.next })).body;
    expect([last.runIds, last.next]).toEqual([['r_1'], undefined]);
    for (const body of [
      { action: 'cancel', where: {} },
      { action: 'retry', where: { state: 'waiting' } },
      { action: 'drop', where },
      { action: 'cancel', where, limit: 1_001 },
      { action: 'cancel', where: { ...where, older: 'x' } },
      { action: 'cancel' },
    ])
      expect([body, (await bulk(body)).status]).toEqual([body, 400]);
    expect((await bulk({ action: 'cancel', where, before: 'r_9' })).status).toBe(404);
  });
});
