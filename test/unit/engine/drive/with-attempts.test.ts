import {
  type AttemptOptions,
  createRuntime,
  memoryStore,
  type NodeIo,
  type RunEvent,
  subWorkflow,
  WorkflowError,
  withAttempts,
} from 'agent-machines';
import { type FakeClock, fakeClock } from 'agent-machines/testing';
import { describe, expect, it } from 'vitest';
import { createActor, toPromise } from 'xstate';
import { failure, final, type LogHandler, logWorkflow, node, says, waiting } from '../../../fixtures/log-workflow.ts';

const unavailable = (asked?: { readonly retryAfterMs: number }): WorkflowError =>
  new WorkflowError({ code: 'MODEL_UNAVAILABLE', message: 'no answer', retryable: true, ...asked });
const always = { random: () => 1 };

/** A node that fails so many times, and counts its attempts. */
function failsTimes(times: number, error: () => Error = unavailable) {
  const counted = { attempts: 0 };
  const handler: LogHandler = async () => {
    counted.attempts++;
    if (counted.attempts <= times) throw error();
    return { log: ['a'] };
  };
  return { counted, handler };
}

const workflowOf = (handler: LogHandler, options: AttemptOptions) =>
  logWorkflow({
    states: { a: node('a', 'ask'), ask: waiting({ GO: 'done' }), done: final, failed: failure },
    nodes: { a: withAttempts(handler, options) },
  });

/** Starts a run, and lets an hour pass. */
async function begin(handler: LogHandler, options: AttemptOptions, clock: FakeClock = fakeClock()) {
  const store = memoryStore();
  const runtime = createRuntime({ store, clock });
  const run = runtime.start(workflowOf(handler, options), {});
  await clock.advance(3_600_000);
  const events: RunEvent[] = [];
  const journal = async () => (await store.journal(run.id)).map(({ kind, key }) => `${kind} ${key}`);
  for await (const event of run.events()) events.push(event);
  return { clock, store, runtime, run, events, journal, result: await run.result };
}

describe('withAttempts', () => {
  it('retries a failed node within its visit and without an edge', async () => {
    const { handler, counted } = failsTimes(2);
    const { result, events, journal } = await begin(handler, { retry: always });
    expect(result).toMatchObject({ status: 'waiting' });
    expect(counted.attempts).toBe(3);
    expect(events.filter(({ type }) => type === 'node-start' || type === 'edge' || type === 'node-retry')).toMatchObject([
      { type: 'node-start', key: 'a#1' },
      { type: 'node-retry', key: 'a#1', attempt: 2, delayMs: 200, error: { code: 'MODEL_UNAVAILABLE' } },
      { type: 'node-retry', key: 'a#1', attempt: 3, delayMs: 400, error: { code: 'MODEL_UNAVAILABLE' } },
      { type: 'edge', from: 'a', to: 'ask', on: 'done' },
    ]);
    expect(await journal()).toEqual(['start run', 'step a#1/attempt#1', 'step a#1/attempt#2', 'node a#1', 'settle run']);
  });

  it.each<[string, AttemptOptions, () => Error, number]>([
    ['its attempts are used up', { retry: { ...always, attempts: 2 } }, unavailable, 2],
    ['the error is not worth another attempt', { retry: always }, () => new Error('wrong'), 1],
    ['it has no retry', { timeoutMs: 1_000 }, unavailable, 1],
    ['the policy says so', { retry: { ...always, retryable: ({ code }) => code !== 'MODEL_UNAVAILABLE' } }, unavailable, 1],
  ])('takes the error edge when %s', async (_when, options, error, attempts) => {
    const { handler, counted } = failsTimes(9, error);
    const { result } = await begin(handler, options);
    expect(result).toMatchObject({ status: 'failed', finalState: 'failed', resumable: false });
    expect(counted.attempts).toBe(attempts);
  });

  it('waits as long as the error requires', async () => {
    const { handler } = failsTimes(1, () => unavailable({ retryAfterMs: 30_000 }));
    const { events } = await begin(handler, { retry: always });
    expect(events.find(({ type }) => type === 'node-retry')).toMatchObject({ delayMs: 30_000 });
  });

  it('repeats only the steps that did not succeed', async () => {
    const calls: string[] = [];
    const handler: LogHandler = async (_state, io) => {
      const step = (key: string, fails: boolean, effect?: 'once') =>
        io.step(
          key,
          async () => {
            calls.push(key);
            if (fails) throw unavailable();
            return key;
          },
          effect ? { effect } : {},
        );
      const log = [await step('pay', false, 'once'), await step('read', false)];
      return { log: [...log, await step('write', calls.filter((key) => key === 'write').length === 0)] };
    };
    const { result, run, runtime, journal } = await begin(handler, { retry: always });
    expect(result).toMatchObject({ status: 'waiting' });
    expect(calls).toEqual(['pay', 'read', 'write', 'write']);
    expect(await journal()).toEqual([
      'start run',
      'intent a#1/pay',
      'step a#1/pay',
      'step a#1/read',
      'step a#1/write',
      'step a#1/attempt#1',
      'step a#1/write (attempt 2)',
      'node a#1',
      'settle run',
    ]);
    if (result.status !== 'waiting' || !result.interrupt) return;
    const { result: end } = await runtime.send(run.id, { type: 'GO' }, { interruptId: result.interrupt.id });
    expect(await end).toMatchObject({ status: 'done', output: 'pay,read,write' });
    expect(calls.length).toBe(4);
  });

  it('does not retry a node when a once step has failed', async () => {
    let attempts = 0;
    const handler: LogHandler = async (_state, io) => {
      attempts++;
      await io.step('pay', () => Promise.reject(unavailable()), { effect: 'once' });
      return {};
    };
    const { result } = await begin(handler, { retry: always });
    expect(result).toMatchObject({ finalState: 'failed' });
    expect(attempts).toBe(1);
  });

  it('rejects a step key that is used twice in one attempt', async () => {
    const handler: LogHandler = async (_state, io) => {
      await io.step('read', async () => 1);
      await io.step('read', async () => 2);
      return {};
    };
    const { result } = await begin(handler, { retry: always });
    expect(result).toMatchObject({ error: { code: 'STEP_KEY_REUSED' } });
  });

  it('cuts off a slow attempt, whether or not it observes its signal, and retries', async () => {
    let attempts = 0;
    let signal: AbortSignal | undefined;
    const handler: LogHandler = async (_state, io) => {
      attempts++;
      if (attempts > 1) return { log: ['a'] };
      signal = io.signal;
      await io.step('hang', () => new Promise<never>(() => {}));
      return {};
    };
    const { result, events } = await begin(handler, { retry: always, timeoutMs: 5_000 });
    expect(result).toMatchObject({ status: 'waiting' });
    expect(signal?.reason).toMatchObject({ code: 'NODE_TIMEOUT', retryable: true, data: { key: 'a#1', timeoutMs: 5_000 } });
    expect(events.find(({ type }) => type === 'node-retry')).toMatchObject({ error: { code: 'NODE_TIMEOUT' } });
  });

  it('fails with NODE_TIMEOUT after the last attempt', async () => {
    const { result } = await begin(() => new Promise<never>(() => {}), { timeoutMs: 5_000 });
    expect(result).toMatchObject({
      status: 'failed',
      error: { code: 'NODE_TIMEOUT', message: 'The node "a#1" did not finish within 5000 ms.' },
    });
  });

  it('waits for a running once step at the time-out, keeps its result and does not repeat it', async () => {
    const clock = fakeClock();
    let paid = 0;
    const handler: LogHandler = async (_state, io) => {
      const receipt = await io.step(
        'pay',
        async () => {
          await new Promise<void>((resolve) => clock.schedule(20_000, resolve));
          return `paid ${++paid}`;
        },
        { effect: 'once' },
      );
      return { log: [receipt] };
    };
    const { result, events } = await begin(handler, { retry: always, timeoutMs: 5_000 }, clock);
    expect(result).toMatchObject({ status: 'waiting' });
    expect(events.filter(({ type }) => type === 'node-retry').length).toBe(1);
    expect(paid).toBe(1);
  });

  it('leaves a call in doubt when a once step throws after the time-out', async () => {
    const handler: LogHandler = async (_state, io) => {
      const heed = (signal: AbortSignal) =>
        new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(new Error('cut')), { once: true }));
      await io.step('pay', ({ signal }) => heed(signal), { effect: 'once', describe: { amount: 3 } });
      return {};
    };
    const { result } = await begin(handler, { retry: always, timeoutMs: 5_000 });
    expect(result).toMatchObject({ status: 'in_doubt', calls: [{ callId: 'a#1/pay', describe: { amount: 3 } }] });
  });

  it('continues with the next attempt after a restart, and repeats no step', async () => {
    const clock = fakeClock();
    const store = memoryStore();
    const calls: string[] = [];
    const handler: LogHandler = async (_state, io) => {
      calls.push('handler');
      await io.step('read', async () => calls.push('read'));
      await io.step('write', async () => {
        calls.push('write');
        if (calls.filter((call) => call === 'write').length === 1) throw unavailable();
        return null;
      });
      return { log: ['a'] };
    };
    const options = { retry: { ...always, attempts: 2, firstDelayMs: 60_000, longestDelayMs: 60_000 } };
    const first = createRuntime({ store, clock });
    const run = first.start(workflowOf(handler, options), {});
    await clock.advance(1_000);
    await first.pause(run.id);
    expect(await run.result).toMatchObject({ status: 'paused' });
    const second = createRuntime({ store, clock, workflows: [workflowOf(handler, options)] });
    const resumed = await second.resume(run.id);
    await clock.advance(1_000);
    expect(await resumed.result).toMatchObject({ status: 'waiting' });
    expect(calls).toEqual(['handler', 'read', 'write', 'handler', 'write']);
  });

  it('ends immediately when the run is cancelled between two attempts', async () => {
    const clock = fakeClock();
    const { handler, counted } = failsTimes(1);
    const runtime = createRuntime({ clock });
    const run = runtime.start(workflowOf(handler, { retry: { ...always, firstDelayMs: 60_000, longestDelayMs: 60_000 } }), {});
    await clock.advance(1_000);
    await runtime.cancel(run.id);
    expect(await run.result).toMatchObject({ status: 'cancelled' });
    await clock.advance(3_600_000);
    expect(counted.attempts).toBe(1);
  });

  it('retries in the same way under XState alone, without a journal', async () => {
    const calls: string[] = [];
    const step = async (io: NodeIo, key: string) => io.step(key, async () => calls.push(key));
    const handler: LogHandler = async (_state, io) => {
      await step(io, 'read');
      if (calls.length < 3) {
        calls.push('fail');
        throw unavailable();
      }
      return { log: ['a'] };
    };
    const quick = { retry: { attempts: 3, random: () => 0 } };
    const states = { a: node('a', 'done'), done: final, failed: failure };
    const { machine } = logWorkflow({ states, nodes: { a: withAttempts(handler, quick) } });
    expect(await toPromise(createActor(machine, { input: {} }).start())).toBe('a');
    expect(calls).toEqual(['read', 'fail', 'fail']);
    const slow = withAttempts(() => new Promise<never>(() => {}), { timeoutMs: 1 });
    const { machine: hanging } = logWorkflow({ states, nodes: { a: slow } });
    expect(await toPromise(createActor(hanging, { input: {} }).start())).toBe(
      'NODE_TIMEOUT: The node "0.log.a" did not finish within 1 ms.',
    );
  });

  it('rejects invalid arguments', () => {
    const inner = logWorkflow({ states: { a: node('a', 'done'), done: final, failed: failure }, nodes: { a: says('a') } });
    const sub = subWorkflow<{ log: readonly string[]; count: number }, object, unknown, string>(inner, {
      toInput: () => ({}),
      toPatch: () => ({}),
    });
    const refused = expect.objectContaining({ code: 'OPTION_INVALID' });
    expect(() => withAttempts(sub, { timeoutMs: 1 })).toThrow(refused);
    expect(() => withAttempts(says('a'), { timeoutMs: 0 })).toThrow(refused);
    expect(() => withAttempts(says('a'), { timeoutMs: 2 ** 31 })).toThrow(refused);
    expect(() => withAttempts(says('a'), { retry: { attempts: 0 } })).toThrow(refused);
  });
});
