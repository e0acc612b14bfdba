import {
  append,
  createRuntime,
  defineState,
  defineWorkflow,
  type JournalEntry,
  type Json,
  type JsonObject,
  memoryStore,
  type Resolution,
  type RunResult,
  type RunStore,
  type Tool,
  type Workflow,
} from 'agent-machines';
import {
  type ExecuteOptions,
  executeCalls,
  executePlan,
  type PastStep,
  type PlanStep,
  parsePlan,
  parseToolCall,
} from 'agent-machines/tools';
import { describe, expect, it } from 'vitest';
import { setup } from 'xstate';
import { callEnd } from '../../../fixtures/call-end.ts';

interface WorkState {
  readonly results: readonly PastStep[];
  readonly failure: string;
}

const state = defineState<WorkState, null, WorkState, never>({
  reducers: { results: append },
  onError: (_state, { code }) => ({ failure: code }),
});

const machine = setup({
  types: state.types,
  actors: { work: state.slot('work') },
  actions: { merge: state.merge },
}).createMachine({
  id: 'work',
  version: '1',
  initial: 'work',
  context: { results: [], failure: '' },
  output: ({ context }) => context,
  states: {
    work: {
      invoke: {
        src: 'work',
        input: ({ context }) => context,
        onDone: { target: 'done', actions: 'merge' },
        onError: { target: 'stopped', actions: 'merge' },
      },
    },
    done: { type: 'final' },
    stopped: { type: 'final', tags: 'failure' },
  },
});

type Work = Workflow<null, WorkState, WorkState>;

/** A workflow of one node, which executes a plan. */
const planning = (tools: readonly Tool[], steps: readonly PlanStep[], options: Partial<ExecuteOptions> = {}): Work =>
  defineWorkflow({
    machine,
    nodes: {
      work: async (_state, io) => {
        const plan = parsePlan(JSON.stringify({ steps }), { tools });
        const { results } = await executePlan(plan, { tools, io, signal: io.signal, ...options });
        return { results };
      },
    },
  });

/** What the world has seen: each call with the key that the tool was given. */
interface World {
  readonly calls: string[];
  readonly keys: Map<string, Set<string>>;
}

function newWorld(): World {
  return { calls: [], keys: new Map() };
}

const harmless = { private: false, untrusted: false, external: false };

function worldTool(world: World, name: string, more: Partial<Tool> = {}): Tool {
  return {
    name,
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    effect: 'pure',
    capabilities: harmless,
    async execute({ text }: JsonObject, { idempotencyKey }): Promise<Json> {
      const call = `${name} ${String(text)}`;
      world.calls.push(call);
      world.keys.set(call, (world.keys.get(call) ?? new Set()).add(idempotencyKey));
      return `${call}!`;
    },
    ...more,
  };
}

/** A promise that the test settles. */
function deferred<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((fulfil) => {
    resolve = fulfil;
  });
  return { promise, resolve };
}

const count = (world: World, call: string): number => world.calls.filter((each) => each === call).length;

/** A store whose process dies when it should write one entry more than `entries` after the first. */
function cutAfter(store: RunStore, entries: number): RunStore {
  let left = entries;
  return {
    ...store,
    append(lease, entry, activeMs) {
      if (left-- <= 0) throw new Error('The power is off.');
      return store.append(lease, entry, activeMs);
    },
  };
}

interface Cut {
  readonly runId: string;
  readonly store: RunStore;
  /** What was committed before the cut. */
  readonly committed: readonly JournalEntry[];
}

async function runUntilCut(workflow: Work, entries: number): Promise<Cut> {
  const store = memoryStore();
  const run = createRuntime({ store: cutAfter(store, entries) }).start(workflow, null);
  expect(await run.result).toMatchObject({ status: 'failed', error: { message: 'The power is off.' } });
  return { runId: run.id, store, committed: await store.journal(run.id) };
}

const resume = async ({ runId, store }: Cut, workflow: Work): Promise<RunResult<unknown>> =>
  (await createRuntime({ store, workflows: [workflow] }).resume(runId, { force: true })).result;

const entryNames = (entries: readonly JournalEntry[]): readonly string[] => entries.map(({ kind, key }) => `${kind} ${key}`);

/** The results without what differs from run to run. */
const outline = (result: RunResult<unknown>): unknown =>
  result.status === 'done'
    ? (result.output as WorkState).results.map((past) => ({
        id: past.step.step_id,
        status: past.status,
        outcome: callEnd(past),
        attempts: past.attempts,
        deduplicated: past.deduplicated,
      }))
    : result;

describe('executePlan in a run', () => {
  const steps: readonly PlanStep[] = [
    { step_id: 1, tool: 'say', input: 'a' },
    { step_id: 2, tool: 'say', input: 'b' },
    { step_id: 3, tool: 'say', input_from: 'step_1' },
    { step_id: 4, tool: 'fail', input: 'c' },
    { step_id: 5, tool: 'say', input: 'a' },
    { step_id: 6, tool: 'say', input_from: 'step_3' },
  ];
  const callOf: ReadonlyMap<string, string> = new Map([
    ['step_1', 'say a'],
    ['step_2', 'say b'],
    ['step_3', 'say say a!'],
    ['step_4', 'fail c'],
    ['step_6', 'say say say a!!'],
  ]);
  const toolsOf = (world: World): readonly Tool[] => {
    const fail = worldTool(world, 'fail');
    return [
      worldTool(world, 'say'),
      {
        ...fail,
        async execute(args, context) {
          await fail.execute(args, context);
          throw new Error('no');
        },
      },
    ];
  };

  it('writes one journal entry for each call, including deduplicated ones', async () => {
    const store = memoryStore();
    const world = newWorld();
    const runtime = createRuntime({ store });
    const run = runtime.start(planning(toolsOf(world), steps), null);
    await run.result;
    const written = entryNames(await runtime.history(run.id));
    expect([...written].sort()).toEqual(
      ['start run', ...steps.map(({ step_id }) => `step work#1/step_${step_id}`), 'node work#1', 'settle run'].sort(),
    );
    for (const call of callOf.values()) expect(count(world, call)).toBe(1);
  });

  it.each(['auto', 'sequential'] as const)('repeats no committed call, wherever the run is cut (%s)', async (execution) => {
    const whole = planning(toolsOf(newWorld()), steps, { execution });
    const expected = outline(await createRuntime().start(whole, null).result);
    const appends = steps.length + 1; // the calls, and the node
    for (let entries = 0; entries < appends; entries++) {
      const world = newWorld();
      const workflow = planning(toolsOf(world), steps, { execution });
      const cut = await runUntilCut(workflow, entries);
      expect(outline(await resume(cut, workflow))).toEqual(expected);
      const committed = cut.committed.filter(({ kind }) => kind === 'step').map(({ key }) => key.replace('work#1/', ''));
      expect(committed).toHaveLength(entries);
      for (const [step, call] of callOf) {
        if (committed.includes(step)) expect([call, count(world, call)]).toEqual([call, 1]);
        else expect(count(world, call)).toBeLessThanOrEqual(2);
        expect([call, world.keys.get(call)?.size]).toEqual([call, 1]);
      }
      // in order, at most the one call that was at work when the power went off is made again
      if (execution === 'sequential') expect(world.calls.length).toBeLessThanOrEqual(callOf.size + 1);
    }
  });

  it('repeats only the calls that were in flight', async () => {
    const world = newWorld();
    let hanging = true;
    const say = worldTool(world, 'say');
    const slow: Tool = {
      ...worldTool(world, 'slow'),
      async execute(args, context) {
        await say.execute({ text: `slow ${String(args.text)}` }, context);
        return hanging ? new Promise(() => {}) : 'at last';
      },
    };
    const five: readonly PlanStep[] = ['say', 'slow', 'say', 'slow', 'say'].map((tool, i) => ({ step_id: i + 1, tool, input: `${i + 1}` }));
    const workflow = planning([say, slow], five);
    const store = memoryStore();
    const threeWritten = deferred<void>();
    let left = 3;
    const watched: RunStore = {
      ...store,
      append(lease, entry, activeMs) {
        const written = store.append(lease, entry, activeMs);
        if (--left === 0) threeWritten.resolve();
        return written;
      },
    };
    const dying = createRuntime({ store: watched });
    const run = dying.start(workflow, null);
    await threeWritten.promise;
    hanging = false;
    const result = await resume({ runId: run.id, store, committed: [] }, workflow);
    expect(outline(result)).toMatchObject([1, 2, 3, 4, 5].map((id) => ({ id, status: 'success', deduplicated: false })));
    expect([...world.calls].sort()).toEqual(['say 1', 'say 3', 'say 5', 'say slow 2', 'say slow 2', 'say slow 4', 'say slow 4'].sort());
    expect([...world.keys.values()].map(({ size }) => size)).toEqual([1, 1, 1, 1, 1]);
    await dying.close();
  });

  it('does not commit late results of a replaced process', async () => {
    const world = newWorld();
    const late = deferred<Json>();
    const started = deferred<void>();
    let first = true;
    const slow: Tool = {
      ...worldTool(world, 'slow'),
      execute() {
        const value = first ? late.promise : Promise.resolve('of the second');
        first = false;
        started.resolve();
        return value;
      },
    };
    const workflow = planning([slow], [{ step_id: 1, tool: 'slow', input: 'a' }]);
    const store = memoryStore();
    const run = createRuntime({ store }).start(workflow, null);
    await started.promise;
    const result = await resume({ runId: run.id, store, committed: [] }, workflow);
    late.resolve('of the first');
    expect(await run.result).toMatchObject({ status: 'failed', error: { code: 'RUN_FENCED' } });
    expect(outline(result)).toMatchObject([{ outcome: 'of the second' }]);
    const journal = await store.journal(run.id);
    expect(journal.filter(({ kind }) => kind === 'step')).toHaveLength(1);
  });

  it('counts a deduplicated call towards the limit of tool calls', async () => {
    const world = newWorld();
    const workflow = planning(
      [worldTool(world, 'say')],
      [1, 2, 3].map((step_id) => ({ step_id, tool: 'say', input: 'a' })),
    );
    const { result } = createRuntime().start(workflow, null, { limits: { toolCalls: 2 } });
    expect(await result).toMatchObject({ status: 'failed', error: { code: 'LIMIT_EXCEEDED', data: { limit: 'toolCalls' } } });
    expect(world.calls).toEqual(['say a']);
    const enough = createRuntime().start(workflow, null, { limits: { toolCalls: 3 } });
    expect(await enough.result).toMatchObject({ status: 'done', finalState: 'done' });
  });

  it('aborts its calls when suspended, and repeats them', async () => {
    const world = newWorld();
    const started = deferred<AbortSignal>();
    let hanging = true;
    const say = worldTool(world, 'say');
    const slow: Tool = {
      ...say,
      name: 'slow',
      execute(args, context) {
        started.resolve(context.signal);
        return hanging ? new Promise(() => {}) : say.execute(args, context);
      },
    };
    const inOrder: readonly PlanStep[] = [
      { step_id: 1, tool: 'say', input: 'a' },
      { step_id: 2, tool: 'slow', input: 'b' },
    ];
    const workflow = planning([say, slow], inOrder, { execution: 'sequential' });
    const runtime = createRuntime();
    const run = runtime.start(workflow, null);
    const signal = await started.promise;
    await runtime.pause(run.id);
    expect(await run.result).toEqual({ status: 'paused' });
    expect(signal.aborted).toBe(true);
    hanging = false;
    const resumed = await runtime.resume(run.id);
    expect(outline(await resumed.result)).toMatchObject([{ outcome: 'say a!' }, { outcome: 'say b!' }]);
    expect(world.calls).toEqual(['say a', 'say b']);
  });
});

describe('executePlan in a run: a once tool', () => {
  const steps: readonly PlanStep[] = [
    { step_id: 1, tool: 'say', input: 'a' },
    { step_id: 2, tool: 'send', input: 'b' },
    { step_id: 3, tool: 'say', input: 'c' },
  ];
  const toolsOf = (world: World): readonly Tool[] => [worldTool(world, 'say'), worldTool(world, 'send', { effect: 'once' })];
  const inOrder = { execution: 'sequential' } as const;
  const inDoubt = {
    status: 'in_doubt',
    calls: [
      { callId: 'work#1/step_2', describe: { tool: 'send', args: { text: 'b' } }, startedAt: expect.any(Number), ownerMayLive: true },
    ],
  };

  it('writes its intent before, and its outcome after', async () => {
    const store = memoryStore();
    const runtime = createRuntime({ store });
    const run = runtime.start(planning(toolsOf(newWorld()), steps, inOrder), null);
    await run.result;
    expect(entryNames(await runtime.history(run.id))).toEqual([
      'start run',
      'step work#1/step_1',
      'intent work#1/step_2',
      'step work#1/step_2',
      'step work#1/step_3',
      'node work#1',
      'settle run',
    ]);
  });

  it('is never repeated automatically, wherever the run is cut', async () => {
    const appends = 5;
    const ends: string[] = [];
    for (let entries = 0; entries < appends; entries++) {
      const world = newWorld();
      const workflow = planning(toolsOf(world), steps, inOrder);
      const cut = await runUntilCut(workflow, entries);
      const result = await resume(cut, workflow);
      ends.push(result.status);
      expect(count(world, 'send b')).toBe(1);
      if (cut.committed.at(-1)?.kind === 'intent') expect(result).toEqual(inDoubt);
      else expect(outline(result)).toMatchObject([{ outcome: 'say a!' }, { outcome: 'send b!' }, { outcome: 'say c!' }]);
    }
    expect(ends).toEqual(['done', 'done', 'in_doubt', 'done', 'done']);
  });

  it('stays in doubt however often the run is resumed', async () => {
    const world = newWorld();
    const workflow = planning(toolsOf(world), steps, inOrder);
    const cut = await runUntilCut(workflow, 2);
    for (let i = 0; i < 3; i++) expect(await resume(cut, workflow)).toEqual(inDoubt);
    expect(world.calls).toEqual(['say a', 'send b']);
  });

  it('is in doubt after its time-out, and no later step runs', async () => {
    const world = newWorld();
    const [say] = toolsOf(world);
    if (!say) throw new Error('There is no tool.');
    const send = worldTool(world, 'send', { effect: 'once', timeoutMs: 1, execute: () => new Promise(() => {}) });
    const { result } = createRuntime().start(planning([say, send], steps, inOrder), null);
    expect(await result).toEqual(inDoubt);
    expect(world.calls).toEqual(['say a']);
  });

  /** Cuts a run while the once call is in flight, and has a human say what has become of it. */
  async function resolved(resolution: Resolution): Promise<{ readonly world: World; readonly result: RunResult<unknown> }> {
    const world = newWorld();
    const workflow = planning(toolsOf(world), steps, inOrder);
    const { runId, store } = await runUntilCut(workflow, 2);
    const runtime = createRuntime({ store, workflows: [workflow] });
    const waiting = await runtime.resume(runId, { force: true });
    expect(await waiting.result).toEqual(inDoubt);
    const run = await runtime.resolve(runId, 'work#1/step_2', resolution);
    const result = await run.result;
    await expect(runtime.resolve(runId, 'work#1/step_2', resolution)).rejects.toMatchObject({ code: 'CALL_UNKNOWN' });
    return { world, result };
  }

  it.each<Json>([{ id: 7 }, 'sent', 0, null, [{ output: 1 }], { output: 'x', error: null }, { error: 'none' }])(
    'has the output that a human says it has: %j',
    async (output) => {
      const { world, result } = await resolved({ as: 'done', output });
      expect(outline(result)).toEqual([
        { id: 1, status: 'success', outcome: 'say a!', attempts: 1, deduplicated: false },
        { id: 2, status: 'success', outcome: output, attempts: 1, deduplicated: false },
        { id: 3, status: 'success', outcome: 'say c!', attempts: 1, deduplicated: false },
      ]);
      expect(world.calls).toEqual(['say a', 'send b', 'say c']);
    },
  );

  it('is repeated under the same key if a human decides so', async () => {
    const { world, result } = await resolved({ as: 'retry' });
    expect(outline(result)).toMatchObject([
      { outcome: 'say a!' },
      { status: 'success', outcome: 'send b!', attempts: 1 },
      { outcome: 'say c!' },
    ]);
    expect(world.calls).toEqual(['say a', 'send b', 'send b', 'say c']);
    expect(world.keys.get('send b')?.size).toBe(1);
  });

  it('fails if a human aborts it, and the other steps continue', async () => {
    const { world, result } = await resolved({ as: 'abort' });
    expect(outline(result)).toMatchObject([{ outcome: 'say a!' }, { status: 'failure', outcome: 'CALL_ABORTED' }, { outcome: 'say c!' }]);
    expect(world.calls).toEqual(['say a', 'send b', 'say c']);
  });

  it('is in doubt again if its retry is cut off, too', async () => {
    const world = newWorld();
    const workflow = planning(toolsOf(world), steps, inOrder);
    const { runId, store } = await runUntilCut(workflow, 2);
    await (await createRuntime({ store, workflows: [workflow] }).resume(runId, { force: true })).result;
    const dying = createRuntime({ store: cutAfter(store, 1), workflows: [workflow] });
    const cut = await dying.resolve(runId, 'work#1/step_2', { as: 'retry' });
    expect(await cut.result).toMatchObject({ status: 'failed', error: { message: 'The power is off.' } });
    expect(count(world, 'send b')).toBe(1); // the intent of the new call could not be written, so it was not made
    const again = createRuntime({ store: cutAfter(store, 1), workflows: [workflow] });
    const second = await again.resume(runId, { force: true });
    expect(await second.result).toMatchObject({ status: 'failed', error: { message: 'The power is off.' } });
    expect(count(world, 'send b')).toBe(2);
    expect(await (await createRuntime({ store, workflows: [workflow] }).resume(runId, { force: true })).result).toEqual(inDoubt);
    expect(count(world, 'send b')).toBe(2);
  });
});

describe('executeCalls in a run', () => {
  /** A workflow of one node, which makes a model's calls. */
  const calling = (tools: readonly Tool[], calls: readonly string[]): Work =>
    defineWorkflow({
      machine,
      nodes: {
        work: async (_state, io) => {
          const parsed = calls.map((call, i) => {
            const [name = '', text = ''] = call.split(' ');
            return parseToolCall({ id: `id_${i}`, name, arguments: JSON.stringify({ text }) }, { tools });
          });
          const { results } = await executeCalls(parsed, { tools, io, signal: io.signal });
          return {
            results: results.map(({ call, ...record }, i) => ({ ...record, step: { step_id: i + 1, tool: call.name, input: call.args } })),
          };
        },
      },
    });
  const calls = ['say a', 'say b', 'say a', 'say c'];
  const toolsOf = (world: World): readonly Tool[] => [worldTool(world, 'say'), worldTool(world, 'send', { effect: 'once' })];

  it('repeats no committed call, wherever the run is cut', async () => {
    const expected = outline(await createRuntime().start(calling(toolsOf(newWorld()), calls), null).result);
    for (let entries = 0; entries < 4; entries++) {
      const world = newWorld();
      const workflow = calling(toolsOf(world), calls);
      const cut = await runUntilCut(workflow, entries);
      expect(outline(await resume(cut, workflow))).toEqual(expected);
      const committed = cut.committed.filter(({ kind }) => kind === 'step').map(({ key }) => Number(key.replace('work#1/call_', '')));
      expect(committed).toHaveLength(entries);
      for (const index of committed) expect([calls[index], count(world, calls[index] ?? '')]).toEqual([calls[index], 1]);
    }
  });

  it('asks a human about a once call that was in flight', async () => {
    const world = newWorld();
    const workflow = calling(toolsOf(world), ['say a', 'send b']);
    const cut = await runUntilCut(workflow, 2);
    expect(await resume(cut, workflow)).toMatchObject({
      status: 'in_doubt',
      calls: [{ callId: 'work#1/call_1', describe: { tool: 'send', args: { text: 'b' } } }],
    });
    expect(world.calls).toEqual(['say a', 'send b']);
  });
});

describe('executePlan in a resumed run: recorded decisions', () => {
  const twice: readonly PlanStep[] = [
    { step_id: 1, tool: 'say', input: 'a' },
    { step_id: 2, tool: 'say', input: 'a' },
    { step_id: 3, tool: 'say', input: 'b' },
  ];

  it('reports and counts a deduplicated call once', async () => {
    const workflow = planning([worldTool(newWorld(), 'say')], twice, { execution: 'sequential' });
    const { runId, store } = await runUntilCut(workflow, 2);
    const runtime = createRuntime({ store, workflows: [workflow], limits: { toolCalls: 3 } });
    expect(await (await runtime.resume(runId, { force: true })).result).toMatchObject({ finalState: 'done' });
    const events = (await runtime.history(runId)).flatMap((entry) => entry.events);
    expect(events.flatMap((event) => (event.type === 'tool-start' ? [event.callId] : []))).toEqual(['step_1', 'step_2', 'step_3']);
  });

  it('accepts a committed call even if a slow private call now ends first', async () => {
    const world = newWorld();
    let release = (): void => {};
    const slow: Tool = {
      ...worldTool(world, 'secret', { capabilities: { ...harmless, private: true } }),
      execute: () =>
        new Promise((resolve) => {
          release = () => resolve('s');
        }),
    };
    const post = worldTool(world, 'post', { capabilities: { ...harmless, external: true } });
    const posting: Tool = {
      ...post,
      execute(args, context) {
        setImmediate(() => release());
        return post.execute(args, context);
      },
    };
    const workflow = planning(
      [worldTool(world, 'say'), slow, posting],
      [
        { step_id: 1, tool: 'secret', input: 'a' },
        { step_id: 2, tool: 'say', input: 'b' },
        { step_id: 3, tool: 'post', input_from: 'step_2' },
      ],
    );
    const cut = await runUntilCut(workflow, 3);
    expect(outline(await resume(cut, workflow))).toMatchObject([{}, {}, { id: 3, status: 'success', outcome: 'post say b!!' }]);
    expect(world.calls).toEqual(['say b', 'post say b!']);
  });
});

describe('executePlan in a resumed run: recorded order', () => {
  const failing = (world: World): Tool => worldTool(world, 'fail', { execute: () => Promise.reject(new Error('no')) });
  const wave = { until: 'wave' } as const;

  it('does not start a step that a failure had stopped, even if its arguments are available earlier in plan order', async () => {
    const world = newWorld();
    const failed = deferred<void>();
    const slow = worldTool(world, 'slow', { execute: () => failed.promise.then(() => 's') });
    const say = worldTool(world, 'say');
    const steps: readonly PlanStep[] = [
      { step_id: 1, tool: 'slow', input: 'a' },
      { step_id: 2, tool: 'fail', input: 'b' },
      { step_id: 3, tool: 'say', input_from: 'step_1' },
    ];
    const workflow = planning([slow, say, failing(world)], steps, wave);
    const store = memoryStore();
    const watched: RunStore = {
      ...cutAfter(store, 2),
      append(lease, entry, activeMs) {
        if (entry.kind === 'node') throw new Error('The power is off.');
        const written = store.append(lease, entry, activeMs);
        failed.resolve();
        return written;
      },
    };
    const run = createRuntime({ store: watched }).start(workflow, null);
    expect(await run.result).toMatchObject({ status: 'failed', error: { message: 'The power is off.' } });
    expect(entryNames(await store.journal(run.id))).toEqual(['start run', 'step work#1/step_2', 'step work#1/step_1']);
    const result = await resume({ runId: run.id, store, committed: [] }, workflow);
    expect(outline(result)).toMatchObject([
      { id: 1, status: 'success' },
      { id: 2, status: 'failure' },
    ]);
    expect(world.calls).toEqual([]);
  });

  it('asks about a once call that ran when another step failed', async () => {
    const world = newWorld();
    const send = worldTool(world, 'send', { effect: 'once', execute: () => new Promise(() => {}) });
    const steps: readonly PlanStep[] = [
      { step_id: 1, tool: 'fail', input: 'a' },
      { step_id: 2, tool: 'send', input: 'b' },
    ];
    const workflow = planning([send, failing(world)], steps, wave);
    const store = memoryStore();
    const failed = deferred<void>();
    const watched: RunStore = {
      ...store,
      append(lease, entry, activeMs) {
        const written = store.append(lease, entry, activeMs);
        if (entry.kind === 'step') failed.resolve();
        return written;
      },
    };
    const dying = createRuntime({ store: watched });
    const run = dying.start(workflow, null);
    await failed.promise;
    const result = await resume({ runId: run.id, store, committed: [] }, workflow);
    expect(result).toMatchObject({ status: 'in_doubt', calls: [{ callId: 'work#1/step_2' }] });
    await dying.close();
  });

  it('refuses a journal of a version with other deduplicated calls', async () => {
    const twice: readonly PlanStep[] = [1, 2].map((step_id) => ({ step_id, tool: 'say', input: 'a' }));
    const workflow = (effect: 'pure' | 'once'): Work =>
      planning(
        [worldTool(newWorld(), 'say'), worldTool(newWorld(), 'send', { effect })],
        [...twice.slice(0, 1), { step_id: 3, tool: 'send', input: 'b' }, ...twice.slice(1)],
        { execution: 'sequential' },
      );
    const cut = await runUntilCut(workflow('pure'), 3);
    expect(await resume(cut, workflow('once'))).toMatchObject({ finalState: 'stopped', output: { failure: 'JOURNAL_DIVERGED' } });
  });
});
