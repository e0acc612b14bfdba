// A process that stands still between the intent of a `once` call and the call: its lease may be another one's by then.
import { type Clock, createRuntime, type LeaseRequest, type RunStore, systemClock } from 'agent-machines';
import { describe, expect, it } from 'vitest';
import { final, logWorkflow, node } from '../../../fixtures/log-workflow.ts';
import { sqliteFiles } from '../../../fixtures/sqlite-files.ts';

const { newPath, openStore } = sqliteFiles('standstill-');
const leaseMs = 60_000;

/** A clock whose monotonic time jumps while no timer fires, as that of a process that is stopped. */
function stoppable(): Clock & { stopFor(ms: number): void } {
  let skewMs = 0;
  return {
    ...systemClock,
    monotonic: () => systemClock.monotonic() + skewMs,
    stopFor: (ms) => {
      skewMs += ms;
    },
  };
}

/** Takes a run over with a store of its own, after its lease has expired there. */
async function takeOver(path: string, runId: string): Promise<void> {
  const store = openStore(path);
  const askAt = (monotonic: number): LeaseRequest => ({ owner: 'o_next', leaseMs, now: 0, monotonic });
  await expect((async () => store.acquire(runId, askAt(0)))()).rejects.toMatchObject({ code: 'RUN_BUSY' });
  await store.acquire(runId, askAt(leaseMs));
}

/** A payment during which the process stands still at a place, and what the store is asked meanwhile. */
async function pay(stop: { readonly at: 'append' | 'renew' | undefined; readonly ms: number; readonly meanwhile?: typeof takeOver }) {
  const path = newPath();
  const store = openStore(path);
  const clock = stoppable();
  let [calls, renewals, stops] = [0, 0, 0];
  const standStill = async (at: typeof stop.at, runId: string): Promise<void> => {
    if (at !== stop.at || stops++ > 0) return;
    clock.stopFor(stop.ms);
    await stop.meanwhile?.(path, runId);
  };
  const watched: RunStore = {
    ...store,
    lost: () => [], // it is looked at every 200 ms, which may come too late
    async append(lease, entry, activeMs) {
      await store.append(lease, entry, activeMs);
      if (entry.kind === 'intent') await standStill('append', lease.runId);
    },
    async renew(lease, request) {
      renewals++;
      await store.renew(lease, request);
      await standStill('renew', lease.runId);
    },
  };
  const workflow = logWorkflow({
    states: { a: node('a', 'done'), done: final, failed: final },
    nodes: {
      a: async (_state, { step }) => {
        if (stop.at === 'renew') clock.stopFor(leaseMs / 2); // it has to renew first
        await step('pay', async () => ++calls, { effect: 'once' });
        return {};
      },
    },
  });
  const runtime = createRuntime({ store: watched, clock, leaseMs });
  const run = runtime.start(workflow, {});
  const result = await run.result;
  await runtime.close();
  const intents = (await store.journal(run.id)).filter(({ kind }) => kind === 'intent').length;
  return { status: result.status, code: result.status === 'failed' ? result.error.code : undefined, calls, renewals, intents };
}

describe('a once call', () => {
  it('does not run after another process has taken over', async () => {
    for (let time = 0; time < 20; time++) {
      const stopped = await pay({ at: 'append', ms: 3 * leaseMs, meanwhile: takeOver });
      expect(stopped).toEqual({ status: 'failed', code: 'RUN_FENCED', calls: 0, renewals: 1, intents: 1 });
    }
  });

  it('runs after a renewal of the lease when only the process was paused', async () => {
    expect(await pay({ at: 'append', ms: leaseMs / 2 })).toEqual({ status: 'done', code: undefined, calls: 1, renewals: 1, intents: 1 });
  });

  it('ignores a renewal whose reply took half a lease', async () => {
    const late = await pay({ at: 'renew', ms: 3 * leaseMs, meanwhile: takeOver });
    expect(late).toEqual({ status: 'failed', code: 'RUN_FENCED', calls: 0, renewals: 2, intents: 1 });
  });

  it('renews nothing while the lease is valid', async () => {
    expect(await pay({ at: undefined, ms: 0 })).toEqual({ status: 'done', code: undefined, calls: 1, renewals: 0, intents: 1 });
  });
});
