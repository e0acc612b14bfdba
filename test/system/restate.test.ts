// Runs in a real Restate server: the cases of every engine, and what is killed while runs are driven.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HumanEvent, RunInfo } from 'agent-machines';
import { type RestateRun, type RestateRuns, restateRuns } from 'agent-machines/stores';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Engine, engineContract } from '../fixtures/engine-contract.ts';
import { type RestateWorker, restateWorker } from './engines/restate-workers.ts';
import { type RestateServer, restateServer } from './restate/restate-server.ts';

vi.setConfig({ testTimeout: 1_800_000 });
const seed = 20261123;
const folder = mkdtempSync(join(tmpdir(), 'restate-runs-'));
const effects = join(folder, 'effects.txt');
writeFileSync(effects, '');
let server: RestateServer;
let worker: RestateWorker;
let runs: RestateRuns;

beforeAll(async () => {
  server = await restateServer();
  worker = await restateWorker(effects);
  await server.register(worker.address);
  runs = restateRuns({ ingress: server.ingress, admin: server.admin });
}, 300_000);
afterAll(async () => {
  await worker[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

async function rested(run: RestateRun): Promise<void> {
  const result = await run.result();
  if (result.status === 'failed' && result.resumable) throw result.error;
}

const engine: Engine = {
  effects,
  start: async (workflow, input, options) => rested(await runs.start(workflow, input, options)),
  begin: async (workflow, input, options) => void (await runs.start(workflow, input, options)),
  send: async (runId, event, interruptId) => void (await (await runs.send(runId, event, { interruptId })).result()),
  resolve: async (runId, callId, resolution) => void (await (await runs.resolve(runId, callId, resolution)).result()),
  cancel: (runId) => runs.cancel(runId),
  fork: async (runId, options) => rested(await runs.fork(runId, options)),
  remove: (place) => runs.remove(place),
  get: (runId) => runs.get(runId),
  history: (runId) => runs.history(runId),
  thread: (threadId) => runs.thread(threadId),
  restart: () => worker.killAndStart(),
};

describe('Restate, as an engine', () => engineContract(async () => engine));

describe('a run that was just started in Restate', () => {
  it('is found by get, alone, in a thread, and as one that waits for it', async () => {
    for (let run = 0; run < 25; run++) {
      const runId = `found_${run}`;
      await runs.start('scene', {}, { runId });
      expect((await runs.get(runId)).id).toBe(runId);
    }
    const threadId = 'found_thread';
    for (const runId of ['found_first', 'found_next']) {
      await runs.start('talk', {}, { runId, threadId, ifBusy: 'queue' });
      expect(['running', 'waiting', 'queued']).toContain((await runs.get(runId)).status);
    }
  });

  it('gets the reason of its rejection without a wait', async () => {
    await runs.start('talk', {}, { runId: 'busy_first', threadId: 'busy_thread' });
    const refused = await runs.start('talk', {}, { runId: 'busy_next', threadId: 'busy_thread' });
    await expect(runs.get('busy_next')).rejects.toMatchObject({ code: 'RUN_UNKNOWN' });
    expect(await refused.result()).toMatchObject({ status: 'failed', error: { code: 'THREAD_BUSY' } });
  });
});

/** So many runs, with something killed in each: `KILLS=200 npm run test:system -- restate`. */
const kills = Number(process.env.KILLS ?? 12);
const made = (): readonly string[] => readFileSync(effects, 'utf8').split('\n').filter(Boolean);
/** So many threads, each with a tape of commands that meet. */
const tapes = Number(process.env.TAPES ?? 6);
const longWait = { timeout: 60_000, interval: 100 };
const said: HumanEvent = { type: 'SAY', text: 'go on' };

interface Answer {
  readonly id?: string;
  readonly record?: { readonly activeRun?: string; readonly revision: number };
  readonly driven?: string;
  readonly queue?: readonly string[];
}

/** A handler, called beside the client. */
async function ask(path: string, body?: unknown): Promise<Answer> {
  const init = body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const text = await (await fetch(`${server.ingress}/${path}`, { method: 'POST', ...init })).text();
  return (text === '' ? {} : JSON.parse(text)) as Answer;
}

/** What a command of a tape may be refused with. */
function refusals(cause: unknown): void {
  const codes = [
    'RUN_UNKNOWN',
    'RUN_ENDED',
    'RUN_EXISTS',
    'RUN_BUSY',
    'THREAD_UNKNOWN',
    'THREAD_BUSY',
    'INTERRUPT_MOVED',
    'INTERRUPT_UNKNOWN',
    'INTERRUPT_ANSWERED',
    'THREAD_MOVED_ON',
  ];
  expect(codes).toContain((cause as { readonly code?: string }).code);
}

async function carriedOut(what: string, threadId: string, runId: string): Promise<unknown> {
  switch (what) {
    case 'queue':
    case 'reject':
    case 'cancel-and-replace':
      return (await runs.start('talk', {}, { runId, threadId, ifBusy: what })).result();
    case 'cancel':
      return runs.cancel(runId);
    case 'remove':
      return runs.remove({ threadId });
    default: {
      const { result } = await runs.get(runId);
      if (result?.status !== 'waiting' || !result.interrupt) return undefined;
      return (await runs.send(runId, said, { interruptId: result.interrupt.id })).result();
    }
  }
}

/** Drives a run to its end as its humans would: they answer, and look whether a call in doubt has happened. */
async function toItsEnd(runId: string, madeBefore: number): Promise<RunInfo> {
  for (;;) {
    const info = await vi.waitFor(async () => {
      const now = await runs.get(runId);
      expect(now.result).toBeDefined();
      return now;
    });
    const { result } = info;
    if (result?.status === 'waiting' && result.interrupt) {
      await (await runs.send(runId, said, { interruptId: result.interrupt.id })).result();
    } else if (result?.status === 'in_doubt') {
      const [call] = result.calls;
      if (!call) throw new Error('Nothing is in doubt.');
      const name = call.callId.split('/').at(-1) ?? '';
      const happened = made()
        .slice(madeBefore)
        .some((line) => line.startsWith(`${name} `));
      await (await runs.resolve(runId, call.callId, happened ? { as: 'done', output: name } : { as: 'retry' })).result();
    } else return info;
  }
}

describe('Restate, when something is killed', () => {
  const plan = fc.record({ who: fc.constantFrom('worker', 'server', 'both'), afterMs: fc.nat({ max: 250 }), answered: fc.boolean() });

  it(`completes ${kills} runs without a lost step or a repeated once call`, async () => {
    for (const [index, { who, afterMs, answered }] of fc.sample(plan, { numRuns: kills, seed }).entries()) {
      const runId = `killed_${index}`;
      const before = made().length;
      const run = await runs.start('scene', {}, { runId });
      if (answered) {
        const rest = await run.result();
        if (rest.status !== 'waiting' || !rest.interrupt) throw new Error(JSON.stringify(rest));
        await runs.send(runId, said, { interruptId: rest.interrupt.id });
      }
      await new Promise((resolve) => setTimeout(resolve, afterMs));
      await Promise.all([who === 'server' ? undefined : worker.killAndStart(), who === 'worker' ? undefined : server.killAndStart()]);
      const { result } = await toItsEnd(runId, before);
      const entries = await runs.history(runId);
      expect([index, result]).toEqual([index, expect.objectContaining({ status: 'done', finalState: 'done' })]);
      const output = result?.status === 'done' ? String(result.output) : '';
      expect(output.split(',').sort()).toEqual(['go on', 'mail', 'pay', 'raced 1+2+3']);
      expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, at) => at + 1));
      const events = entries.flatMap((entry) => entry.events);
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at + 1));
    }
    expect(new Set(made()).size).toBe(made().length); // each has the run's own key
  });

  it('parks a run that kills its worker repeatedly, until a resume', async () => {
    writeFileSync(`${effects}.deadly`, '');
    const deadly = await runs.start('deadly', {}, { runId: 'deadly' });
    const beside = await runs.start('slow', {}, { runId: 'beside_it' });
    const stop = new AbortController();
    const deaths = worker.keepAlive(stop.signal);
    const parked = await deadly.result();
    stop.abort();
    expect(parked).toMatchObject({ status: 'failed', error: { code: 'RUN_POISONED' } });
    expect(await deaths).toBe(4); // the start, and three times more
    expect(await beside.result()).toMatchObject({ status: 'done', output: 'worked' }); // though it was there at every death
    rmSync(`${effects}.deadly`);
    expect(await (await runs.resume('deadly', { force: true })).result()).toMatchObject({ status: 'done', output: 'alive' });
  });

  it('keeps a removed thread from a run that restarted under its id', async () => {
    const [runId, threadId] = ['begun_anew', 'removed_before'];
    await (await runs.start('talk', {}, { runId, threadId })).result();
    const { id } = await ask(`AgentThread/${threadId}/remove`);
    await vi.waitFor(() => expect(runs.get(runId)).rejects.toMatchObject({ code: 'RUN_UNKNOWN' }));
    await (await runs.start('talk', {}, { runId })).result();
    await ask(`AgentRun/${runId}/forget`, id); // it comes late
    expect((await runs.get(runId)).status).toBe('waiting');
  });

  it(`frees the threads of ${tapes} tapes of commands, with each finished run in their state`, async () => {
    const command = fc.record({
      what: fc.constantFrom('queue', 'reject', 'cancel-and-replace', 'cancel-and-replace', 'cancel', 'answer', 'remove', 'kill'),
      run: fc.nat({ max: 9 }),
      afterMs: fc.constantFrom(0, 0, 5, 40),
    });
    for (const [index, tape] of fc.sample(fc.array(command, { minLength: 6, maxLength: 18 }), { numRuns: tapes, seed }).entries()) {
      const threadId = `tape_${index}`;
      const asked: Promise<unknown>[] = [];
      for (const { what, run, afterMs } of tape) {
        if (what === 'kill') await worker.killAndStart();
        else asked.push(carriedOut(what, threadId, `${threadId}_${run}`).catch(refusals));
        await new Promise((resolve) => setTimeout(resolve, afterMs));
      }
      await Promise.all(asked);
      await vi.waitFor(async () => {
        const all = await runs.list({ threadId, limit: 100 });
        for (const { id, status } of all) if (status !== 'done' && status !== 'cancelled') await runs.cancel(id).catch(refusals);
        const { record, ...rest } = await ask(`AgentThread/${threadId}/read`);
        const done = all.filter(({ status }) => status === 'done').length;
        expect([index, record?.activeRun, record?.revision ?? 0, rest.driven, rest.queue]).toEqual([index, undefined, done, undefined, []]);
      }, longWait);
      expect(await (await runs.start('talk', {}, { threadId })).result()).toMatchObject({ status: 'waiting' });
    }
  });

  it('continues after another worker replaces the first one', async () => {
    const first = await runs.start('talk', {}, { runId: 'two_workers' });
    await using other = await restateWorker(effects);
    await server.register(other.address);
    const second = await runs.start('talk', {}, { runId: 'two_workers_too' });
    for (const run of [first, second]) expect(await run.result()).toMatchObject({ status: 'waiting' });
    await worker[Symbol.asyncDispose]();
    for (const { id } of [first, second]) expect((await toItsEnd(id, 0)).result).toMatchObject({ finalState: 'done' });
  });
});
