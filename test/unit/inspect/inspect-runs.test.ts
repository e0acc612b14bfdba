import { append, createRuntime, defineState, defineWorkflow, memoryStore, subWorkflow } from 'agent-machines';
import { inspectRuns, replayInspection } from 'agent-machines/inspect';
import { fakeClock } from 'agent-machines/testing';
import { describe, expect, it } from 'vitest';
import { type AnyActorRef, createActor, type InspectionEvent, setup, waitFor } from 'xstate';
import { inspectionLog } from '../../fixtures/inspection-log.ts';
import { failure, final, type LogState, logWorkflow, node } from '../../fixtures/log-workflow.ts';

interface State {
  readonly log: string[];
}

const kit = defineState<State, null, string[], { type: 'GO' } | { type: 'STOP' }>({
  reducers: { log: append },
  onError: (_state, { message }) => ({ log: [message] }),
});

/** ask, then a wait with a timer, then answer. */
const machine = setup({
  types: kit.types,
  actors: { ask: kit.slot('ask'), answer: kit.slot('answer') },
  actions: { merge: kit.merge },
}).createMachine({
  id: 'asks',
  version: '1',
  initial: 'ask',
  context: { log: [] },
  output: ({ context }) => context.log,
  states: {
    ask: {
      invoke: {
        src: 'ask',
        input: ({ context }) => context,
        onDone: { target: 'wait', actions: 'merge' },
        onError: { target: 'answer', actions: 'merge' },
      },
    },
    wait: { tags: 'waiting', on: { GO: 'answer' }, after: { 60000: 'answer' } },
    answer: {
      invoke: {
        src: 'answer',
        input: ({ context }) => context,
        onDone: { target: 'done', actions: 'merge' },
        onError: { target: 'done', actions: 'merge' },
      },
    },
    done: { type: 'final', tags: 'success' },
  },
});
const workflow = defineWorkflow({ machine, nodes: { ask: async () => ({ log: ['asked'] }), answer: async () => ({ log: ['answered'] }) } });

const newRuntime = (inspect: (event: InspectionEvent) => void, options: Omit<Parameters<typeof inspectRuns>[0], 'inspect'> = {}) => {
  const store = memoryStore();
  const clock = fakeClock();
  const runtime = createRuntime({ store, clock, workflows: [workflow], inspect: inspectRuns({ inspect, ...options }) });
  return { store, clock, runtime };
};

async function answered({ runtime }: Pick<ReturnType<typeof newRuntime>, 'runtime'>, id: string): Promise<void> {
  const { result } = await runtime.get(id);
  if (result?.status !== 'waiting' || !result.interrupt) throw new Error('it does not wait');
  await (await runtime.send(id, { type: 'GO' }, { interruptId: result.interrupt.id })).result;
}

/** What a live actor of the workflow tells, answered by GO. */
async function toldLive(): Promise<readonly unknown[]> {
  const log = inspectionLog();
  const actor = createActor(workflow.machine, { input: null as never, inspect: log.inspect }).start();
  await waitFor(actor, (at) => at.hasTag('waiting'));
  actor.send({ type: 'GO' });
  await waitFor(actor, ({ status }) => status === 'done');
  return log.lines;
}

describe('inspectRuns', () => {
  it('reports a run that waits and resumes as one live actor', async () => {
    const log = inspectionLog();
    const made = newRuntime(log.inspect);
    const run = made.runtime.start(workflow, null);
    expect(await run.result).toMatchObject({ status: 'waiting' });
    await answered(made, run.id);
    expect(log.lines).toEqual(await toldLive());
  });

  it('reports a run from its beginning when another runtime resumes it', async () => {
    const first = newRuntime(() => {});
    const run = first.runtime.start(workflow, null);
    await run.result;
    const log = inspectionLog();
    const second = createRuntime({
      store: first.store,
      clock: first.clock,
      workflows: [workflow],
      inspect: inspectRuns({ inspect: log.inspect }),
    });
    await answered({ runtime: second }, run.id);
    expect(log.lines).toEqual(await toldLive());
  });

  it('calls an actor by the id of its run', async () => {
    const ids = new Set<string>();
    const { runtime } = newRuntime(({ actorRef }) => void ids.add((actorRef as AnyActorRef).id));
    const run = runtime.start(workflow, null);
    await run.result;
    expect([...ids]).toEqual([run.id, '0.asks.ask']);
  });

  it('reports a cancelled run as a stopped actor', async () => {
    const log = inspectionLog();
    const { runtime } = newRuntime(log.inspect);
    const run = runtime.start(workflow, null);
    await run.result;
    await runtime.resume(run.id);
    await runtime.cancel(run.id);
    await runtime.close();
    const live = inspectionLog();
    const actor = createActor(workflow.machine, { input: null as never, inspect: live.inspect }).start();
    await waitFor(actor, (at) => at.hasTag('waiting'));
    actor.stop();
    expect(log.lines).toEqual(live.lines);
  });

  it('shows a workflow in a node as an actor of its own, with its own root', async () => {
    const outerKit = defineState<State, null, unknown, never>({ reducers: { log: append } });
    const outer = defineWorkflow({
      machine: setup({
        types: outerKit.types,
        actors: { inner: outerKit.slot('inner') },
        actions: { merge: outerKit.merge },
      }).createMachine({
        id: 'outer',
        version: '1',
        initial: 'inner',
        context: { log: [] },
        states: {
          inner: {
            invoke: {
              src: 'inner',
              input: ({ context }) => context,
              onDone: { target: 'done', actions: 'merge' },
              onError: { target: 'done', actions: 'merge' },
            },
          },
          done: { type: 'final', tags: 'success' },
        },
      }),
      nodes: { inner: subWorkflow(workflow, { toInput: () => null, toPatch: () => ({ log: ['inside'] }) }) },
    });
    const [whole, inside, replayed] = [inspectionLog(), inspectionLog(), inspectionLog()];
    const roots = new Map<string, string>();
    const store = memoryStore();
    const runtime = createRuntime({
      store,
      workflows: [outer],
      inspect: inspectRuns({
        inspect(event) {
          const root = rootOf(event.actorRef as AnyActorRef);
          roots.set(root.id, event.rootId);
          (root.id.includes('/') ? inside : whole).inspect(event);
        },
      }),
    });
    const run = runtime.start(outer, null);
    await run.result;
    await answered({ runtime }, run.id);
    expect([...roots.keys()]).toEqual([run.id, `${run.id}/inner#1`]);
    expect(new Set(roots.values()).size).toBe(2);
    expect(inside.lines).toEqual(await toldLive());
    await replayInspection({ store, runId: run.id, workflow: outer, inspect: replayed.inspect });
    expect(replayed.lines).toHaveLength(whole.lines.length + inside.lines.length);
    expect(replayed.lines.slice(0, 3)).toEqual(whole.lines.slice(0, 3));
    expect(replayed.lines.at(-1)).toEqual(whole.lines.at(-1));
  });

  it('stops a workflow in a node when the node is left', async () => {
    const outer = logWorkflow({
      id: 'outer',
      states: {
        inner: { ...node('inner', 'done'), after: { 1000: 'late' } },
        done: final,
        late: final,
        failed: failure,
      },
      nodes: { inner: subWorkflow(workflow, { toInput: () => null, toPatch: (): Partial<LogState> => ({ log: ['inside'] }) }) },
    });
    const log = inspectionLog();
    const store = memoryStore();
    const clock = fakeClock();
    const inspect = inspectRuns({ inspect: (event) => rootOf(event.actorRef as AnyActorRef).id.includes('/') && log.inspect(event) });
    const runtime = createRuntime({ store, clock, workflows: [outer], inspect });
    const run = runtime.start(outer, {});
    await run.result;
    await clock.advance(1_000);
    expect(await (await runtime.resume(run.id)).result).toMatchObject({ status: 'done', finalState: 'late' });
    const live = inspectionLog();
    const actor = createActor(workflow.machine, { input: null as never, inspect: live.inspect }).start();
    await waitFor(actor, (at) => at.hasTag('waiting'));
    actor.stop();
    expect(log.lines).toEqual(live.lines);
  });

  it('fails no run when the observer throws, and detaches the observer', async () => {
    const caught: unknown[] = [];
    let told = 0;
    const next = (): void => {
      told++;
      throw new Error('broken');
    };
    const inspect = inspectRuns({ inspect: { next, error: (cause) => void caught.push(cause) } });
    const run = createRuntime({ inspect }).start(workflow, null);
    expect(await run.result).toMatchObject({ status: 'waiting' });
    expect([told, caught]).toEqual([1, [new Error('broken')]]);
  });

  it('shows actors without influence on the run', async () => {
    let actor: AnyActorRef | undefined;
    const made = newRuntime(({ actorRef }) => {
      actor ??= actorRef as AnyActorRef;
    });
    const run = made.runtime.start(workflow, null);
    await run.result;
    actor?.send({ type: 'GO' });
    expect(actor?.getSnapshot()).toMatchObject({ value: 'wait' });
    await answered(made, run.id);
    expect(actor?.getSnapshot()).toMatchObject({ value: 'done', status: 'done' });
  });
});

describe('data for an observer', () => {
  const shown = async (
    context: State,
    options: Omit<Parameters<typeof inspectRuns>[0], 'inspect'>,
  ): Promise<readonly InspectionEvent[]> => {
    const told: InspectionEvent[] = [];
    const made = newRuntime((event) => void told.push(event), options);
    const saying = defineWorkflow({ id: 'says', machine, nodes: { ask: async () => context, answer: async () => ({}) } });
    const run = made.runtime.start(saying, null);
    await run.result;
    return told;
  };
  const snapshotsOf = (told: readonly InspectionEvent[]) =>
    told
      .map(({ actorRef }) => (actorRef as AnyActorRef).getSnapshot())
      .concat(told.flatMap((event) => ('snapshot' in event ? event.snapshot : [])));

  it('has no secret in any event, snapshot, node or actor', async () => {
    const told = await shown({ log: ['the key is sk-very-secret, I say'] }, { secrets: ['sk-very-secret'] });
    const text = JSON.stringify([told, snapshotsOf(told)]);
    expect(text).not.toContain('sk-very-secret');
    expect(text).toContain('the key is [key], I say');
    expect(snapshotsOf(told).some(({ context }) => context?.log?.[0] === 'the key is [key], I say')).toBe(true);
  });

  it('has the result of redact', async () => {
    const told = await shown(
      { log: ['private'] },
      {
        redact: (value, part) => (part === 'context' ? { log: [] } : JSON.parse(JSON.stringify(value ?? null).replaceAll('private', '-'))),
      },
    );
    expect(JSON.stringify([told, snapshotsOf(told)])).not.toContain('private');
  });

  it("is redacted by its role, also when one object has two roles, such as a context that is a node's input", async () => {
    const told = await shown({ log: ['private'] }, { redact: (value, part) => (part === 'context' ? { log: ['-'] } : value) });
    const contexts = snapshotsOf(told).flatMap((snapshot) => (snapshot && 'context' in snapshot ? [snapshot.context] : []));
    expect(contexts.length).toBeGreaterThan(3);
    expect(new Set(contexts.map((context) => JSON.stringify(context)))).toEqual(new Set(['{"log":["-"]}']));
  });

  it('has a bounded size, and names the omitted parts', async () => {
    const told = await shown({ log: Array.from({ length: 5_000 }, (_, index) => `${index} ${'x'.repeat(500)}`) }, { maxBytes: 10_000 });
    for (const event of told) expect(JSON.stringify(event).length).toBeLessThan(60_000);
    expect(JSON.stringify(snapshotsOf(told))).toContain('more');
  });

  it('is the state itself without anything to omit', async () => {
    const told = await shown({ log: ['hello'] }, {});
    const machines = told.flatMap((event) => (event.type === '@xstate.snapshot' && 'context' in event.snapshot ? event.snapshot : []));
    expect(machines.at(-1)).toMatchObject({ value: 'wait', context: { log: ['hello'] } });
  });
});

describe('replayInspection', () => {
  const ran = async () => {
    const made = newRuntime(() => {});
    const run = made.runtime.start(workflow, null);
    await run.result;
    await made.clock.advance(10_000);
    await answered(made, run.id);
    return { ...made, runId: run.id };
  };

  it('reports the events of a live actor', async () => {
    const { store, runId } = await ran();
    const log = inspectionLog();
    await replayInspection({ store, runId, workflow, inspect: log.inspect });
    expect(log.lines).toEqual(await toldLive());
  });

  it('gives a run of a conversation its original knowledge after later runs', async () => {
    const store = memoryStore();
    const talks = logWorkflow({
      states: { say: node('say', 'done'), done: final, failed: failure },
      nodes: { say: async ({ log }) => ({ log: [`after ${log.length}`] }) },
      thread: { initial: [], next: (_thread, { state }) => [...state.log] },
    });
    const [seen, again] = [inspectionLog(), inspectionLog()];
    const runtime = createRuntime({ store, workflows: [talks], inspect: inspectRuns({ inspect: seen.inspect }) });
    const ids: string[] = [];
    const lengths: number[] = [];
    for (let turn = 0; turn < 3; turn++) {
      const run = runtime.start(talks, {}, { threadId: 't' });
      await run.result;
      ids.push(run.id);
      lengths.push(seen.lines.length);
    }
    const [, second = ''] = ids;
    await replayInspection({ store, runId: second, workflow: talks, inspect: again.inspect });
    expect(again.lines).toEqual(seen.lines.slice(lengths[0], lengths[1]));
  });

  it('plays at the given speed: ten times as fast takes a tenth of the time', async () => {
    const { store, runId } = await ran();
    const clock = fakeClock();
    const log = inspectionLog();
    let over = false;
    const replay = replayInspection({ store, runId, workflow, clock, speed: 10, inspect: log.inspect }).then(() => {
      over = true;
    });
    await clock.advance(999);
    expect(over).toBe(false);
    const before = log.lines.length;
    await clock.advance(1);
    await replay;
    expect(log.lines.length).toBeGreaterThan(before);
    expect(log.lines).toEqual(await toldLive());
  });

  it('ends where the journal of a waiting run ends, and at once on request', async () => {
    const made = newRuntime(() => {});
    const run = made.runtime.start(workflow, null);
    await run.result;
    const log = inspectionLog();
    await replayInspection({ store: made.store, runId: run.id, workflow, inspect: log.inspect });
    expect(log.lines.at(-2)).toMatchObject({
      type: '@xstate.snapshot',
      snapshot: expect.objectContaining({ nodes: ['asks', 'asks.wait'] }),
    });
    const stopped = replayInspection({
      store: made.store,
      runId: run.id,
      workflow,
      inspect: () => {},
      signal: AbortSignal.abort(new Error('enough')),
    });
    await expect(stopped).rejects.toThrow('enough');
  });

  it('rejects another machine, an unknown run, and a speed of zero', async () => {
    const { store, runId } = await ran();
    const options = { store, runId, workflow, inspect: () => {} };
    const other = { ...workflow, structureHash: 'x' };
    await expect(replayInspection({ ...options, workflow: other })).rejects.toMatchObject({ code: 'JOURNAL_OF_OTHER_MACHINE' });
    await expect(replayInspection({ ...options, runId: 'r_none' })).rejects.toMatchObject({ code: 'RUN_UNKNOWN' });
    await expect(replayInspection({ ...options, speed: 0 })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
  });
});

const rootOf = (actor: AnyActorRef): AnyActorRef => (actor._parent ? rootOf(actor._parent) : actor);
