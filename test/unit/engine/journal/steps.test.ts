import { createRuntime, memoryStore, type RunResult, subWorkflow, WorkflowError } from 'agent-machines';
import { crashingStore } from 'agent-machines/testing';
import { describe, expect, it } from 'vitest';
import { createActor, toPromise } from 'xstate';
import { failure, final, hangs, type LogHandler, type LogState, logWorkflow, node, says, waiting } from '../../../fixtures/log-workflow.ts';

const one = (a: LogHandler) => logWorkflow({ states: { a: node('a', 'done'), done: final, failed: failure }, nodes: { a } });
const failureOf = (result: RunResult<unknown>): string =>
  result.status === 'failed' ? `${result.error.code} ${result.error.message}` : result.status;

/** Runs until the process dies before its write number `at`, then resumes in another process. */
async function crashAndResume(workflow: () => ReturnType<typeof one>, at: number) {
  const store = memoryStore();
  const dying = crashingStore(store, at);
  const run = createRuntime({ store: dying }).start(workflow(), {});
  await run.result;
  const runtime = createRuntime({ store, workflows: [workflow()] });
  const resumed = await runtime.resume(run.id, { force: true });
  return { store, runtime, run, resumed, result: await resumed.result };
}

describe('io.step', () => {
  it('runs its work once across a crash, with one idempotency key', async () => {
    const calls: string[] = [];
    const attempts: number[] = [];
    const keys = new Set<string>();
    const workflow = () =>
      one(async (_state, io) => {
        const log: string[] = [];
        for (const name of ['x', 'y', 'z']) {
          log.push(
            await io.step(name, async ({ number, idempotencyKey }) => {
              calls.push(name);
              attempts.push(number);
              keys.add(`${name}:${idempotencyKey}`);
              return `${name}!`;
            }),
          );
        }
        return { log };
      });
    // writes: create, x, y, and z is lost
    const { result } = await crashAndResume(workflow, 3);
    expect(result).toMatchObject({ status: 'done', output: 'x!,y!,z!' });
    expect(calls).toEqual(['x', 'y', 'z', 'z']);
    expect(attempts).toEqual([1, 1, 1, 2]);
    expect(keys.size).toBe(3);
  });

  it('throws the recorded failure again after a restart, without a retry', async () => {
    let tries = 0;
    const workflow = () =>
      one(async (_state, io) => {
        try {
          await io.step('risky', async () => {
            tries++;
            throw new WorkflowError({ code: 'TOOL_FAILED', message: 'no', retryable: true, data: { a: 1 } });
          });
        } catch (error) {
          await io.step('after', async () => 'x');
          return { log: [`${(error as WorkflowError).code} ${(error as Error).message} ${JSON.stringify((error as WorkflowError).data)}`] };
        }
        return {};
      });
    const { result } = await crashAndResume(workflow, 2);
    expect(result).toMatchObject({ output: 'TOOL_FAILED no {"a":1}' });
    expect(tries).toBe(1);
  });

  it('rejects a duplicate key in one visit', async () => {
    const result = await createRuntime().start(
      one(async (_state, io) => {
        await io.step('x', async () => 1);
        await io.step('x', async () => 2);
        return {};
      }),
      {},
    ).result;
    expect(result).toMatchObject({ finalState: 'failed', output: expect.stringContaining('STEP_KEY_REUSED') });
  });

  it('rejects a key that no store can save', async () => {
    let made = 0;
    const result = await createRuntime().start(
      one(async (_state, io) => {
        await io.step('half of \u{1F600}: \ud83d', async () => ++made);
        return {};
      }),
      {},
    ).result;
    expect(result).toMatchObject({ finalState: 'failed', output: expect.stringContaining('ID_INVALID') });
    expect(made).toBe(0);
  });

  it('rejects a value that JSON would change, with its path', async () => {
    const result = await createRuntime().start(
      one(async (_state, io) => {
        await io.step('x', async () => ({ a: [new Map()] }) as never);
        return {};
      }),
      {},
    ).result;
    expect(result).toMatchObject({ output: expect.stringContaining('a#1/x.a[0] is a Map') });
  });

  it('keeps the results of parallel steps when one of them fails', async () => {
    const calls: string[] = [];
    const workflow = () =>
      one(async (_state, io) => {
        const done = await Promise.allSettled(
          ['1', '2', '3'].map((name) =>
            io.step(name, async () => {
              calls.push(name);
              if (name === '2') throw new Error('no');
              return name;
            }),
          ),
        );
        return { log: done.map((each) => (each.status === 'fulfilled' ? each.value : 'failed')) };
      });
    const { result } = await crashAndResume(workflow, 4);
    expect(result).toMatchObject({ output: '1,failed,3' });
    expect(calls.sort()).toEqual(['1', '2', '3']);
  });

  it('marks shown output as void when a crash prevented its commit', async () => {
    const workflow = () =>
      one(async (_state, io) => {
        io.emit({ type: 'thinking', step: 'planning', content: 'x' });
        return { log: ['a'] };
      });
    const { resumed } = await crashAndResume(workflow, 1);
    const types: string[] = [];
    for await (const { type } of resumed.events()) types.push(type);
    expect(types).toEqual(['run-start', 'step-reset', 'node-start', 'thinking', 'node-end', 'edge', 'run-end']);
  });

  it('numbers the attempts of an interrupted node', async () => {
    const { resumed } = await crashAndResume(() => one(says('a')), 1);
    for await (const event of resumed.events()) if (event.type === 'node-start') expect(event.attempt).toBe(2);
  });
});

describe('a once step', () => {
  const paying = (pay: () => Promise<string>) => () =>
    one(async (_state, io) => ({
      log: [await io.step('pay', pay, { effect: 'once', describe: { tool: 'pay', args: { amount: 5 } } })],
    }));

  it('is in doubt when it was in flight during a crash, and is not repeated', async () => {
    let paid = 0;
    const workflow = paying(async () => `paid ${++paid}`);
    // writes: create, intent; the result is lost
    const { result, runtime, run } = await crashAndResume(workflow, 2);
    expect(result).toMatchObject({
      status: 'in_doubt',
      calls: [{ callId: 'a#1/pay', describe: { tool: 'pay', args: { amount: 5 } } }],
    });
    expect(paid).toBe(1);
    const again = await runtime.resume(run.id);
    expect(await again.result).toMatchObject({ status: 'in_doubt' });
    expect(paid).toBe(1);
    expect(await runtime.get(run.id)).toMatchObject({ status: 'in_doubt', result: { calls: [{ callId: 'a#1/pay' }] } });
  });

  it.each([
    [{ as: 'done', output: 'it was paid' } as const, 'done', 'it was paid', 1],
    [{ as: 'retry' } as const, 'done', 'paid 2', 2],
    [{ as: 'abort' } as const, 'failed', 'CALL_ABORTED', 1],
  ])("continues with the human's resolution: %o", async (resolution, status, output, times) => {
    let paid = 0;
    const { runtime, run } = await crashAndResume(
      paying(async () => `paid ${++paid}`),
      2,
    );
    const resolved = await runtime.resolve(run.id, 'a#1/pay', resolution);
    expect(await resolved.result).toMatchObject({ status, output: expect.stringContaining(output) });
    expect(paid).toBe(times);
    await expect(runtime.resolve(run.id, 'a#1/pay', resolution)).rejects.toMatchObject({ code: 'CALL_UNKNOWN' });
  });

  it('is resolved by one of two humans, and the other gets CALL_UNKNOWN', async () => {
    let paid = 0;
    const { runtime, run } = await crashAndResume(
      paying(async () => `paid ${++paid}`),
      2,
    );
    const settled = await Promise.allSettled([
      runtime.resolve(run.id, 'a#1/pay', { as: 'done', output: 'one' }),
      runtime.resolve(run.id, 'a#1/pay', { as: 'retry' }),
    ]);
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(settled[1]?.status === 'rejected' && settled[1].reason).toMatchObject({ code: 'CALL_UNKNOWN' });
    const winner = settled[0]?.status === 'fulfilled' ? await settled[0].value.result : undefined;
    expect(winner).toMatchObject({ status: 'done', output: 'one' });
    expect(paid).toBe(1);
  });

  it('leaves the run unchanged when the resolved call is not in doubt', async () => {
    const { runtime, run } = await crashAndResume(
      paying(async () => 'paid'),
      2,
    );
    const before = await runtime.history(run.id);
    await expect(runtime.resolve(run.id, 'a#1/other', { as: 'retry' })).rejects.toMatchObject({ code: 'CALL_UNKNOWN' });
    expect(await runtime.history(run.id)).toEqual(before);
    expect(await runtime.get(run.id)).toMatchObject({ status: 'in_doubt', result: { calls: [{ callId: 'a#1/pay' }] } });
  });

  it('does not run when its intent cannot be written', async () => {
    let paid = 0;
    const store = memoryStore();
    const run = createRuntime({ store: crashingStore(store, 1) }).start(paying(async () => `paid ${++paid}`)(), {});
    expect(failureOf(await run.result)).toContain('The process has crashed.');
    expect(paid).toBe(0);
  });

  it('suspends the run immediately when it reports an unknown outcome', async () => {
    const workflow = paying(async () => {
      throw new WorkflowError({ code: 'CALL_IN_DOUBT', message: 'timed out' });
    });
    const run = createRuntime().start(workflow(), {});
    expect(await run.result).toMatchObject({ status: 'in_doubt', calls: [{ callId: 'a#1/pay' }] });
  });

  it('lets parallel steps finish before the run is suspended', async () => {
    const finished: string[] = [];
    const workflow = () =>
      one(async (_state, io) => {
        await Promise.all([
          io.step('slow', async () => {
            await new Promise((resolve) => setTimeout(resolve, 20));
            finished.push('slow');
            return 'slow';
          }),
          io.step(
            'pay',
            async () => {
              throw new WorkflowError({ code: 'CALL_IN_DOUBT', message: 'timed out' });
            },
            { effect: 'once' },
          ),
        ]);
        return {};
      });
    const runtime = createRuntime();
    const run = runtime.start(workflow(), {});
    expect(await run.result).toMatchObject({ status: 'in_doubt' });
    expect(finished).toEqual(['slow']);
    expect((await runtime.history(run.id)).some(({ key, kind }) => key === 'a#1/slow' && kind === 'step')).toBe(true);
  });

  it('costs two commits, and any other step costs one', async () => {
    const runtime = createRuntime();
    const run = runtime.start(paying(async () => 'x')(), {});
    await run.result;
    expect((await runtime.history(run.id)).map(({ kind, key }) => `${kind} ${key}`)).toEqual([
      'start run',
      'intent a#1/pay',
      'step a#1/pay',
      'node a#1',
      'settle run',
    ]);
  });
});

describe('runtime.fork', () => {
  const chain = (calls: string[]) =>
    logWorkflow({
      states: { a: node('a', 'b'), b: node('b', 'c'), c: node('c', 'done'), done: final, failed: failure },
      nodes: Object.fromEntries(
        ['a', 'b', 'c'].map((name) => [
          name,
          (async (state: LogState) => {
            calls.push(name);
            return { log: [`${name}${state.log.length}`], count: state.count + 1 };
          }) as LogHandler,
        ]),
      ),
    });

  it('keeps everything before the node, and runs it again', async () => {
    const calls: string[] = [];
    const runtime = createRuntime();
    const run = runtime.start(chain(calls), { log: ['in'] });
    await run.result;
    const fork = await runtime.fork(run.id, { at: 'b#1' });
    expect(await fork.result).toMatchObject({ status: 'done', output: 'in,a1,b2,c3' });
    expect(calls).toEqual(['a', 'b', 'c', 'b', 'c']);
    expect(fork.id).not.toBe(run.id);
    expect(await runtime.get(run.id)).toMatchObject({ status: 'done' });
  });

  it('replaces the result of the node, and continues after it', async () => {
    const calls: string[] = [];
    const runtime = createRuntime();
    const run = runtime.start(chain(calls), {});
    await run.result;
    const fork = await runtime.fork(run.id, { at: 'b#1', patch: { log: ['by hand'] } });
    expect(await fork.result).toMatchObject({ output: 'a0,by hand,c2' });
    expect(calls).toEqual(['a', 'b', 'c', 'c']);
  });

  it('numbers its events without gaps, and can be resumed and forked', async () => {
    const store = memoryStore();
    const runtime = createRuntime({ store });
    const run = runtime.start(chain([]), {});
    await run.result;
    const fork = await runtime.fork(run.id, { at: 'c#1' });
    await fork.result;
    const events = (await runtime.history(fork.id)).flatMap((entry) => entry.events);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(events.map(({ type }) => type)).toEqual(
      (await runtime.history(run.id)).flatMap((entry) => entry.events).map(({ type }) => type),
    );
    const again = await runtime.fork(fork.id, { at: 'a#1', patch: { log: ['x'] } });
    expect(await again.result).toMatchObject({ output: 'x,b1,c2' });
    expect(await (await createRuntime({ store, workflows: [chain([])] }).resume(fork.id)).result).toEqual(await fork.result);
  });

  it('rejects an unknown node, and calls that must happen once', async () => {
    const runtime = createRuntime();
    const run = runtime.start(
      logWorkflow({
        states: { a: node('a', 'b'), b: node('b', 'done'), done: final, failed: failure },
        nodes: { a: says('a'), b: async (_state, io) => ({ log: [await io.step('pay', async () => 'paid', { effect: 'once' })] }) },
      }),
      {},
    );
    await run.result;
    await expect(runtime.fork(run.id, { at: 'z#1' })).rejects.toMatchObject({
      code: 'FORK_POINT_UNKNOWN',
      data: { nodes: ['a#1', 'b#1'] },
    });
    await expect(runtime.fork(run.id, { at: 'a#1' })).rejects.toMatchObject({ code: 'FORK_REPEATS_EFFECT', data: { calls: ['b#1/pay'] } });
    await expect(runtime.fork(run.id, { at: 'b#1' })).rejects.toMatchObject({ code: 'FORK_REPEATS_EFFECT' });
    const patched = await runtime.fork(run.id, { at: 'b#1', patch: { log: ['not paid'] } });
    expect(await patched.result).toMatchObject({ output: 'a,not paid' });
    const repeated = await runtime.fork(run.id, { at: 'b#1', repeatOnce: true });
    expect(await repeated.result).toMatchObject({ output: 'a,paid' });
  });

  it('starts with the thread state of that time', async () => {
    const thread = { initial: [] as readonly string[], next: (_before: readonly string[], { state }: { state: LogState }) => state.log };
    const talk = logWorkflow({ states: { a: node('a', 'done'), done: final, failed: failure }, nodes: { a: says('a') }, thread });
    const runtime = createRuntime();
    const runs = [];
    for (const log of [['1'], ['2'], ['3']]) {
      const run = runtime.start(talk, { log }, { threadId: 't' });
      await run.result;
      runs.push(run);
    }
    const fork = await runtime.fork(runs[1]?.id ?? '', { at: 'a#1', patch: { log: ['other'] } });
    expect(await fork.result).toMatchObject({ output: '1,a,2,other' });
    expect(await runtime.thread('t')).toMatchObject({ revision: 3 });
    const forkOfFork = await runtime.fork(fork.id, { at: 'a#1', patch: { log: ['again'] } });
    expect(await forkOfFork.result).toMatchObject({ output: '1,a,2,again' });
  });
});

describe('subWorkflow', () => {
  const inner = (calls: string[]) =>
    logWorkflow({
      id: 'inner',
      states: { x: node('x', 'ask'), ask: waiting({ SAY: 'y' }), y: node('y', 'done'), done: final, failed: failure },
      nodes: Object.fromEntries(
        ['x', 'y'].map((name) => [
          name,
          async () => {
            calls.push(name);
            return { log: [name] };
          },
        ]),
      ),
    });
  const outer = (calls: string[]) =>
    logWorkflow({
      id: 'outer',
      states: { a: node('a', 'b'), b: node('b', 'c'), c: node('c', 'done'), done: final, failed: failure },
      nodes: {
        a: says('a'),
        b: subWorkflow<LogState, { log?: readonly string[] }, LogState, string>(inner(calls), {
          toInput: ({ log }) => ({ log }),
          toPatch: ({ output, finalState }) => ({ log: [`[${output} ${finalState}]`] }),
        }),
        c: says('c'),
      },
    });

  it('runs a workflow as a node, and waits for humans through the outer run', async () => {
    const calls: string[] = [];
    const runtime = createRuntime();
    const run = runtime.start(outer(calls), {});
    const waits = await run.result;
    expect(waits).toMatchObject({ status: 'waiting', interrupt: { key: 'b#1/ask#1', accepts: ['SAY'] } });
    const interruptId = waits.status === 'waiting' && waits.interrupt ? waits.interrupt.id : '';
    const answered = await runtime.send(run.id, { type: 'SAY', text: 'go' }, { interruptId });
    expect(await answered.result).toMatchObject({ output: 'a,[a,x,go,y done],c' });
    expect(calls).toEqual(['x', 'y']);
    expect((await runtime.history(run.id)).filter(({ kind }) => kind === 'node').map(({ key }) => key)).toEqual([
      'a#1',
      'b#1/x#1',
      'b#1/y#1',
      'b#1',
      'c#1',
    ]);
  });

  it('repeats no inner step after a crash', async () => {
    for (let at = 1; at <= 5; at++) {
      const calls: string[] = [];
      const store = memoryStore();
      const run = createRuntime({ store: crashingStore(store, at) }).start(outer(calls), {});
      await run.result;
      const runtime = createRuntime({ store, workflows: [outer(calls)] });
      const resumed = await runtime.resume(run.id, { force: true });
      const result = await resumed.result;
      expect(result).toMatchObject({ status: 'waiting', interrupt: { key: 'b#1/ask#1' } });
      const committed = (await store.journal(run.id)).filter(({ key }) => key === 'b#1/x#1').length;
      expect(committed).toBe(1);
      expect(calls.length).toBeLessThanOrEqual(2);
    }
  });

  it('counts towards the limits of the outer run', async () => {
    const run = createRuntime().start(outer([]), {}, { limits: { nodeVisits: 2 } });
    expect(await run.result).toMatchObject({ status: 'failed', error: { code: 'LIMIT_EXCEEDED' } });
  });

  it('changes the structure when the inner machine changes', () => {
    const changed = logWorkflow({
      id: 'outer',
      states: { a: node('a', 'done'), done: final, failed: failure },
      nodes: {
        a: subWorkflow<LogState, { log?: readonly string[] }, LogState, string>(inner([]), { toInput: () => ({}), toPatch: () => ({}) }),
      },
    });
    const plain = logWorkflow({ id: 'outer', states: { a: node('a', 'done'), done: final, failed: failure }, nodes: { a: says('a') } });
    expect(changed.structureHash).not.toBe(plain.structureHash);
  });

  it('runs live under createActor unless it waits for humans', async () => {
    const simple = one(says('inner'));
    const live = logWorkflow({
      states: { a: node('a', 'done'), done: final, failed: failure },
      nodes: {
        a: subWorkflow<LogState, { log?: readonly string[] }, LogState, string>(simple, {
          toInput: () => ({}),
          toPatch: ({ output, finalState }) => ({ log: [output, finalState] }),
        }),
      },
    });
    expect(await toPromise(createActor(live.machine, { input: {} }).start())).toBe('inner,done');
    const waits = createActor(outer([]).machine, { input: {} }).start();
    expect(await toPromise(waits)).toContain('SUBWORKFLOW_WAITS');
  });

  it('is aborted with its outer node', async () => {
    let aborted = false;
    const slow = one((state, io) => {
      io.signal.addEventListener('abort', () => {
        aborted = true;
      });
      return hangs(state, io);
    });
    const workflow = logWorkflow({
      states: { a: node('a', 'done'), done: final, failed: failure },
      nodes: {
        a: subWorkflow<LogState, { log?: readonly string[] }, LogState, string>(slow, { toInput: () => ({}), toPatch: () => ({}) }),
      },
    });
    const runtime = createRuntime();
    const run = runtime.start(workflow, {});
    for await (const event of run.events()) if (event.type === 'node-start' && event.key === 'a#1/a#1') break;
    await runtime.pause(run.id);
    expect([await run.result, aborted]).toEqual([{ status: 'paused' }, true]);
  });
});
