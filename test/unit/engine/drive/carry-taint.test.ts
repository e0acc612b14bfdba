// What a thread holds goes into a workflow inside another one, and comes out of it.
import {
  createRuntime,
  defineState,
  defineWorkflow,
  joinTaint,
  noTaint,
  readTaint,
  subWorkflow,
  type Taint,
  WorkflowError,
} from 'agent-machines';
import { chatAgent } from 'agent-machines/machines/chat-agent';
import { offlineModel } from 'agent-machines/models';
import { describe, expect, it } from 'vitest';
import { createActor, setup, toPromise } from 'xstate';

const holdsPrivate: Taint = { private: true, untrusted: false, user: false };
const holdsUntrusted: Taint = { private: false, untrusted: true, user: false };
const both: Taint = { private: true, untrusted: true, user: false };
const every: Taint = { private: true, untrusted: true, user: true };

interface Held {
  readonly taint: Taint;
}

/** A workflow of one node, which brings `brought`; `seen` are the taints that it was given. */
function inner(brought: Taint, seen: Taint[]) {
  const state = defineState<Held, Held, Taint>({ reducers: { taint: joinTaint } });
  const machine = setup({ types: state.types, actors: { work: state.slot('work') }, actions: { merge: state.merge } }).createMachine({
    id: 'inner',
    initial: 'work',
    context: ({ input }) => ({ taint: input.taint }),
    output: ({ context }) => context.taint,
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
  return defineWorkflow({
    machine,
    nodes: {
      work: async ({ taint }) => {
        seen.push(taint);
        return { taint: brought };
      },
    },
  });
}

/** The same, without any notion of taint. */
function careless(output: () => string = () => 'whatever it has read') {
  const state = defineState<object & Record<string, never>, unknown, string>();
  const machine = setup({ types: state.types, actions: { merge: state.merge } }).createMachine({
    id: 'careless',
    initial: 'done',
    context: {},
    output,
    states: { done: { type: 'final' } },
  });
  return defineWorkflow({ machine, nodes: {} });
}

function outer(
  node: ReturnType<typeof subWorkflow<Held, never, unknown, unknown>>,
  taint: Taint,
  options: { readonly engine?: 'xstate' } = {},
) {
  const state = defineState<Held, unknown, Taint>();
  const machine = setup({ types: state.types, actors: { sub: state.slot('sub') }, actions: { merge: state.merge } }).createMachine({
    id: 'outer',
    initial: 'sub',
    context: { taint },
    output: ({ context }) => context.taint,
    states: {
      sub: {
        invoke: {
          src: 'sub',
          input: ({ context }) => context,
          onDone: { target: 'done', actions: 'merge' },
          onError: { target: 'stopped', actions: 'merge' },
        },
      },
      done: { type: 'final' },
      stopped: { type: 'final', tags: 'failure' },
    },
  });
  return defineWorkflow({ machine, nodes: { sub: node }, ...options });
}

describe('taint of a nested workflow', () => {
  it('is inherited from the outer thread and returned to it, on a runtime and live', async () => {
    const seen: Taint[] = [];
    const node = subWorkflow(inner(holdsUntrusted, seen), { toInput: () => ({ taint: noTaint }), toPatch: () => ({}) });
    const workflow = outer(node as never, holdsPrivate);
    expect(await createRuntime().start(workflow, undefined).result).toMatchObject({ status: 'done', output: both });
    expect(await toPromise(createActor(workflow.machine, { input: undefined }).start())).toEqual(both);
    expect(seen).toEqual([holdsPrivate, holdsPrivate]);
  });

  it('is not removed by a patch', async () => {
    const node = subWorkflow(inner(noTaint, []), { toInput: () => ({ taint: noTaint }), toPatch: () => ({ taint: noTaint }) });
    expect(await createRuntime().start(outer(node as never, holdsPrivate), undefined).result).toMatchObject({ output: holdsPrivate });
  });

  it.each([
    ['its own error', () => new WorkflowError({ code: 'TOOL_FAILED', message: 'what a stranger wrote' })],
    ['an error with a cause', () => new Error('outer', { cause: new Error('inner') })],
    ['a value that is not an error', () => 'a text'],
    ['a write to a frozen value', undefined],
  ])('is returned when its patch is invalid: %s', async (_, error) => {
    const toPatch = ({ output }: { readonly output: unknown }): Partial<Held> => {
      if (error) throw error();
      Object.assign(output as object, { more: 1 });
      return {};
    };
    const node = subWorkflow(inner(holdsUntrusted, []), { toInput: () => ({ taint: noTaint }), toPatch });
    const workflow = outer(node as never, holdsPrivate);
    for (const each of [workflow, outer(node as never, holdsPrivate, { engine: 'xstate' })]) {
      expect(await createRuntime().start(each, undefined).result).toMatchObject({ finalState: 'stopped', output: both });
    }
    if (!error) return; // what is live is not frozen
    expect(await toPromise(createActor(workflow.machine, { input: undefined }).start())).toEqual(both);
  });

  it('is set completely when the nested workflow fails, also in the journal', async () => {
    const fails = subWorkflow(
      careless(() => {
        throw new Error('no');
      }),
      { toInput: () => undefined, toPatch: () => ({}) },
    );
    const workflow = outer(fails as never, noTaint);
    const runtime = createRuntime({ workflows: [workflow] });
    const run = runtime.start(workflow, undefined);
    expect(await run.result).toMatchObject({ finalState: 'stopped', output: every });
    const node = (await runtime.history(run.id)).find(({ key }) => key === 'sub#1');
    expect(node?.outcome).toMatchObject({ error: { code: 'DEFINITION_THREW' }, taint: every });
  });

  it('is set completely when the nested workflow does not track it', async () => {
    const node = subWorkflow(careless(), { toInput: () => undefined, toPatch: () => ({}) });
    expect(await createRuntime().start(outer(node as never, noTaint), undefined).result).toMatchObject({ output: every });
  });

  it('makes the outer run ask a human when a nested call needs approval', async () => {
    const sent: unknown[] = [];
    const search = {
      name: 'search',
      inputSchema: { type: 'object' as const, properties: { text: { type: 'string' as const } }, additionalProperties: false },
      effect: 'idempotent' as const,
      capabilities: { private: false, untrusted: true, external: true },
      execute: async (args: unknown) => {
        sent.push(args);
        return 'found';
      },
    };
    const model = offlineModel({
      'chat_agent.router': () => ({ route: 'agent', reason: '' }),
      'chat_agent.agent': ({ messages }) =>
        messages.some(({ role }) => role === 'tool') ? 'done' : { toolCalls: [{ name: 'search', arguments: { text: 'a secret' } }] },
    });
    const chat = chatAgent({ model, tools: [search] });
    const node = subWorkflow(chat, { toInput: () => ({ input: 'a question' }), toPatch: () => ({}) });
    const workflow = outer(node as never, holdsPrivate);
    const runtime = createRuntime({ workflows: [workflow] });
    const run = runtime.start(workflow, undefined);
    const result = await run.result;
    if (result.status !== 'waiting' || !result.interrupt) throw new Error(JSON.stringify(result));
    expect([sent, result.interrupt.question]).toEqual([[], expect.objectContaining({ tool: 'search', arguments: { text: 'a secret' } })]);
    const end = await (await runtime.send(run.id, { type: 'APPROVE' }, { interruptId: result.interrupt.id })).result;
    expect([end, sent]).toEqual([expect.objectContaining({ status: 'done', output: both }), [{ text: 'a secret' }]]);
  });
});

describe('readTaint', () => {
  it.each([
    [noTaint, noTaint],
    [holdsPrivate, holdsPrivate],
    // stored by a version that did not know `user`
    [
      { private: true, untrusted: false },
      { ...holdsPrivate, user: true },
    ],
    [undefined, every],
    [null, every],
    [false, every],
    ['none', every],
    [{}, every],
    [{ private: false }, every],
    [{ private: 0, untrusted: null }, every],
    [{ tainted: false }, every],
  ])('reads %j, and treats invalid values as tainted', (stored, taint) => {
    expect(readTaint(stored)).toEqual(taint);
  });
});
