import { append, defineState, defineWorkflow } from 'agent-machines';
import { describe, expect, it } from 'vitest';
import { createActor, setup, toPromise } from 'xstate';
import { failure, final, logWorkflow, node, says, waiting } from '../../../fixtures/log-workflow.ts';

describe("a workflow's machine under createActor", () => {
  it('runs live with reducers, guards on the patched state, and error edges', async () => {
    const workflow = logWorkflow({
      states: {
        a: node('a', [{ target: 'b', guard: 'one' }, 'failed']),
        b: node('b', 'failed', [{ target: 'done', guard: 'two' }, 'failed']),
        done: final,
        failed: failure,
      },
      guards: { one: ({ log }) => log.length === 1, two: ({ log }) => log.length === 2 },
      nodes: {
        a: says('a'),
        b: async () => {
          throw new Error('boom');
        },
      },
    });
    const actor = createActor(workflow.machine, { input: {} }).start();
    expect(await toPromise(actor)).toBe('a,NODE_FAILED: boom');
    expect(actor.getSnapshot().value).toBe('done');
  });

  it('merges once when an always edge follows', async () => {
    const kit = defineState<{ readonly log: readonly string[] }, undefined, string>({ reducers: { log: append } });
    const machine = setup({
      types: kit.types,
      actors: { a: kit.slot('a') },
      guards: kit.guards({ two: ({ log }) => log.length === 2, one: ({ log }) => log.length === 1 }),
      actions: { merge: kit.merge },
    }).createMachine({
      id: 'm',
      context: { log: [] },
      initial: 'a',
      output: ({ context }) => context.log.join(),
      states: {
        a: { invoke: { src: 'a', input: ({ context }) => context, onDone: { target: 'b', actions: 'merge' }, onError: 'bad' } },
        b: {
          always: [
            { guard: 'two', target: 'bad', actions: 'merge' },
            { guard: 'one', target: 'good', actions: 'merge' },
            { target: 'bad' },
          ],
        },
        good: { type: 'final' },
        bad: { type: 'final', tags: 'failure' },
      },
    });
    const workflow = defineWorkflow({ machine, nodes: { a: async () => ({ log: ['x'] }) } });
    const actor = createActor(workflow.machine).start();
    expect(await toPromise(actor)).toBe('x');
    expect(actor.getSnapshot().value).toBe('good');
  });

  it('merges a human event and its patch', async () => {
    const workflow = logWorkflow({ states: { ask: waiting({ SAY: 'done' }), done: final } });
    const actor = createActor(workflow.machine, { input: {} }).start();
    actor.send({ type: 'SAY', text: 'hi' } as never);
    expect(await toPromise(actor)).toBe('hi');
  });

  it('rejects a patch with an unknown key like the runtime', async () => {
    const workflow = logWorkflow({
      states: { a: node('a', 'done'), done: final, failed: failure },
      nodes: { a: async () => ({ lgo: 1 }) as never },
    });
    expect(await toPromise(createActor(workflow.machine, { input: {} }).start())).toContain('STATE_KEY_UNKNOWN');
  });

  it('reports a slot without a handler', async () => {
    const kit = defineState<{ readonly n: number }, null, string>({ onError: () => ({ n: 1 }) });
    const machine = setup({ types: kit.types, actors: { a: kit.slot('a') }, actions: { merge: kit.merge } }).createMachine({
      id: 'm',
      context: { n: 0 },
      initial: 'a',
      states: {
        a: { invoke: { src: 'a', input: ({ context }) => context, onError: { target: 'end', actions: 'merge' } } },
        end: { type: 'final' },
      },
    });
    const actor = createActor(machine, { input: null }).start();
    await toPromise(actor);
    expect(actor.getSnapshot().context).toEqual({ n: 1 });
  });
});
