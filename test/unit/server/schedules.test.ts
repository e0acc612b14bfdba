// Schedules over HTTP.
import { createRuntime, createWorker, memoryStore, type Runtime } from 'agent-machines';
import { createClient } from 'agent-machines/client';
import { createServer } from 'agent-machines/server';
import { fakeClock } from 'agent-machines/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { asking, host, type Served, serve, token } from '../../fixtures/served.ts';

const nineMs = Date.parse('2026-11-23T09:00:00Z');
const hourly = { name: 'hourly', workflow: 'asking', input: {}, cron: '0 * * * *', timeZone: 'UTC' } as const;

function open(): Served & { readonly clock: ReturnType<typeof fakeClock> } {
  const clock = fakeClock(nineMs - 30_000);
  const store = memoryStore();
  const runtime = createRuntime({ store, clock, workflows: [asking] });
  onTestFinished(() => runtime.close());
  return { ...serve({ store, runtime }), clock };
}

describe('schedules', () => {
  it('are added, listed, paused, resumed, triggered, backfilled and removed by the client', async () => {
    const { server, runtime, store, clock } = open();
    const client = createClient({ baseUrl: `http://${host}`, token, fetch: async (url, init) => server.fetch(new Request(url, init)) });
    const params = { id: 'hourly' };
    expect(await client.addSchedule({ body: hourly })).toMatchObject({ name: 'hourly', status: 'active', nextMs: nineMs });
    const worker = createWorker({ runtime });
    await clock.advance(60_000);
    expect(await client.listSchedules()).toMatchObject({
      schedules: [{ name: 'hourly', lastMs: nineMs, lastRunId: 'hourly_20261123T090000Z', nextMs: nineMs + 3_600_000, started: 1 }],
    });
    expect(await client.pauseSchedule({ params })).toMatchObject({ status: 'paused' });
    expect(await client.resumeSchedule({ params })).toMatchObject({ status: 'active' });
    const first = await client.triggerSchedule({ params }, { idempotencyKey: 'a' });
    expect(await client.triggerSchedule({ params }, { idempotencyKey: 'a' })).toEqual({ ...first, isNew: false });
    const body = { fromMs: nineMs - 3_600_000, toMs: nineMs + 1 };
    const runs = [
      { dueMs: nineMs - 3_600_000, runId: 'hourly_20261123T080000Z', isNew: true },
      { dueMs: nineMs, runId: 'hourly_20261123T090000Z', isNew: false },
    ];
    expect(await client.backfillSchedule({ params, body: { ...body, dryRun: true } })).toEqual({ runs });
    expect(await client.backfillSchedule({ params, body })).toEqual({ runs });
    expect(await client.removeSchedule({ params })).toEqual({ deleted: 1 });
    expect(await client.listSchedules()).toEqual({ schedules: [] });
    for (let second = 0; second < 5; second++) await clock.advance(1_000);
    await worker.close();
    expect((await store.list({})).map(({ status }) => status)).toEqual(['waiting', 'waiting', 'waiting']);
  });

  it.each([
    [{ cron: 'every day' }, 400, 'OPTION_INVALID'],
    [{ timeZone: 'Mars/Olympus' }, 400, 'TIME_ZONE_UNKNOWN'],
    [{ workflow: 'unknown' }, 404, 'WORKFLOW_UNKNOWN'],
    [{ settings: { model: 'm' } }, 400, 'OPTION_INVALID'],
    [{ name: '../x' }, 400, 'REQUEST_INVALID'],
    [{ overlap: 'never' }, 400, 'REQUEST_INVALID'],
    [{ jitterMs: 1e9 }, 400, 'REQUEST_INVALID'],
    [{ surprise: 1 }, 400, 'REQUEST_INVALID'],
  ])('reject %o with the status %i and write nothing', async (more, status, code) => {
    const { ask } = open();
    expect(await ask('POST', '/api/schedules', { ...hourly, ...more })).toMatchObject({ status, body: { code } });
    expect((await ask('GET', '/api/schedules')).body).toEqual({ schedules: [] });
  });

  it('reject an input that the workflow refuses, another schedule of a name, and unknown names', async () => {
    const { ask } = open();
    expect(await ask('POST', '/api/schedules', hourly)).toMatchObject({ status: 201 });
    expect(await ask('POST', '/api/schedules', hourly)).toMatchObject({ status: 201 });
    expect(await ask('POST', '/api/schedules', { ...hourly, input: { log: ['x'] } })).toMatchObject({
      status: 409,
      body: { code: 'SCHEDULE_EXISTS' },
    });
    for (const path of ['pause', 'resume', 'trigger'])
      expect(await ask('POST', `/api/schedules/other/${path}`)).toMatchObject({ status: 404, body: { code: 'SCHEDULE_UNKNOWN' } });
    expect(await ask('DELETE', '/api/schedules/other')).toMatchObject({ status: 404, body: { code: 'SCHEDULE_UNKNOWN' } });
    const body = { fromMs: nineMs, toMs: nineMs + 3_600_000 };
    expect(await ask('POST', '/api/schedules/hourly/backfill', body)).toMatchObject({ status: 400, body: { code: 'OPTION_INVALID' } });
  });

  it('stay with their tenant', async () => {
    const runtimes: Runtime[] = [];
    const server = createServer({
      tokens: { 'token-of-a': 'a', 'token-of-b': 'b' },
      hosts: [host],
      spaceOf() {
        const store = memoryStore();
        const runtime = createRuntime({ store, workflows: [asking] });
        runtimes.push(runtime);
        return { store, runtime, workflows: [{ id: 'asking', title: '', description: '', examples: [], workflow: asking }] };
      },
    });
    onTestFinished(async () => void (await Promise.all(runtimes.map((runtime) => runtime.close()))));
    const ask = async (tenant: string, method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }> => {
      const headers = { authorization: `Bearer token-of-${tenant}`, 'content-type': 'application/json' };
      const text = body === undefined ? {} : { body: JSON.stringify(body) };
      const response = await server.fetch(new Request(`http://${host}${path}`, { method, headers, ...text }));
      return { status: response.status, body: await response.json() };
    };
    expect(await ask('a', 'POST', '/api/schedules', hourly)).toMatchObject({ status: 201 });
    expect(await ask('b', 'GET', '/api/schedules')).toEqual({ status: 200, body: { schedules: [] } });
    expect(await ask('b', 'DELETE', '/api/schedules/hourly')).toMatchObject({ status: 404 });
    expect(await ask('a', 'GET', '/api/schedules')).toMatchObject({ body: { schedules: [{ name: 'hourly' }] } });
  });
});
