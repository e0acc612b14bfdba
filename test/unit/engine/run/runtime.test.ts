import { createRuntime, memoryStore, type Run, type RunEvent, type RunResult, type Runtime, WorkflowError } from 'agent-machines';
import { fakeClock } from 'agent-machines/testing';
import { describe, expect, it } from 'vitest';
import { crashRun } from '../../../fixtures/crash-run.ts';
import { failure, final, hangs, type LogHandler, logWorkflow, node, says, waiting } from '../../../fixtures/log-workflow.ts';
import { scenario } from '../../../fixtures/scenario.ts';

const two = (a: LogHandler = says('a'), b: LogHandler = says('b')) =>
  logWorkflow({ states: { a: node('a', 'b'), b: node('b', 'done'), done: final, failed: failure }, nodes: { a, b } });
const asking = () =>
  logWorkflow({
    id: 'asking',
    states: { a: node('a', 'ask'), ask: waiting({ SAY: 'b', STOP: 'done' }), b: node('b', 'done'), done: final, failed: failure },
    nodes: { a: says('a'), b: says('b') },
  });

async function eventsOf(run: Run<unknown>, from = 1): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of run.events({ from })) events.push(event);
  return events;
}
const codeOf = async (promise: Promise<unknown>): Promise<string> => {
  try {
    await promise;
    return 'nothing was thrown';
  } catch (error) {
    return WorkflowError.isInstance(error) ? error.code : String(error);
  }
};
const interruptOf = (result: RunResult<unknown>): string => {
  if (result.status !== 'waiting' || !result.interrupt) throw new Error(`not waiting: ${JSON.stringify(result)}`);
  return result.interrupt.id;
};
const failureOf = (result: RunResult<unknown>): string => (result.status === 'failed' ? result.error.code : result.status);

describe('runtime.start', () => {
  it('drives a workflow to its final state', async () => {
    const run = createRuntime().start(two(), {});
    expect(await run.result).toEqual({ status: 'done', finalState: 'done', output: 'a,b' });
  });

  it('takes the error edge when a node throws any value', async () => {
    for (const thrown of [new Error('boom'), 'text', null, { message: 'like an error' }, Object.create(null)]) {
      const run = createRuntime().start(
        two(async () => {
          throw thrown;
        }),
        {},
      );
      expect(await run.result).toMatchObject({ status: 'failed', finalState: 'failed', resumable: false });
    }
  });

  it('takes the error edge when a node returns a value that JSON would change, or an unknown key', async () => {
    const when = await createRuntime().start(
      two(async () => ({ log: [new Date(0) as never] })),
      {},
    ).result;
    const key = await createRuntime().start(
      two(async () => ({ lgo: ['a'] }) as never),
      {},
    ).result;
    expect([when, key]).toMatchObject([
      { finalState: 'failed', output: expect.stringContaining('VALUE_NOT_JSON: patch.log[0] is a Date') },
      { finalState: 'failed', output: expect.stringContaining('STATE_KEY_UNKNOWN') },
    ]);
  });

  it('gives a node a frozen state', async () => {
    const run = createRuntime().start(
      two(says('a'), async (state) => {
        (state.log as string[]).push('by hand');
        return {};
      }),
      {},
    );
    expect(await run.result).toMatchObject({ finalState: 'failed', output: expect.stringContaining('not extensible') });
  });

  it('throws immediately for an input that cannot be stored, and for an invalid thread id', () => {
    const runtime = createRuntime();
    expect(() => runtime.start(two(), { log: [1n as never] })).toThrow(expect.objectContaining({ code: 'VALUE_NOT_JSON' }));
    for (const threadId of ['', '../x', 'a b', '__proto__ ', 'x'.repeat(65), '%2e']) {
      expect(() => runtime.start(two(), {}, { threadId })).toThrow(expect.objectContaining({ code: 'ID_INVALID' }));
    }
  });

  it("stores the caller's metadata", async () => {
    const runtime = createRuntime();
    const run = runtime.start(two(), {}, { metadata: { by: 'me' } });
    await run.result;
    expect(await runtime.get(run.id)).toMatchObject({ metadata: { by: 'me' }, input: {}, status: 'done', result: { output: 'a,b' } });
  });
});

describe('run.events', () => {
  it('numbers events from 1 without gaps or repeats, and includes the edges', async () => {
    const run = createRuntime().start(two(), {});
    const events = await eventsOf(run);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(events.map(({ type }) => type)).toEqual([
      'run-start',
      'node-start',
      'node-end',
      'edge',
      'node-start',
      'node-end',
      'edge',
      'run-end',
    ]);
    expect(events.filter(({ type }) => type === 'edge')).toMatchObject([
      { from: 'a', to: 'b', on: 'done' },
      { from: 'b', to: 'done', on: 'done' },
    ]);
  });

  it('serves any number of consumers from any number, even after the end', async () => {
    const run = createRuntime().start(two(), {});
    const [all, fromFour] = await Promise.all([eventsOf(run), eventsOf(run, 4)]);
    expect(fromFour).toEqual(all.slice(3));
    expect(await eventsOf(run)).toEqual(all);
    expect(await eventsOf(run, 100)).toEqual([]);
  });

  it('delivers tokens and custom events to listeners without storing them', async () => {
    const runtime = createRuntime();
    const talks: LogHandler = async (_state, io) => {
      io.emit({ type: 'token', text: 'Hel' });
      io.emit({ type: 'thinking', step: 'planning', content: 'hm' });
      io.emit({ type: 'token', text: 'lo' });
      io.emit({ type: 'custom', name: 'x', data: { y: 1 } });
      return {};
    };
    const run = runtime.start(two(talks), {});
    const live = await eventsOf(run);
    expect(live.filter(({ type }) => type === 'token')).toMatchObject([
      { text: 'Hel', seq: 2, node: 'a#1' },
      { text: 'lo', seq: 3, node: 'a#1' },
    ]);
    const stored = (await runtime.history(run.id)).flatMap(({ events }) => events);
    expect(stored).toEqual(live.filter(({ type }) => type !== 'token' && type !== 'custom'));
    expect(stored.map(({ seq }) => seq)).toEqual(stored.map((_, index) => index + 1));
  });

  it('returns the stored events of a run that another runtime drives', async () => {
    const store = memoryStore();
    const run = createRuntime({ store }).start(two(), {});
    const live = await eventsOf(run);
    const read: RunEvent[] = [];
    for await (const event of createRuntime({ store }).events(run.id, { from: 3 })) read.push(event);
    expect(read).toEqual(live.slice(2));
  });
});

describe('runtime.send', () => {
  it('continues with the answer, and repeats nothing before the question', async () => {
    const runtime = createRuntime();
    const run = runtime.start(asking(), {});
    const interruptId = interruptOf(await run.result);
    const answered = await runtime.send(run.id, { type: 'SAY', text: 'yes' }, { interruptId });
    expect(await answered.result).toEqual({ status: 'done', finalState: 'done', output: 'a,yes,b' });
    const nodes = (await runtime.history(run.id)).filter(({ kind }) => kind === 'node').map(({ key }) => key);
    expect(nodes).toEqual(['a#1', 'b#1']);
  });

  it('asks the same question after a restart', async () => {
    const store = memoryStore();
    const run = createRuntime({ store }).start(asking(), {});
    const first = interruptOf(await run.result);
    const again = await createRuntime({ store, workflows: [asking()] }).resume(run.id);
    expect(interruptOf(await again.result)).toBe(first);
  });

  it('ignores a repeated answer, and rejects a different one by name', async () => {
    const runtime = createRuntime();
    const run = runtime.start(asking(), {});
    const interruptId = interruptOf(await run.result);
    const first = await runtime.send(run.id, { type: 'SAY', text: 'yes' }, { interruptId });
    const result = await first.result;
    const before = await runtime.history(run.id);
    const repeated = await runtime.send(run.id, { type: 'SAY', text: 'yes' }, { interruptId });
    expect(await repeated.result).toEqual(result);
    expect(await runtime.history(run.id)).toEqual(before);
    const other = runtime.send(run.id, { type: 'STOP' }, { interruptId });
    await expect(other).rejects.toMatchObject({ code: 'INTERRUPT_ANSWERED', data: { winner: 'SAY' } });
  });

  it('accepts one of two concurrent answers', async () => {
    const runtime = createRuntime();
    const run = runtime.start(asking(), {});
    const interruptId = interruptOf(await run.result);
    const sent = await Promise.allSettled([
      runtime.send(run.id, { type: 'SAY', text: 'one' }, { interruptId }),
      runtime.send(run.id, { type: 'SAY', text: 'two' }, { interruptId }),
    ]);
    expect(sent.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const lost = sent.find((one) => one.status === 'rejected');
    expect(lost?.status === 'rejected' && (lost.reason as WorkflowError).code).toBe('INTERRUPT_ANSWERED');
    const won = sent.find((one) => one.status === 'fulfilled');
    const result = won?.status === 'fulfilled' ? await won.value.result : undefined;
    expect(result).toMatchObject({ status: 'done', output: expect.stringMatching(/^a,(one|two),b$/) });
    expect((await runtime.history(run.id)).filter(({ kind }) => kind === 'event')).toHaveLength(1);
  });

  it('accepts one answer of two runtimes on one store', async () => {
    const store = memoryStore();
    const run = createRuntime({ store }).start(asking(), {});
    const interruptId = interruptOf(await run.result);
    const runtimes = [1, 2].map(() => createRuntime({ store, workflows: [asking()] }));
    const sent = await Promise.allSettled(
      runtimes.map((runtime, i) => runtime.send(run.id, { type: 'SAY', text: `${i}` }, { interruptId })),
    );
    expect(sent.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect((await store.journal(run.id)).filter(({ kind }) => kind === 'event')).toHaveLength(1);
  });

  it('asks for other values of an event that a guard has rejected', async () => {
    const guarded = logWorkflow({
      states: { ask: waiting({ GO: { guard: 'never', target: 'done' }, STOP: 'done' }), done: final },
      guards: { never: () => false },
    });
    const runtime = createRuntime();
    const run = runtime.start(guarded, {});
    const interruptId = interruptOf(await run.result);
    await expect(runtime.send(run.id, { type: 'GO' }, { interruptId })).rejects.toMatchObject({
      code: 'EVENT_NOT_ACCEPTED',
      hint: 'Send it with other values, or another event.',
    });
    await expect(runtime.send(run.id, { type: 'SAY' }, { interruptId })).rejects.toMatchObject({ hint: 'Send one of GO, STOP.' });
  });

  it('rejects an unknown question, an unknown event, a bad payload or no type, and keeps waiting', async () => {
    const runtime = createRuntime();
    const run = runtime.start(asking(), {});
    const interruptId = interruptOf(await run.result);
    const before = await runtime.history(run.id);
    expect(await codeOf(runtime.send(run.id, { type: 'SAY', text: 'x' }, { interruptId: 'i_other' }))).toBe('INTERRUPT_UNKNOWN');
    expect(await codeOf(runtime.send(run.id, { type: 'GO' }, { interruptId }))).toBe('EVENT_NOT_ACCEPTED');
    expect(await codeOf(runtime.send(run.id, { type: 'SAY', text: '  ' }, { interruptId }))).toBe('EVENT_INVALID');
    expect(await codeOf(runtime.send(run.id, { type: 'STOP', extra: 1 }, { interruptId }))).toBe('EVENT_INVALID');
    expect(await codeOf(runtime.send(run.id, {} as never, { interruptId }))).toBe('EVENT_INVALID');
    expect(await codeOf(runtime.send('r_unknown', { type: 'STOP' }, { interruptId }))).toBe('RUN_UNKNOWN');
    expect(await runtime.history(run.id)).toEqual(before);
    expect(await runtime.get(run.id)).toMatchObject({ status: 'waiting', result: { interrupt: { id: interruptId } } });
  });

  it('rejects an event when its guard does not pass', async () => {
    const workflow = logWorkflow({
      states: { ask: waiting({ GO: { target: 'done', guard: 'long' }, SAY: { target: 'ask', reenter: true } }), done: final },
      guards: { long: ({ log }) => log.length > 0 },
    });
    const runtime = createRuntime();
    const run = runtime.start(workflow, {});
    const first = interruptOf(await run.result);
    expect(await codeOf(runtime.send(run.id, { type: 'GO' }, { interruptId: first }))).toBe('EVENT_NOT_ACCEPTED');
    const said = await runtime.send(run.id, { type: 'SAY', text: 'x' }, { interruptId: first });
    const gone = await runtime.send(run.id, { type: 'GO' }, { interruptId: interruptOf(await said.result) });
    expect(await gone.result).toMatchObject({ status: 'done' });
  });

  it('reports that an ended run has no question', async () => {
    const runtime = createRuntime();
    const run = runtime.start(two(), {});
    await run.result;
    expect(await codeOf(runtime.send(run.id, { type: 'GO' }, { interruptId: 'i_x' }))).toBe('RUN_ENDED');
  });

  it('opens a new question at every entry into the state', async () => {
    const workflow = logWorkflow({ states: { ask: waiting({ SAY: { target: 'ask', reenter: true }, STOP: 'done' }), done: final } });
    const runtime = createRuntime();
    const run = runtime.start(workflow, {});
    const first = interruptOf(await run.result);
    const again = await runtime.send(run.id, { type: 'SAY', text: 'more' }, { interruptId: first });
    const second = interruptOf(await again.result);
    expect(second).not.toBe(first);
    expect(await codeOf(runtime.send(run.id, { type: 'STOP' }, { interruptId: first }))).toBe('INTERRUPT_ANSWERED');
    const ended = await runtime.send(run.id, { type: 'STOP' }, { interruptId: second });
    expect(await ended.result).toMatchObject({ status: 'done', output: 'more' });
  });
});

describe('timers', () => {
  const nodes = { a: says('a'), left: says('l'), right: says('r'), c: says('c') };

  it('fire in a live process', async () => {
    const clock = fakeClock();
    const runtime = createRuntime({ clock });
    const run = runtime.start(scenario(nodes), null);
    expect(await run.result).toMatchObject({ status: 'waiting', interrupt: { key: 'human#1' } });
    await clock.advance(1199);
    expect(await runtime.get(run.id)).toMatchObject({ result: { interrupt: { key: 'human#1' } } });
    await clock.advance(1);
    expect(await runtime.get(run.id)).toMatchObject({ result: { interrupt: { key: 'escalate#1' } } });
  });

  it('survive a restart, and overdue ones fire first and once', async () => {
    const store = memoryStore();
    const clock = fakeClock();
    const run = createRuntime({ store, clock }).start(scenario(nodes), null);
    const interruptId = interruptOf(await run.result);
    const later = fakeClock(30 * 86_400_000);
    const runtime = createRuntime({ store, clock: later, workflows: [scenario(nodes)] });
    expect(await runtime.list({ dueBefore: later.now() })).toMatchObject([{ id: run.id, wakeAt: 1200 }]);
    // the old question is no longer asked: the timer came before the answer
    expect(await codeOf(runtime.send(run.id, { type: 'REJECT' }, { interruptId }))).toBe('INTERRUPT_UNKNOWN');
    await (await runtime.resume(run.id)).result;
    const { result } = await runtime.get(run.id);
    expect(result).toMatchObject({ status: 'waiting', interrupt: { key: 'escalate#1', accepts: ['APPROVE'] } });
    const timers = (await runtime.history(run.id)).filter(({ kind }) => kind === 'timer');
    expect(timers).toHaveLength(1);
  });

  it('are cancelled when the state is left', async () => {
    const clock = fakeClock();
    const runtime = createRuntime({ clock });
    const run = runtime.start(scenario(nodes), null);
    const interruptId = interruptOf(await run.result);
    const answered = await runtime.send(run.id, { type: 'APPROVE', by: 'me' }, { interruptId });
    expect(await answered.result).toMatchObject({ status: 'done', output: 'a,l,r,approved by me,c' });
    await clock.advance(10_000);
    expect((await runtime.history(run.id)).some(({ kind }) => kind === 'timer')).toBe(false);
  });

  it('abort a slow node', async () => {
    let aborted = false;
    const slow: LogHandler = (state, io) => {
      io.signal.addEventListener('abort', () => {
        aborted = true;
      });
      return hangs(state, io);
    };
    const clock = fakeClock();
    const workflow = logWorkflow({
      states: { a: { ...node('a', 'done'), after: { 500: 'late' } }, late: final, done: final, failed: failure },
      nodes: { a: slow },
    });
    const runtime = createRuntime({ clock });
    const run = runtime.start(workflow, {});
    await clock.advance(500);
    expect(await run.result).toMatchObject({ status: 'done', finalState: 'late' });
    expect(aborted).toBe(true);
  });
});

describe('pause, resume and cancel', () => {
  it('restart the work in progress of a paused run, with an event', async () => {
    const runtime = createRuntime();
    let calls = 0;
    const flaky: LogHandler = (state, io) => (++calls === 1 ? hangs(state, io) : says('b')());
    const run = runtime.start(two(says('a'), flaky), {});
    for await (const event of run.events()) if (event.type === 'node-start' && event.key === 'b#1') break;
    await runtime.pause(run.id);
    expect(await run.result).toEqual({ status: 'paused' });
    expect(await runtime.get(run.id)).toMatchObject({ status: 'paused' });
    const again = await runtime.resume(run.id);
    expect(await again.result).toMatchObject({ status: 'done', output: 'a,b' });
    expect(calls).toBe(2);
    const starts = (await eventsOf(again)).filter(({ type }) => type === 'node-start');
    expect(starts).toMatchObject([
      { key: 'a#1', attempt: 1 },
      { key: 'b#1', attempt: 1 },
    ]);
  });

  it('return the result of an ended run without running anything', async () => {
    const store = memoryStore();
    const run = createRuntime({ store }).start(two(), {});
    const result = await run.result;
    const before = await store.journal(run.id);
    const again = await createRuntime({ store, workflows: [two()] }).resume(run.id);
    expect(await again.result).toEqual(result);
    expect(await store.journal(run.id)).toEqual(before);
  });

  it('join a run that is driven here', async () => {
    const runtime = createRuntime();
    const run = runtime.start(two(), {});
    expect((await runtime.resume(run.id)).id).toBe(run.id);
    expect(await run.result).toMatchObject({ output: 'a,b' });
  });

  it('reject a run of another runtime as busy, with its owner', async () => {
    const store = memoryStore();
    const first = createRuntime({ store });
    const run = first.start(two(hangs), {});
    for await (const event of run.events()) if (event.type === 'node-start') break;
    const second = createRuntime({ store, workflows: [two()] });
    await expect(second.resume(run.id)).rejects.toMatchObject({ code: 'RUN_BUSY', retryable: true, data: { runId: run.id } });
    await first.close();
    const taken = await second.resume(run.id);
    expect(await taken.result).toMatchObject({ status: 'done' });
  });

  it('end the first drive as fenced after a forced takeover, with nothing written', async () => {
    const store = memoryStore();
    let release = (): void => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const first = createRuntime({ store }).start(
      two(async () => {
        await gate;
        return { log: ['zombie'] };
      }),
      {},
    );
    for await (const event of first.events()) if (event.type === 'node-start') break;
    const taken = await createRuntime({ store, workflows: [two()] }).resume(first.id, { force: true });
    const result = await taken.result;
    release();
    expect(failureOf(await first.result)).toBe('RUN_FENCED');
    expect(result).toMatchObject({ status: 'done', output: 'a,b' });
    expect(JSON.stringify(await store.journal(first.id))).not.toContain('zombie');
  });

  it('cancel a run, wherever it is driven', async () => {
    const store = memoryStore();
    const runtime = createRuntime({ store });
    const workflow = two(hangs);
    const run = runtime.start(workflow, {});
    for await (const event of run.events()) if (event.type === 'node-start') break;
    await runtime.cancel(run.id);
    expect(await run.result).toEqual({ status: 'cancelled' });
    expect(await codeOf(runtime.cancel(run.id))).toBe('RUN_ENDED');
    expect(await (await runtime.resume(run.id)).result).toEqual({ status: 'cancelled' });

    const other = runtime.start(workflow, {});
    for await (const event of other.events()) if (event.type === 'node-start') break;
    await createRuntime({ store }).cancel(other.id);
    expect(await runtime.get(other.id)).toMatchObject({ status: 'cancelled', result: { status: 'cancelled' } });
  });

  it('cancel a waiting run', async () => {
    const runtime = createRuntime();
    const run = runtime.start(asking(), {});
    const interruptId = interruptOf(await run.result);
    await runtime.cancel(run.id);
    expect(await codeOf(runtime.send(run.id, { type: 'STOP' }, { interruptId }))).toBe('RUN_ENDED');
  });

  it('resume nothing on a closed runtime', async () => {
    const runtime = createRuntime();
    await runtime.close();
    expect(() => runtime.start(two(), {})).toThrow(expect.objectContaining({ code: 'RUNTIME_CLOSED' }));
    expect(await codeOf(runtime.resume('r_x'))).toBe('RUNTIME_CLOSED');
  });
});

describe('limits', () => {
  const loop = () =>
    logWorkflow({
      states: {
        a: node('a', [
          { target: 'done', guard: 'full' },
          { target: 'a', reenter: true },
        ]),
        done: final,
        failed: failure,
      },
      guards: { full: ({ log }) => log.length >= 5 },
      nodes: {
        a: async (_state, io) => {
          io.emit({ type: 'model-start', task: 't', model: 'm' });
          io.emit({ type: 'model-end', task: 't', model: 'm', durationMs: 1, cached: false, usage: { inputTokens: 60, outputTokens: 40 } });
          io.emit({ type: 'tool-start', callId: 'c', tool: 't', args: {} });
          return { log: ['a'] };
        },
      },
    });

  it.each([
    ['nodeVisits', 3],
    ['modelCalls', 3],
    ['toolCalls', 3],
    ['tokens', 250],
  ] as const)('end the run by name at %s, keep its results, and can be raised', async (limit, allowed) => {
    const runtime = createRuntime();
    const run = runtime.start(loop(), {}, { limits: { [limit]: allowed } });
    expect(await run.result).toMatchObject({ status: 'failed', error: { code: 'LIMIT_EXCEEDED', data: { limit, allowed } } });
    expect((await runtime.history(run.id)).filter(({ kind }) => kind === 'node')).toHaveLength(3);
    const again = await runtime.resume(run.id, { limits: { [limit]: 1000 } });
    expect(await again.result).toMatchObject({ status: 'done', output: 'a,a,a,a,a' });
  });

  it('count driving time only for wallTimeMs', async () => {
    const clock = fakeClock();
    const store = memoryStore();
    const runtime = createRuntime({ clock, store });
    const run = runtime.start(two(hangs), {}, { limits: { wallTimeMs: 1000 } });
    await clock.advance(999);
    expect(await runtime.get(run.id)).toMatchObject({ status: 'running' });
    await clock.advance(1);
    expect(await run.result).toMatchObject({ status: 'failed', error: { data: { limit: 'wallTimeMs' } } });
    expect(await runtime.get(run.id)).toMatchObject({ activeMs: 1000 });

    const ask = runtime.start(asking(), {}, { limits: { wallTimeMs: 1000 } });
    const interruptId = interruptOf(await ask.result);
    await clock.advance(86_400_000);
    const answered = await runtime.send(ask.id, { type: 'STOP' }, { interruptId });
    expect(await answered.result).toMatchObject({ status: 'done' });
  });

  it('must be positive numbers', () => {
    expect(() => createRuntime({ limits: { modelCalls: 0 } })).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
    expect(() => createRuntime().start(two(), {}, { limits: { tokens: Number.NaN } })).toThrow(
      expect.objectContaining({ code: 'OPTION_INVALID' }),
    );
    expect(() => createRuntime({ limits: { steps: 5 } as never })).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
  });
});

describe('rejected journals', () => {
  it('have another version, state or edge, by name', async () => {
    const store = memoryStore();
    const run = createRuntime({ store }).start(asking(), {});
    await run.result;
    const renamed = logWorkflow({
      id: 'asking',
      version: '2',
      states: { a: node('a', 'ask'), ask: waiting({ SAY: 'b2', STOP: 'done' }), b2: node('b', 'done'), done: final, failed: failure },
      nodes: { a: says('a'), b: says('b') },
    });
    const runtime: Runtime = createRuntime({ store, workflows: [renamed] });
    await expect(runtime.resume(run.id)).rejects.toMatchObject({
      code: 'JOURNAL_OF_OTHER_MACHINE',
      data: {
        differences: ['version was "1" and is "2"', 'state "ask" has changed', 'state "b" is gone', 'state "b2" is new'],
      },
    });
    expect(await runtime.get(run.id)).toMatchObject({ status: 'waiting' });
  });

  it('belong to a workflow that the runtime does not have', async () => {
    const store = memoryStore();
    const run = createRuntime({ store }).start(asking(), {});
    await run.result;
    expect(await codeOf(createRuntime({ store }).resume(run.id))).toBe('WORKFLOW_UNKNOWN');
    expect(await codeOf(createRuntime({ store }).resume('r_nobody'))).toBe('RUN_UNKNOWN');
  });

  it('follow an impure guard', async () => {
    let first = true;
    const workflow = logWorkflow({
      states: {
        a: node('a', [{ target: 'b', guard: 'first' }, 'c']),
        b: node('b', 'ask'),
        c: node('c', 'ask'),
        ask: waiting({ STOP: 'done' }),
        done: final,
        failed: failure,
      },
      guards: { first: () => first },
      nodes: { a: says('a'), b: says('b'), c: says('c') },
    });
    const runtime = createRuntime();
    const run = runtime.start(workflow, {});
    await run.result;
    first = false;
    const again = await runtime.resume(run.id);
    expect(await again.result).toMatchObject({
      status: 'failed',
      error: { code: 'JOURNAL_DIVERGED', data: { expected: 'b#1', found: 'c#1' } },
    });
  });

  it('belong to a run that crashes its process repeatedly', async () => {
    const store = memoryStore();
    const workflow = two(hangs);
    const run = createRuntime({ store }).start(workflow, {});
    const { id } = run;
    for await (const event of run.events()) if (event.type === 'node-start') break;
    await crashRun(store, id, 3);
    const runtime = createRuntime({ store, workflows: [two()], clock: fakeClock(Date.now() + 60_000) });
    await expect(runtime.resume(id)).rejects.toMatchObject({ code: 'RUN_POISONED', data: { crashes: 3 } });
    const forced = await runtime.resume(id, { force: true });
    expect(await forced.result).toMatchObject({ status: 'done' });
  });
});
