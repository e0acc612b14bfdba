// Calls of tools and models that wait until they may be begun.
import { type ChatModel, createRuntime, memoryStore, type RateLimits, type RunStore, type Tool, WorkflowError } from 'agent-machines';
import { cachedModel, rateLimitedModel, scriptedModel } from 'agent-machines/models';
import { rateLimits } from 'agent-machines/stores';
import { fakeClock } from 'agent-machines/testing';
import { executeCalls, parseToolCall, rateLimited } from 'agent-machines/tools';
import { describe, expect, it } from 'vitest';
import { nextPlace, type RateWindow, withoutPlace } from '../../../../src/core/util/rate-window.ts';
import { failure, final, logWorkflow, node } from '../../../fixtures/log-workflow.ts';

/** Places by the time of a clock that stands still; `taken` counts those that were not given back. */
function limitsOf(clock: { readonly now: () => number }, usualLateMs = 0): RateLimits & { readonly taken: () => number } {
  const windows = new Map<string, RateWindow>();
  let taken = 0;
  return {
    taken: () => taken,
    take(name, rate, maxWaitMs, lateMs = usualLateMs) {
      const { place, window } = nextPlace(windows.get(name), rate, clock.now(), maxWaitMs, lateMs);
      windows.set(name, window);
      if (place.isTaken) taken++;
      return place;
    },
    giveBack(name, place) {
      windows.set(name, withoutPlace(windows.get(name) ?? { askedAt: 0, places: [] }, place));
      taken--;
    },
  };
}

/** A tool that notes when it is called. */
function noting(clock: { readonly now: () => number }, more: Partial<Tool> = {}): Tool & { readonly times: number[] } {
  const times: number[] = [];
  return {
    name: 'noting',
    inputSchema: { type: 'object', properties: { n: { type: 'number' } } },
    effect: 'once',
    capabilities: { private: false, untrusted: false, external: false },
    async execute() {
      times.push(clock.now());
      return times.length;
    },
    times,
    ...more,
  };
}

/** A run that calls a tool some times, one after the other. */
const calling = (tool: Tool, calls: number, clock: ReturnType<typeof fakeClock>) =>
  logWorkflow({
    states: { a: node('a', 'done'), done: final, failed: failure },
    nodes: {
      a: async (_, io) => {
        const asked = Array.from({ length: calls }, (_each, n) =>
          parseToolCall({ id: `id_${n}`, name: tool.name, arguments: JSON.stringify({ n }) }, { tools: [tool] }),
        );
        const { results } = await executeCalls(asked, { tools: [tool], io, signal: io.signal, clock, concurrency: 1 });
        return { log: results.map((past) => (past.status === 'success' ? past.status : `failure ${past.error.code}`)) };
      },
    },
  });

describe('a tool with a limit of two calls a second', () => {
  const rate = { calls: 2, perMs: 1_000 };

  it('waits before each further call, without using up its time-out', async () => {
    const clock = fakeClock(5_000);
    const tool = noting(clock, { timeoutMs: 10 });
    const run = createRuntime({ clock }).start(calling(rateLimited(tool, { ...rate, limits: limitsOf(clock), clock }), 5, clock), {});
    await clock.advance(10_000);
    expect(await run.result).toMatchObject({ status: 'done', output: Array(5).fill('success').join() });
    expect(tool.times).toEqual([5_000, 5_000, 6_000, 6_000, 7_000]);
  });

  it('takes no slot for a replayed call, and returns the slot of a call that is paused while it waits', async () => {
    const clock = fakeClock(5_000);
    const store: RunStore = memoryStore();
    const limits = limitsOf(clock);
    const tool = noting(clock);
    const workflow = calling(rateLimited(tool, { ...rate, limits, clock }), 3, clock);
    const runtime = createRuntime({ store, clock, workflows: [workflow] });
    const run = runtime.start(workflow, {});
    await clock.advance(500);
    expect([tool.times.length, limits.taken()]).toEqual([2, 3]);
    await Promise.all([runtime.pause(run.id), clock.advance(0)]);
    expect(await run.result).toEqual({ status: 'paused' });
    expect((await store.journal(run.id)).filter(({ kind }) => kind === 'intent')).toHaveLength(2);
    expect(limits.taken()).toBe(2);
    const again = await runtime.resume(run.id);
    await clock.advance(1_000);
    expect(await again.result).toMatchObject({ status: 'done', output: Array(3).fill('success').join() });
    expect([tool.times, limits.taken()]).toEqual([[5_000, 5_000, 6_000], 3]);
  });

  it('fails a call with too long a wait, and records it in the journal', async () => {
    const clock = fakeClock(5_000);
    const limits = limitsOf(clock);
    const tool = noting(clock);
    const workflow = calling(rateLimited(tool, { ...rate, limits, clock, maxWaitMs: 900 }), 3, clock);
    const store = memoryStore();
    const run = createRuntime({ store, clock }).start(workflow, {});
    await clock.advance(0);
    expect(await run.result).toMatchObject({ status: 'done', output: 'success,success,failure TOOL_UNAVAILABLE' });
    const steps = (await store.journal(run.id)).filter(({ kind }) => kind === 'step');
    expect(steps.at(-1)?.outcome).toMatchObject({
      output: { error: { code: 'TOOL_UNAVAILABLE', retryable: true, retryAfterMs: 1_000 }, attempts: 0 },
    });
  });

  it('counts each attempt', async () => {
    const clock = fakeClock(5_000);
    const limits = limitsOf(clock);
    const tool = noting(clock, {
      effect: 'idempotent',
      maxAttempts: 3,
      async execute() {
        tool.times.push(clock.now());
        throw new WorkflowError({ code: 'TOOL_FAILED', message: 'It failed.', retryable: true });
      },
    });
    const run = createRuntime({ clock }).start(calling(rateLimited(tool, { ...rate, limits, clock }), 1, clock), {});
    await clock.advance(60_000);
    await run.result;
    expect([tool.times.length, limits.taken()]).toEqual([3, 3]);
    expect(tool.times[2]).toBeGreaterThanOrEqual(6_000);
  });
});

describe('a model with a limit of one request a second', () => {
  const replies = () => scriptedModel(['one', 'two', 'three'].map((reply) => ({ reply })));
  const ask = (model: ChatModel, signal?: AbortSignal) =>
    model.generate({ task: 'task', messages: [], deterministic: true, ...(signal ? { signal } : {}) });

  it('waits before each further request, but not for a cached one', async () => {
    const clock = fakeClock();
    const limits = limitsOf(clock);
    const limited = rateLimitedModel(replies(), { calls: 1, perMs: 1_000, limits, clock });
    const cached = cachedModel(limited);
    const times: number[] = [];
    const asked = [ask(limited), ask(limited), ask(cached), ask(cached)].map((reply) => reply.then(() => times.push(clock.now())));
    await clock.advance(5_000);
    await Promise.all(asked);
    expect([times, limits.taken()]).toEqual([[0, 1_000, 2_000, 2_000], 3]);
  });

  it('takes another slot after its own has passed, and returns the old one', async () => {
    const clock = fakeClock();
    const limits = limitsOf(clock, 100);
    const timersAreLate = { ...clock, schedule: (delayMs: number, callback: () => void) => clock.schedule(delayMs + 60, callback) };
    const limited = rateLimitedModel(replies(), { calls: 1, perMs: 1_000, limits, clock: timersAreLate });
    const times: number[] = [];
    const asked = [ask(limited), ask(limited)].map((reply) => reply.then(() => times.push(clock.now())));
    await clock.advance(10_000);
    await Promise.all(asked);
    // the second call is 60 ms late for its place at 1,100, which allows 50; its next place comes at once
    expect([times, limits.taken()]).toEqual([[0, 1_160], 2]);
  });

  it('ends an aborted wait, and reports one that would be too long', async () => {
    const clock = fakeClock();
    const limited = rateLimitedModel(replies(), { calls: 1, perMs: 1_000, limits: limitsOf(clock), clock, maxWaitMs: 1_500 });
    const stop = new AbortController();
    const reason = new Error('stopped');
    await ask(limited);
    const waiting = ask(limited, stop.signal);
    await expect(ask(limited)).rejects.toMatchObject({ code: 'MODEL_UNAVAILABLE', retryable: true, retryAfterMs: 2_000 });
    stop.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    const next = ask(limited); // has the place that was given back
    await clock.advance(1_000);
    expect((await next).text).toBe('two');
  });
});

describe('invalid rates', () => {
  const tool = noting({ now: () => 0 });
  it.each([[{ calls: 0 }], [{ calls: 1_001 }], [{ calls: 1.5 }], [{ perMs: 0 }], [{ maxWaitMs: -1 }]])('are refused: %o', (wrong) => {
    const options = { calls: 1, perMs: 1, limits: rateLimits(), ...wrong };
    for (const make of [() => rateLimited(tool, options), () => rateLimitedModel(scriptedModel({}), options)])
      expect(make).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
  });

  it('are refused by a store without shared state', () => {
    const store = memoryStore();
    const { note: _, ...storage } = store.storage ?? expect.fail('it has a storage');
    expect(() => rateLimits({ ...store, storage })).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
  });
});
