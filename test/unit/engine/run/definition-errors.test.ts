import { append, createRuntime, defineState, defineWorkflow, memoryStore, subWorkflow, type Workflow } from 'agent-machines';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { describe, expect, it } from 'vitest';
import { createActor, setup, toPromise } from 'xstate';
import { waitingFor } from '../../../fixtures/waiting-for.ts';

interface Item {
  tags: string[];
}
interface State {
  items: Item[];
  count: number;
  note: { text: string };
}
type Event = { type: 'GO' } | { type: 'ADD'; item: Item };
type Input = { items?: Item[] };
type Handler = (state: State) => Promise<Partial<State>>;

/** What may be replaced by something that writes or throws. */
interface Parts {
  readonly node?: Handler;
  readonly second?: Handler;
  readonly guard?: (state: State) => boolean;
  readonly reducer?: (current: Item[], next: Item[]) => Item[];
  readonly onError?: (state: State, error: unknown) => Partial<State>;
  readonly patch?: (state: State, event: Event) => Partial<State>;
  readonly parse?: (event: unknown) => Event;
  readonly question?: (state: State) => never;
  readonly output?: (state: State) => unknown;
  readonly context?: (input: Input) => State;
  readonly invokeInput?: (state: State) => unknown;
  readonly toMachineInput?: (input: Input, start: { readonly thread: { turns: string[] } }) => Input;
  readonly next?: (thread: { turns: string[] }, end: { readonly state: State }) => { turns: string[] };
}

const first = (): State => ({ items: [{ tags: ['first'] }], count: 0, note: { text: 'n' } });

/** a → ask (GO, ADD) → b → done; a fails → failed. */
function workflowOf(parts: Parts, engine?: 'xstate', asks = true): Workflow<Input, State, unknown> {
  const kit = defineState<State, Input, unknown, Event>({
    reducers: { items: (parts.reducer ?? append) as never },
    onError: (parts.onError ?? (() => ({}))) as never,
    events: { ADD: { parse: (parts.parse ?? ((event: unknown) => event)) as never, patch: (parts.patch ?? (() => ({}))) as never } },
  });
  const input = ({ context }: { context: State }) => (parts.invokeInput ? parts.invokeInput(context) : context) as State;
  const machine = setup({
    types: kit.types,
    actors: { a: kit.slot('a'), b: kit.slot('b') },
    guards: kit.guards({ g: (parts.guard ?? (() => true)) as never }),
    actions: { merge: kit.merge },
  } as never).createMachine({
    id: 'm',
    version: '1',
    initial: 'a',
    context: ({ input: given }: { input: Input }) => (parts.context ?? first)(given),
    output: ({ context }: { context: State }) => (parts.output ? parts.output(context) : context.count),
    states: {
      a: {
        invoke: {
          src: 'a',
          input,
          onDone: [
            { guard: 'g', target: asks ? 'ask' : 'b', actions: 'merge' },
            { target: 'done', actions: 'merge' },
          ],
          onError: { target: 'failed', actions: 'merge' },
        },
      },
      ...(asks ? { ask: { tags: 'waiting', on: { GO: { target: 'b', actions: 'merge' }, ADD: { target: 'b', actions: 'merge' } } } } : {}),
      b: { invoke: { src: 'b', input, onDone: { target: 'done', actions: 'merge' }, onError: { target: 'failed', actions: 'merge' } } },
      done: { type: 'final', tags: 'success' },
      failed: { type: 'final', tags: 'failure' },
    },
  } as never);
  return defineWorkflow({
    machine: machine as never,
    nodes: {
      a: (parts.node ?? (async () => ({ items: [{ tags: ['a'] }] }))) as never,
      b: (parts.second ?? (async () => ({ count: 1 }))) as never,
    },
    ...(asks ? { questions: { ask: (parts.question ?? ((state: State) => state.items)) as never } } : {}),
    thread: { initial: { turns: ['start'] }, next: (parts.next ?? ((thread: unknown) => thread)) as never } as never,
    toMachineInput: (parts.toMachineInput ?? ((given: Input) => given)) as never,
    ...(engine ? { engine } : {}),
  }) as never;
}

const engines = [undefined, 'xstate'] as const;
const add: Event = { type: 'ADD', item: { tags: ['human'] } };

/** The code and the text of what becomes of a run, wherever it shows. */
async function errorOf(parts: Parts, engine?: 'xstate', store = memoryStore()): Promise<string> {
  const runtime = createRuntime({ store });
  try {
    const run = runtime.start(workflowOf(parts, engine), {}, { threadId: 't' });
    let result = await run.result;
    if (result.status === 'waiting') {
      const another = createRuntime({ store, workflows: [workflowOf(parts, engine)] }); // what it is given now comes from the store
      result = (await (await another.send(run.id, add as never, { interruptId: waitingFor(result).id })).result) as typeof result;
    }
    const error = result.status === 'failed' ? result.error : undefined;
    return error ? `${error.code}: ${error.message}` : 'nothing';
  } catch (thrown) {
    return `${(thrown as { code?: string }).code}: ${(thrown as Error).message}`;
  }
}

function drop(state: Partial<State>): boolean {
  return delete state.note;
}

const writes: Readonly<Record<string, (state: State) => unknown>> = {
  'to the top': (state) => Object.assign(state, { count: 7 }),
  'a new key': (state) => Object.assign(state, { extra: 1 }),
  'a key away': (state) => drop(state),
  'into an object': (state) => Object.assign(state.note, { text: 'x' }),
  'to a list': (state) => state.items.push({ tags: [] }),
  'deep in a list': (state) => state.items.at(-1)?.tags.push('x'),
  'all over a list': (state) => state.items.fill({ tags: [] }),
};

describe.each(engines)('frozen arguments of a workflow (%s)', (engine) => {
  const fresh = (current: Item[], next: Item[]): Item[] => [...current, ...next.map(({ tags }) => ({ tags: [...tags] }))];
  const by: Readonly<Record<string, (write: (state: State) => unknown) => Parts>> = {
    'a node of the first state': (write) => ({ node: async (state) => ({ count: Number(write(state)) }) }),
    'a node of a later state': (write) => ({ second: async (state) => ({ count: Number(write(state)) }) }),
    'a node after a reducer': (write) => ({ reducer: fresh, second: async (state) => ({ count: Number(write(state)) }) }),
    'a node after a human event': (write) => ({
      patch: (_state, event) => ({ items: event.type === 'ADD' ? [event.item] : [] }),
      second: async (state) => ({ count: Number(write(state)) }),
    }),
    'a node with its own input': (write) => ({
      invokeInput: (state) => ({ ...state, items: [...state.items, { tags: ['own'] }] }),
      node: async (state) => ({ count: Number(write(state)) }),
    }),
    'a guard': (write) => ({ guard: (state) => Boolean(write(state)) }),
    'a reducer': (write) => ({ reducer: (current, next) => [[...current, ...next], write({ ...first(), items: current })][0] as Item[] }),
    onError: (write) => ({
      node: async () => {
        throw new Error('no');
      },
      onError: (state) => ({ count: Number(write(state)) }),
    }),
    'a patch': (write) => ({ patch: (state) => ({ count: Number(write(state)) }) }),
    'a question': (write) => ({ question: (state) => [null, write(state)][0] as never }),
    'an output': (write) => ({ output: (state) => write(state) }),
    'the input of a node': (write) => ({ invokeInput: (state) => [state, write(state)][0] }),
    'thread.next': (write) => ({ next: (thread, { state }) => [{ ...thread }, write(state)][0] as typeof thread }),
  };
  for (const [who, partsOf] of Object.entries(by)) {
    const tried = who === 'a reducer' ? ['to a list', 'deep in a list'] : Object.keys(writes);
    it.each(tried)(`make ${who} fail when it writes %s`, async (how) => {
      expect(await errorOf(partsOf(writes[how] ?? (() => {})), engine)).toMatch(/^STATE_MUTATED: /);
    });
  }

  it('include the memory of a thread and the input', async () => {
    expect(await errorOf({ toMachineInput: (given, { thread }) => [given, thread.turns.push('x')][0] as Input }, engine)).toMatch(
      /^STATE_MUTATED: toMachineInput /,
    );
    expect(await errorOf({ toMachineInput: (given) => Object.assign(given, { items: [] }) }, engine)).toMatch(/^STATE_MUTATED: /);
    expect(await errorOf({ next: (thread) => [thread, thread.turns.push('x')][0] as typeof thread }, engine)).toMatch(
      /^STATE_MUTATED: thread.next /,
    );
  });

  it('stay frozen after a restart from a file', async () => {
    const store = sqliteStore({ path: ':memory:' });
    const parts: Parts = { second: async (state) => ({ count: state.items.at(-1)?.tags.push('x') ?? 0 }) };
    expect(await errorOf(parts, engine, store)).toMatch(/^STATE_MUTATED: The node "b#1" /);
    await store.close();
  });

  it('include the arguments of a nested workflow', async () => {
    const inner = workflowOf({}, engine, false);
    const outer = (options: object): Parts => ({
      node: subWorkflow(inner as never, { toInput: () => ({}), toPatch: () => ({}), ...options } as never) as never,
    });
    expect(await errorOf(outer({ toInput: (state: State) => ({ items: [], n: state.items.push({ tags: [] }) }) }), engine)).toMatch(
      /^STATE_MUTATED: toInput of "m" /,
    );
    expect(await errorOf(outer({ toPatch: (_end: unknown, state: State) => ({ count: state.items.push({ tags: [] }) }) }), engine)).toMatch(
      /^STATE_MUTATED: toPatch of "m" /,
    );
  });
});

describe('a node under createActor', () => {
  it.each(Object.keys(writes))('fails when it writes %s in the first or a later state', async (how) => {
    for (const node of ['node', 'second'] as const) {
      let thrown: unknown;
      let said: unknown;
      const parts: Parts = {
        onError: (_state, error) => {
          said = error;
          return {};
        },
        [node]: async (state: State) => {
          try {
            return { count: Number(writes[how]?.(state)) };
          } catch (error) {
            thrown = error;
            throw error;
          }
        },
      };
      const actor = createActor(workflowOf(parts, undefined, false).machine, { input: {} }).start();
      await toPromise(actor);
      expect([String(actor.getSnapshot().value), thrown]).toEqual(['failed', expect.any(TypeError)]);
      expect(said).toMatchObject({ code: 'STATE_MUTATED' });
    }
  });
});

describe.each(engines)('errors of definition parts (%s)', (engine) => {
  const boom = (): never => {
    throw new RangeError('boom');
  };
  const cases: readonly (readonly [name: string, parts: Parts])[] = [
    ['The guard "g"', { guard: boom }],
    ['The reducer of "items"', { reducer: boom }],
    [
      'onError',
      {
        node: async () => {
          throw new Error('no');
        },
        onError: boom,
      },
    ],
    ['The patch of ADD', { patch: boom }],
    ['The question of "ask"', { question: boom }],
    ['The output of the machine "m"', { output: boom }],
    ['The context of the machine "m"', { context: boom }],
    ['The input of the node in "a"', { invokeInput: boom }],
    ['toMachineInput', { toMachineInput: boom }],
    ['thread.next', { next: boom }],
  ];
  it.each(cases)('name %s', async (name, parts) => {
    expect(await errorOf(parts, engine)).toBe(`DEFINITION_THREW: ${name} threw: boom`);
  });

  it('name the event when a parser throws', async () => {
    expect(await errorOf({ parse: boom }, engine)).toBe('EVENT_INVALID: The event ADD is invalid: boom.');
  });

  it('keep their own code', async () => {
    const parts: Parts = { patch: () => ({ other: 1 }) as never };
    expect(await errorOf(parts, engine)).toMatch(/^STATE_KEY_UNKNOWN: The patch of ADD: The state has no key "other"/);
    expect(await errorOf({ output: () => new Date(0) }, engine)).toMatch(
      /^VALUE_NOT_JSON: The output of the machine "m": output is a Date/,
    );
    expect(await errorOf({ question: () => ({ when: 1n }) as never }, engine)).toMatch(
      /^VALUE_NOT_JSON: The question of "ask": question.when is a bigint/,
    );
    expect(await errorOf({ next: () => ({ turns: [undefined] }) as never }, engine)).toMatch(
      /^VALUE_NOT_JSON: thread.next: thread.turns\[0\] is undefined/,
    );
  });

  it('are not mutations for a TypeError without a write', async () => {
    const parts: Parts = { guard: (state) => (state as unknown as { none: { deep: boolean } }).none.deep };
    expect(await errorOf(parts, engine)).toMatch(/^DEFINITION_THREW: The guard "g" threw: Cannot read properties of undefined/);
  });
});

describe('io.emit', () => {
  const circle: Record<string, unknown> = {};
  circle.self = [circle];
  it.each([
    ['a bigint', { a: [1n] }, 'event.data.a[0] is a bigint'],
    ['a circle', circle, 'event.data.self[0] is a cycle'],
    ['a date', new Date(0), 'event.data is a Date'],
  ])('fails the node for %s', async (_what, data, message) => {
    for (const type of ['custom', 'thinking']) {
      const event = type === 'custom' ? { type, name: 'x', data } : { type, step: 'x', content: data };
      const node = async (_state: State, io?: { emit(event: unknown): void }): Promise<Partial<State>> => {
        io?.emit(event);
        return {};
      };
      expect(await errorOf({ node: node as Handler })).toBe(
        `VALUE_NOT_JSON: ${type === 'custom' ? message : message.replace('data', 'content')}, which JSON would change silently.`,
      );
    }
  });

  it('emits a copy of the value at the time of the call', async () => {
    const store = memoryStore();
    const data = { list: [1] };
    const node = async (_state: State, io?: { emit(event: unknown): void }): Promise<Partial<State>> => {
      io?.emit({ type: 'thinking', step: 'x', content: data });
      data.list.push(2);
      return {};
    };
    const runtime = createRuntime({ store });
    const run = runtime.start(workflowOf({ node: node as Handler, guard: () => false }), {});
    await run.result;
    const said = (await runtime.history(run.id)).flatMap(({ events }) => events).find(({ type }) => type === 'thinking');
    expect(said).toMatchObject({ content: { list: [1] } });
  });
});
