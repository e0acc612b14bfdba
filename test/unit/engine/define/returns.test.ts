import {
  append,
  createRuntime,
  defineMachine,
  defineState,
  defineWorkflow,
  type Json,
  joinTaint,
  memoryStore,
  noTaint,
  type StandardSchema,
  schemaState,
  subWorkflow,
  type Taint,
} from 'agent-machines';
import { objectSchema } from 'agent-machines/tools';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createActor, waitFor } from 'xstate';
import { z } from 'zod';
import { share } from '../../../fixtures/share.ts';

interface Order {
  readonly amount: number;
  readonly charges: number;
  readonly log: readonly string[];
}
const plain = defineState<Order, undefined, Order>({ reducers: { log: append } });
const checked = schemaState(
  z.object({ amount: z.number().default(0), charges: z.number().default(0), log: z.array(z.string()).default([]) }),
  { reducers: { log: append } },
);

const states = {
  price: { node: 'price', done: 'charge', error: 'failed' },
  charge: { node: 'charge', done: 'paid', error: 'failed' },
  paid: { final: true },
  failed: { final: 'failure' },
} as const;
const output = (state: Readonly<Order>): Order => ({ ...state });
const machines = {
  'a state with a schema': defineMachine(checked, { id: 'order', initial: 'price', output, states }),
  'a state without a schema': defineMachine(plain, {
    id: 'order',
    initial: 'price',
    context: () => ({ amount: 0, charges: 0, log: [] }),
    output,
    states,
  }),
};

const once = z.object({ charges: z.literal(1), log: z.array(z.string().trim()).max(1).optional() });

function order(machine: (typeof machines)['a state with a schema'], charged: object, returns: StandardSchema<object> = once) {
  return defineWorkflow({
    machine,
    nodes: { price: async () => ({ amount: 5 }), charge: async () => charged },
    returns: { charge: returns },
  });
}

describe.each(Object.entries(machines))('returns, with %s', (_, either) => {
  const machine = either as (typeof machines)['a state with a schema'];

  it('takes a patch that fits, as the schema parses it', async () => {
    const { result } = createRuntime().start(order(machine, { charges: 1, log: [' charged '] }), {});
    expect(await result).toMatchObject({ status: 'done', output: { amount: 5, charges: 1, log: ['charged'] } });
  });

  it.each<[string, object, RegExp]>([
    ['another value', { charges: 2 }, /charge" does not fit its "returns": charges: /],
    ['a missing key', { log: ['charged'] }, /charges: /],
    ['an undeclared key', { charges: 1, amount: 0 }, /unknown key amount/],
    ['too long a list', { charges: 1, log: ['a', 'b'] }, /log: /],
  ])('refuses a patch with %s before it is written', async (_name, patch, message) => {
    const store = memoryStore();
    const runtime = createRuntime({ store });
    const { id, result } = runtime.start(order(machine, patch), {});
    expect(await result).toMatchObject({
      status: 'failed',
      finalState: 'failed',
      error: { code: 'PATCH_INVALID', message: expect.stringMatching(message) },
    });
    const ended = (await store.journal(id)).find(({ key }) => key === 'charge#1');
    expect(ended?.outcome).toMatchObject({ error: { code: 'PATCH_INVALID' } });
  });

  it('checks the patch of a fork', async () => {
    const workflow = order(machine, { charges: 1 });
    const runtime = createRuntime({ workflows: [workflow] });
    const run = runtime.start(workflow, {});
    await run.result;
    await expect(runtime.fork(run.id, { at: 'charge#1', patch: { charges: 2 } })).rejects.toMatchObject({ code: 'PATCH_INVALID' });
    await expect(runtime.fork(run.id, { at: 'charge#1', patch: { amount: 2 } })).rejects.toMatchObject({ code: 'PATCH_INVALID' });
    const fork = await runtime.fork(run.id, { at: 'charge#1', patch: { log: ['by hand'] } });
    expect(await fork.result).toMatchObject({ output: { charges: 1, log: ['by hand'] } });
    const other = await runtime.fork(run.id, { at: 'price#1', patch: { amount: 7 } }); // a node without a schema of its own
    expect(await other.result).toMatchObject({ output: { amount: 7 } });
  });

  it('checks the patch of a retry', async () => {
    const workflow = defineWorkflow({
      machine,
      nodes: { price: async () => ({ amount: 5 }), charge: async () => ({ charges: 1 }) },
      returns: { price: z.object({ amount: z.number().min(1) }) },
    });
    const runtime = createRuntime({ workflows: [workflow] });
    const run = runtime.start(workflow, {}, { limits: { nodeVisits: 1 } });
    expect(await run.result).toMatchObject({ status: 'failed', resumable: true });
    const limits = { nodeVisits: 5 };
    await expect(runtime.retry(run.id, { patch: { amount: 0 }, limits })).rejects.toMatchObject({
      code: 'PATCH_REFUSED',
      message: expect.stringContaining('PATCH_INVALID'),
    });
    expect(await (await runtime.retry(run.id, { patch: { amount: 3 }, limits })).result).toMatchObject({ output: { amount: 3 } });
  });

  it('is enforced under createActor, too', async () => {
    const actor = createActor(order(machine, { charges: 2 }).machine, { input: {} });
    actor.start();
    const end = await waitFor(actor, ({ status }) => status !== 'active');
    expect(end.value).toBe('failed');
  });

  it('takes exactly the patches that the schema takes', async () => {
    const schema = z.object({ charges: z.int().min(0).max(3), amount: z.number().optional() });
    const patch = fc.record(
      { charges: fc.constantFrom<Json>(0, 3, 4, -1, 1.5, '1', null), amount: fc.constantFrom<Json>(1, 'x') },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(patch, async (charged) => {
        const { status } = await createRuntime().start(order(machine, charged, schema), {}).result;
        expect(status === 'done').toBe(schema.safeParse(charged).success);
      }),
      { numRuns: share(200) },
    );
  });
});

describe('returns', () => {
  const machine = machines['a state with a schema'];
  const nodes = { price: async () => ({ amount: 5 }), charge: async () => ({ charges: 1 }) };

  it('leaves the structure and other nodes as they are', () => {
    const bare = defineWorkflow({ machine, nodes });
    expect(bare.returns).toBeUndefined();
    expect(order(machine, {}).structureHash).toBe(bare.structureHash);
    expect(order(machine, {}).returns).toEqual({ charge: once });
  });

  it('replays what was recorded before a schema existed', async () => {
    const store = memoryStore();
    const before = defineWorkflow({ machine, nodes });
    const run = createRuntime({ store }).start(before, {}, { limits: { nodeVisits: 1 } });
    await run.result;
    const after = defineWorkflow({ machine, nodes, returns: { price: z.object({ amount: z.literal(9) }) } });
    const retried = await createRuntime({ store, workflows: [after] }).retry(run.id, { limits: { nodeVisits: 9 } });
    expect(await retried.result).toMatchObject({ status: 'done', output: { amount: 5 } });
  });

  it('takes a schema without a library', async () => {
    const schema = objectSchema({ charges: { type: 'integer', minimum: 1, maximum: 1 } });
    expect(await createRuntime().start(order(machine, { charges: 1 }, schema), {}).result).toMatchObject({ status: 'done' });
    expect(await createRuntime().start(order(machine, { charges: 2 }, schema), {}).result).toMatchObject({
      error: { code: 'PATCH_INVALID' },
    });
  });

  it('leaves the taint of a workflow inside a node alone', async () => {
    interface Held {
      readonly text: string;
      readonly taint: Taint;
    }
    const tainted = defineState<Held, undefined, string>({ reducers: { taint: joinTaint } });
    const held = (id: string) =>
      defineMachine(tainted, {
        id,
        initial: 'read',
        context: () => ({ text: '', taint: noTaint }),
        output: ({ text }) => text,
        states: { read: { node: 'read', done: 'end', error: 'failed' }, end: { final: true }, failed: { final: 'failure' } },
      });
    const inner = defineWorkflow({
      machine: held('inner'),
      nodes: { read: async () => ({ text: 'mail', taint: { private: true, untrusted: true, user: false } }) },
    });
    const outer = defineWorkflow({
      machine: defineMachine(tainted, {
        id: 'outer',
        initial: 'read',
        context: () => ({ text: '', taint: noTaint }),
        output: ({ taint }) => taint,
        states: { read: { node: 'read', done: 'end', error: 'failed' }, end: { final: true }, failed: { final: 'failure' } },
      }),
      nodes: { read: subWorkflow(inner, { toInput: () => undefined, toPatch: ({ output: text }) => ({ text }) }) },
      returns: { read: z.strictObject({ text: z.literal('mail') }) },
    });
    expect(await createRuntime().start(outer, undefined).result).toMatchObject({
      status: 'done',
      output: { private: true, untrusted: true, user: false },
    });
  });

  it.each([
    ['an unknown node', { pay: once }],
    ['no schema', { charge: { type: 'object' } }],
    ['null', { charge: null }],
    ['a type that JSON lacks', { charge: z.object({ at: z.date() }) }],
  ])('rejects %s', (_, returns) => {
    const definition: object = { machine, nodes, returns };
    expect(() => defineWorkflow(definition as Parameters<typeof defineWorkflow>[0])).toThrow(
      expect.objectContaining({ code: 'WORKFLOW_INVALID', message: expect.stringMatching(/"returns" of "(pay|charge)" is invalid/) }),
    );
  });

  it('rejects a schema that checks asynchronously', async () => {
    const slow = z.object({ charges: z.number().refine(async () => true) });
    expect(await createRuntime().start(order(machine, { charges: 1 }, slow), {}).result).toMatchObject({
      error: { code: 'WORKFLOW_INVALID' },
    });
  });
});
