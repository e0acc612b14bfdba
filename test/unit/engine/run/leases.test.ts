import { createRuntime, memoryStore, type ResumeOptions } from 'agent-machines';
import { crashingStore, fakeClock } from 'agent-machines/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ownProcess, toName } from '../../../../src/engine/store/process-name.ts';
import { type Child, startChild } from '../../../fixtures/child.ts';
import { final, hangs, type LogHandler, logWorkflow, node, says } from '../../../fixtures/log-workflow.ts';
import { slowPayment } from '../../../fixtures/slow-payment.ts';
import { inDatabase, outcomeOf, sqliteFiles } from '../../../fixtures/sqlite-files.ts';

const { newPath, openStore } = sqliteFiles('leases-');
const startMs = Date.UTC(2025, 0, 1);
const leaseMs = 30_000;
const one = (handler: LogHandler) => logWorkflow({ states: { a: node('a', 'done'), done: final, failed: final }, nodes: { a: handler } });

/** Who may own a run of which this process knows nothing, or something. */
const owners = {
  'another machine': toName({ ...ownProcess, host: 'other', boot: 'other', machine: 'other' }),
  'another container of this name': toName({ ...ownProcess, pid: '1', startedAt: '1', pidNamespace: '4026532000' }),
  'a process whose machine is not named': 'old-host:1:1',
};
const gone = toName({ ...ownProcess, pid: String(2 ** 22 + 1), startedAt: '1' });

/** A run that its owner has left behind in the middle, or is still at work on: who can tell? */
async function leftBehind(owner: string): Promise<{ path: string; runId: string }> {
  const path = newPath();
  const run = createRuntime({ store: crashingStore(openStore(path), 1), clock: fakeClock(startMs) }).start(one(says('a')), {});
  await run.result;
  inDatabase(path, (db) => db.prepare('UPDATE runs SET owner = ?').run(`${owner}/o_1`));
  return { path, runId: run.id };
}

/** A runtime of another process, which resumes a run. */
function observer(path: string, nowMs: number = startMs) {
  const clock = fakeClock(nowMs);
  const runtime = createRuntime({ store: openStore(path), workflows: [one(says('a'))], clock });
  const states: string[] = [];
  const resume = async (runId: string): Promise<unknown> => {
    const outcome = await outcomeOf(async () => (await runtime.resume(runId)).result);
    states.push(typeof outcome === 'string' ? outcome : 'resumed');
    return outcome;
  };
  return { clock, runtime, states, resume };
}

describe('a run with an unobservable owner', () => {
  const dayMs = 86_400_000;
  const cases = Object.values(owners).flatMap((owner) => [-dayMs, 0, dayMs].map((aheadMs) => [owner, aheadMs] as const));

  it.each(cases)('is resumed after the lease of %s (%i ms away on the clock) expires without a heartbeat', async (owner, aheadMs) => {
    const { path, runId } = await leftBehind(owner);
    const { clock, states, resume } = observer(path, startMs + aheadMs);
    const resumed = resume(runId);
    await clock.advance(leaseMs - 1);
    expect(states).toEqual([]);
    await clock.advance(1);
    expect(await resumed).toMatchObject({ status: 'done', output: 'a' });
  });

  it.each(cases)('is left to %s, %i ms away on the clock, after a heartbeat', async (owner, aheadMs) => {
    const { path, runId } = await leftBehind(owner);
    const { clock, states, resume } = observer(path, startMs + aheadMs);
    const resumed = resume(runId);
    await clock.advance(10_000);
    expect(states).toEqual([]);
    inDatabase(path, (db) => db.exec('UPDATE runs SET heartbeat = heartbeat + 1'));
    await clock.advance(leaseMs / 6);
    expect([await resumed, clock.monotonic()]).toEqual(['RUN_BUSY', 10_000 + leaseMs / 6]);
  });

  it('is given up when the runtime closes in the meantime', async () => {
    const { path, runId } = await leftBehind(owners['another machine']);
    const { clock, runtime, resume } = observer(path);
    const resumed = resume(runId);
    await clock.advance(1_000);
    await runtime.close();
    await clock.advance(leaseMs);
    expect(await resumed).toBe('RUNTIME_CLOSED');
  });
});

describe('a run with a known owner', () => {
  it('is rejected immediately while its owner lives', async () => {
    const path = newPath();
    const owner = createRuntime({ store: openStore(path) });
    const run = owner.start(one(hangs), {});
    for await (const { type } of run.events()) if (type === 'node-start') break;
    expect(await observer(path, startMs).resume(run.id)).toBe('RUN_BUSY');
    await owner.close();
  });

  it('is resumed immediately when its owner is gone', async () => {
    const { path, runId } = await leftBehind(gone);
    expect(await observer(path).resume(runId)).toMatchObject({ status: 'done' });
  });
});

describe('a call in doubt', () => {
  const doubtOf = async (path: string, runId: string, options: ResumeOptions = {}): Promise<unknown> => {
    const runtime = createRuntime({ store: openStore(path), workflows: [slowPayment()] });
    await (await runtime.resume(runId, options)).result;
    const { result } = await runtime.get(runId);
    await runtime.close();
    return result?.status === 'in_doubt' ? result.calls : result;
  };
  const calls = (ownerMayLive: boolean) => [
    { callId: 'pay#1/pay', describe: { tool: 'pay', args: { amount: 5 } }, startedAt: expect.any(Number), ownerMayLive },
  ];
  const start = async (container: boolean): Promise<{ path: string; runId: string; process: Child }> => {
    const path = newPath();
    const process = startChild('paying-process.ts', [path], { container });
    onTestFinished(() => process.kill('SIGKILL'));
    return { path, runId: await process.line(0), process };
  };

  it('has no live owner when its process is gone, even after another reader has seen it alive', async () => {
    const { path, runId, process } = await start(false);
    expect(await doubtOf(path, runId, { force: true })).toEqual(calls(true));
    expect(await doubtOf(path, runId)).toEqual(calls(true));
    process.kill('SIGKILL');
    await process.ended;
    expect(await doubtOf(path, runId)).toEqual(calls(false));
  });

  it('may have a live owner in a container', async () => {
    const { path, runId, process } = await start(true);
    process.kill('SIGKILL');
    await process.ended;
    expect(await doubtOf(path, runId, { force: true })).toEqual(calls(true));
  });

  it('may have a live owner in this process', async () => {
    const store = memoryStore();
    const begun = Promise.withResolvers<void>();
    const runtime = createRuntime({ store });
    const run = runtime.start(slowPayment(begun.resolve), {});
    await begun.promise;
    await runtime.pause(run.id);
    expect(await (await runtime.resume(run.id)).result).toEqual({ status: 'in_doubt', calls: calls(true) });
  });
});
