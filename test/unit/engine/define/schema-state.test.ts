import {
  append,
  createRuntime,
  defineMachine,
  defineWorkflow,
  final,
  node,
  type SchemaKit,
  type StandardSchema,
  schemaState,
  waiting,
} from 'agent-machines';
import { describe, expect, it } from 'vitest';
import { createActor, setup, toPromise } from 'xstate';
import { z } from 'zod';

const schema = z.object({
  topic: z.string().min(1),
  remarks: z.array(z.string()).default([]),
  style: z.enum(['plain', 'grand']).default('plain'),
});
const state = schemaState(schema, {
  reducers: { remarks: append },
  onError: (_state, { code, message }) => ({ remarks: [`${code}: ${message}`] }),
  events: { APPROVE: null, STYLE: z.object({ style: z.enum(['plain', 'grand']) }), REVISE: z.object({ remark: z.string().min(1) }) },
  onEvent: { REVISE: (_draft, { remark }) => ({ remarks: [remark] }) },
});
const machine = defineMachine(state, {
  id: 'publish',
  initial: 'write',
  output: (draft) => draft,
  states: {
    write: node('write', { done: 'review', error: 'failed' }),
    review: waiting({ APPROVE: 'done', STYLE: { target: 'review', reenter: true }, REVISE: 'write' }),
    done: final(),
    failed: final('failure'),
  },
});
const wrote = async () => ({ remarks: ['wrote'] });

async function begin(write: () => Promise<object> = wrote, input: object = { topic: 'otters' }) {
  const workflow = defineWorkflow({ machine, nodes: { write } });
  const runtime = createRuntime();
  const run = runtime.start(workflow, input as { topic: string });
  const result = await run.result;
  const send = async (event: { readonly type: string }) => {
    const { interrupt } = result.status === 'waiting' ? result : {};
    return runtime.send(run.id, event, { interruptId: interrupt?.id ?? '' });
  };
  return { result, send, run };
}

describe('schemaState', () => {
  it("starts with the caller's values and the defaults", async () => {
    const { send } = await begin();
    expect(await (await send({ type: 'APPROVE' })).result).toMatchObject({
      status: 'done',
      output: { topic: 'otters', remarks: ['wrote'], style: 'plain' },
    });
  });

  it.each([
    ['an input that does not fit', { topic: '' }, 'topic: Too small: expected string to have >=1 characters'],
    ['an input that lacks a key', {}, 'topic: Invalid input: expected string, received undefined'],
    ['a key of the state that is not an input', { topic: 'x', style: 'grand' }, 'unknown key style (known: topic)'],
    ['no input', undefined, 'Invalid input: expected object, received undefined'],
  ])('rejects %s before the run starts', async (_what, input, why) => {
    const runtime = createRuntime();
    const workflow = defineWorkflow({ machine, nodes: { write: wrote } });
    const run = (async () => runtime.start(workflow, input as { topic: string }).result)();
    await expect(run).rejects.toMatchObject({ code: 'INPUT_INVALID', message: expect.stringContaining(why) });
    expect(await runtime.list()).toEqual([]);
  });

  it('takes the error edge of a node when its patch does not fit', async () => {
    const { result } = await begin(async () => ({ style: 'loud' }));
    expect(result).toMatchObject({
      status: 'failed',
      finalState: 'failed',
      error: { code: 'PATCH_INVALID', message: expect.stringContaining('style: Invalid option') },
      output: { remarks: [expect.stringContaining('PATCH_INVALID')] },
    });
  });

  it('merges the payload of an event, or the result of onEvent', async () => {
    const first = await begin();
    expect(await (await first.send({ type: 'REVISE', remark: 'shorter' } as { type: string })).result).toMatchObject({ status: 'waiting' });
    const second = await begin();
    const { result } = await second.send({ type: 'STYLE', style: 'grand' } as { type: string });
    expect(await result).toMatchObject({ status: 'waiting' });
  });

  it('rejects an event that does not fit', async () => {
    const { send } = await begin();
    await expect(send({ type: 'REVISE', remark: '' } as { type: string })).rejects.toMatchObject({
      code: 'EVENT_INVALID',
      message: 'The event REVISE is invalid: remark: Too small: expected string to have >=1 characters.',
    });
    await expect(send({ type: 'APPROVE', by: 'me' } as { type: string })).rejects.toMatchObject({ code: 'EVENT_INVALID' });
  });

  it('accepts keys with a default from the caller when "input" lists them', async () => {
    const open = schemaState(schema, { input: ['topic', 'style'] });
    const { workflow } = echo(open);
    expect(await createRuntime().start(workflow, { topic: 'x', style: 'grand' }).result).toMatchObject({ output: { style: 'grand' } });
  });

  it('stores default values with the run, even when each call computes new ones', async () => {
    let calls = 0;
    const { workflow } = echo(schemaState(z.object({ topic: z.string(), id: z.number().default(() => ++calls) })));
    expect(workflow.parseInput({ topic: 'x' })).toEqual({ topic: 'x', id: expect.any(Number) });
    const stored = workflow.parseInput({ topic: 'x' }) as { id: number };
    const actor = createActor(workflow.machine, { input: stored }).start();
    expect(await toPromise(actor)).toMatchObject({ id: stored.id });
  });

  it('works with a written-out machine and under XState alone', async () => {
    const written = setup({ types: state.types, actors: { write: state.slot('write') }, actions: { merge: state.merge } }).createMachine({
      id: 'written',
      initial: 'write',
      context: ({ input }) => state.initial(input),
      output: ({ context }) => context.remarks,
      states: {
        write: {
          invoke: {
            src: 'write',
            input: ({ context }) => context,
            onDone: { target: 'done', actions: 'merge' },
            onError: { target: 'failed', actions: 'merge' },
          },
        },
        done: { type: 'final' },
        failed: { type: 'final', tags: 'failure' },
      },
    });
    const { machine: live } = defineWorkflow({ machine: written, nodes: { write: wrote } });
    expect(await toPromise(createActor(live, { input: { topic: 'x' } }).start())).toEqual(['wrote']);
    const { machine: failing } = defineWorkflow({ machine: written, nodes: { write: async () => ({ topic: '' }) } });
    expect(await toPromise(createActor(failing, { input: { topic: 'x' } }).start())).toEqual([expect.stringContaining('PATCH_INVALID')]);
  });

  it.each<[string, () => unknown, string]>([
    ['a state that is not an object', () => schemaState(z.string() as never), 'the schema of the state is invalid (it is not an object)'],
    ['a value without a JSON form', () => schemaState(z.object({ at: z.date() })), 'Date cannot be represented in JSON Schema'],
    [
      'an input without a required key',
      () => schemaState(schema, { input: ['style'] }),
      '"topic" has no default value and is missing from "input"',
    ],
    ['an input key that the state lacks', () => schemaState(schema, { input: ['topic', 'x'] as never }), '"input" names "x"'],
    [
      'an event with an unknown field',
      () => schemaState(schema, { events: { SAY: z.object({ words: z.string() }) } }),
      'the event SAY has the field "words"',
    ],
  ])('rejects %s', (_what, define, why) => {
    expect(define).toThrow(expect.objectContaining({ code: 'WORKFLOW_INVALID', message: expect.stringContaining(why) }));
  });

  it('rejects a key without an initial value', () => {
    const optional = schemaState(z.object({ topic: z.string(), note: z.string().optional() }));
    expect(() => optional.initial({ topic: 'x' })).toThrow('"note" has no initial value');
  });

  it('rejects an asynchronous schema', async () => {
    const { validate: _, ...standard } = schema['~standard'];
    const later: StandardSchema<{ topic: string }, { topic: string }> = {
      '~standard': { ...standard, types: undefined, validate: async () => ({ value: { topic: 'x' } }) },
    };
    expect(() => schemaState(later).initial({ topic: 'x' })).toThrow('its schema is asynchronous');
  });

  it.each([
    ['trims', z.string().trim(), ' y ', 'y'],
    ['coerces', z.coerce.string(), 7, '7'],
    ['replaces', z.string().catch('none'), 7, 'none'],
  ])('stores a patch as the schema parses it: %s', async (_what, key, patch, kept) => {
    expect(await outcome(z.object({ key }), { key: 'x' }, { key: patch })).toMatchObject({ status: 'done', output: { key: kept } });
  });

  it('fails a node when its patch makes the whole state invalid', async () => {
    const range = z.object({ from: z.number(), to: z.number().default(9) });
    for (const path of [[], ['to']]) {
      const ordered = range.refine(({ from, to }) => from < to, { message: 'from must be less', path });
      expect(await outcome(ordered, { from: 1 }, { from: 20 })).toMatchObject({ finalState: 'failed', error: { code: 'PATCH_INVALID' } });
      expect(await outcome(ordered, { from: 1 }, { from: 2 })).toMatchObject({ finalState: 'done', output: { from: 2 } });
    }
  });

  it('checks the result of a reducer', async () => {
    const few = z.object({ topic: z.string(), notes: z.array(z.string()).max(1).default([]) });
    const kit = schemaState(few, { reducers: { notes: append } });
    const twice = defineMachine(kit, {
      id: 'twice',
      initial: 'first',
      output: ({ notes }) => notes,
      states: {
        first: node('note', { done: 'second', error: 'failed' }),
        second: node('note', { done: 'done', error: 'failed' }),
        done: final(),
        failed: final('failure'),
      },
    });
    const workflow = defineWorkflow({ machine: twice, nodes: { note: async () => ({ notes: ['a'] }) } });
    expect(await createRuntime().start(workflow, { topic: 'x' }).result).toMatchObject({
      output: ['a'],
      error: { code: 'PATCH_INVALID', message: expect.stringContaining('notes: Too big') },
    });
  });

  it.each([
    ['its payload', { SET: z.object({ n: z.number() }) }, {}, { type: 'SET', n: 99 }],
    ['the result of onEvent', { SET: null }, { SET: () => ({ n: 99 }) }, { type: 'SET' }],
  ])('rejects an event when its change does not fit: %s', async (_what, events, onEvent, event) => {
    const kit = schemaState(z.object({ n: z.number().max(9) }), { events, onEvent });
    const asking = defineMachine(kit, { id: 'ask', initial: 'ask', states: { ask: waiting({ SET: 'done' }), done: final() } });
    const runtime = createRuntime();
    const run = runtime.start(defineWorkflow({ machine: asking, nodes: {} }), { n: 1 });
    const { interrupt } = (await run.result) as { readonly interrupt: { readonly id: string } };
    await expect(runtime.send(run.id, event, { interruptId: interrupt.id })).rejects.toMatchObject({ code: 'PATCH_INVALID' });
    expect((await runtime.get(run.id))?.status).toBe('waiting');
  });

  it.each([
    ['another value', z.string().transform((text) => `${text}!`)],
    ['another type', z.string().transform(Number)],
  ])('rejects a schema that changes its own output on each resume: %s', (_what, key) => {
    const kit = schemaState<{ key: unknown }, { key: string }>(z.object({ key }));
    const { workflow } = echo(kit as never);
    expect(() => createRuntime().start(workflow, { key: '5' } as never)).toThrow(expect.objectContaining({ code: 'WORKFLOW_INVALID' }));
  });

  it.each([
    ['no schema', { topic: 'string' }, {}, 'the schema of the state has no JSON Schema'],
    ['a schema without keys', z.record(z.string(), z.string()), {}, 'it has no properties'],
    ['a reducer without a key', schema, { reducers: { remark: append } }, '"reducers" names "remark"'],
    ['a reducer that is not a function', schema, { reducers: { remarks: 'append' } }, '"remarks" of "reducers" is not a function'],
    ['a change without an event', schema, { events: { GO: null }, onEvent: { STOP: () => ({}) } }, '"onEvent" names "STOP"'],
    ['an input that is not a list', schema, { input: 'topic' }, '"input" is not a list of keys'],
  ])('rejects at run time what types reject: %s', (_what, given, options, message) => {
    expect(() => schemaState(given as never, options as never)).toThrow(
      expect.objectContaining({ code: 'WORKFLOW_INVALID', message: expect.stringContaining(message) }),
    );
  });

  it('rejects an event with a field outside its schema', async () => {
    const { send } = await begin();
    await expect(send({ type: 'STYLE', style: 'grand', colour: 'red' } as { type: string })).rejects.toMatchObject({
      code: 'EVENT_INVALID',
      message: expect.stringContaining('unknown field colour'),
    });
  });

  it('reports a definition error when the schema of an event reserves "type"', async () => {
    const named = schemaState(z.object({ topic: z.string() }), {
      events: { EDIT: z.object({ type: z.literal('EDIT'), topic: z.string() }) },
      onEvent: { EDIT: (_state, { topic }) => ({ topic }) },
    });
    const asking = defineMachine(named, { id: 'ask', initial: 'ask', states: { ask: waiting({ EDIT: 'done' }), done: final() } });
    const runtime = createRuntime();
    const run = runtime.start(defineWorkflow({ machine: asking, nodes: {} }), { topic: 'x' });
    const { interrupt } = (await run.result) as { readonly interrupt: { readonly id: string } };
    await expect(runtime.send(run.id, { type: 'EDIT', topic: 'y' }, { interruptId: interrupt.id })).rejects.toMatchObject({
      code: 'WORKFLOW_INVALID',
      message: expect.stringContaining('has a field "type"'),
    });
  });
});

/** How a run ends whose only node brings this patch. */
function outcome(of: StandardSchema<Record<string, unknown>, object>, input: object, patch: object) {
  const { workflow } = echo(schemaState(of) as never, async () => patch);
  return createRuntime().start(workflow, input as never).result;
}

function echo<TState extends object, TInput>(
  kit: SchemaKit<TState & Record<string, unknown>, TInput, never>,
  work: () => Promise<object> = async () => ({}),
) {
  const echoing = defineMachine(kit, {
    id: 'echo',
    initial: 'work',
    output: (last) => last,
    states: { work: node('work', { done: 'done', error: 'failed' }), done: final(), failed: final('failure') },
  });
  return { workflow: defineWorkflow({ machine: echoing, nodes: { work } }) };
}
