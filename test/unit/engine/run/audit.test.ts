import { createRuntime, memoryStore, type RunStore } from 'agent-machines';
import { createRunStore, pruneRuns, readAudit } from 'agent-machines/stores';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { naiveStorage } from '../../../fixtures/naive-storage.ts';
import { asking, serve } from '../../../fixtures/served.ts';

const ada = { via: 'backoffice', name: 'ada' } as const;

/** Starts and answers a run, and cancels another one. */
async function actions(store: RunStore, by: Parameters<ReturnType<typeof createRuntime>['as']>[0] | undefined) {
  const runtime = createRuntime({ store, workflows: [asking] });
  onTestFinished(() => runtime.close());
  const acting = by ? runtime.as(by) : runtime;
  const run = acting.start(asking, {}, { runId: 'r_1' });
  const waits = await run.result;
  const interruptId = waits.status === 'waiting' ? (waits.interrupt?.id ?? '') : '';
  const answered = await acting.send('r_1', { type: 'SAY', text: 'yes' }, { interruptId });
  const result = await answered.result;
  await acting.start(asking, {}, { runId: 'r_2', threadId: 't_1' }).result;
  await acting.cancel('r_2');
  return { runtime, acting, result };
}

describe.each([
  ['memory', () => memoryStore()],
  ['sqlite', () => sqliteStore({ path: ':memory:' })],
])('readAudit on %s', (_, create) => {
  it('names who has started, answered and cancelled', async () => {
    const store = create();
    const { acting } = await actions(store, ada);
    await expect(acting.cancel('r_2')).rejects.toMatchObject({ code: 'RUN_ENDED' });
    await expect(acting.cancel('r_unknown')).rejects.toMatchObject({ code: 'RUN_UNKNOWN' });
    const entries = await readAudit(store);
    expect(entries.map(({ at }) => at)).toEqual(entries.map(({ at }) => at).toSorted((a, b) => a - b));
    // several may have happened in one millisecond
    expect(entries).toHaveLength(5);
    expect(entries.map(({ at: _at, ...entry }) => entry)).toEqual(
      expect.arrayContaining([
        { action: 'start', by: ada, runId: 'r_1', outcome: 'done' },
        { action: 'answer', by: ada, runId: 'r_1', outcome: 'done' },
        { action: 'start', by: ada, runId: 'r_2', threadId: 't_1', outcome: 'done' },
        { action: 'cancel', by: ada, runId: 'r_2', outcome: 'done' },
        { action: 'cancel', by: ada, runId: 'r_2', outcome: 'RUN_ENDED' },
      ]),
    );
    const last = entries.at(-1)?.at ?? 0;
    expect(await readAudit(store, { since: last, limit: 1 })).toHaveLength(1);
    expect(await readAudit(store, { since: last + 1 })).toEqual([]);
  });

  it('records nothing for a program that names no actor, and gives the same run', async () => {
    const [named, unnamed] = [create(), create()];
    const { result } = await actions(named, ada);
    expect((await actions(unnamed, undefined)).result).toEqual(result);
    expect(await readAudit(unnamed)).toEqual([]);
    expect(await unnamed.storage?.notes?.({ prefix: 'audit ' })).toEqual([]);
    const kinds = async (store: RunStore) => (await store.journal('r_1')).map(({ kind, key, events }) => [kind, key, events.length]);
    expect(await kinds(named)).toEqual(await kinds(unnamed));
  });

  it('keeps the removal of a run without its contents, until it is pruned', async () => {
    const store = create();
    const { ask, runtime } = serve({ store });
    onTestFinished(() => runtime.close());
    const { body } = await ask('POST', '/api/runs', { workflow: 'asking', input: { log: ['a secret'] } }, { 'user-agent': 'console/1' });
    await ask('POST', `/api/runs/${body.id}/cancel`);
    await ask('DELETE', `/api/runs/${body.id}`);
    const { entries } = (await ask('GET', '/api/audit?since=0')).body;
    expect(entries).toMatchObject([
      { action: 'cancel', by: { via: 'api', tenant: 'local' }, runId: body.id },
      { action: 'remove', by: { via: 'api', tenant: 'local' }, runId: body.id, outcome: 'done' },
    ]);
    expect(JSON.stringify(entries)).not.toContain('secret');
    await pruneRuns(store, { olderThanMs: 0, now: Date.now() + 60_000, dryRun: true });
    expect(await readAudit(store)).toHaveLength(2);
    await pruneRuns(store, { olderThanMs: 0, now: Date.now() + 60_000 });
    expect(await readAudit(store)).toEqual([]);
  });
});

it('names the token and the program of a client, and cuts long texts', async () => {
  const { server, runtime, store } = serve({ tokens: { 'a-token-with-a-name': { tenant: 'acme', name: 'ci' } } });
  onTestFinished(() => runtime.close());
  const headers = {
    host: 'agents.test',
    authorization: 'Bearer a-token-with-a-name',
    'content-type': 'application/json',
    'user-agent': 'x'.repeat(500),
  };
  const start = { method: 'POST', headers, body: JSON.stringify({ workflow: 'asking', input: {} }) };
  expect((await server.fetch(new Request('http://agents.test/api/runs', start))).status).toBe(201);
  const [entry] = await readAudit(store);
  expect(entry).toMatchObject({ action: 'start', by: { via: 'api', tenant: 'acme', name: 'ci', client: 'x'.repeat(200) } });
  expect(JSON.stringify(entry)).not.toContain('a-token');
});

it.each([[{}], [{ via: '' }], [{ via: 7 }], [{ via: 'x', token: 'y' }], [null]])('refuses the actor %j', (actor) => {
  expect(() => createRuntime().as(actor as never)).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
});

it('is refused by name for a store without notes, in which actions work all the same', async () => {
  const { note: _, notes: __, ...storage } = naiveStorage();
  const store = createRunStore(storage);
  await actions(store, ada);
  await expect(readAudit(store)).rejects.toMatchObject({ code: 'OPTION_INVALID' });
});
