import { createRuntime, defineState, defineWorkflow, engineOf, memoryStore, type WorkflowError } from 'agent-machines';
import { describe, expect, it } from 'vitest';
import { type AnyStateMachine, createActor, setup } from 'xstate';
import { xstateStepper } from '../../../../src/engine/drive/xstate-stepper.ts';
import { final, type LogState, logWorkflow, node, says, waiting } from '../../../fixtures/log-workflow.ts';

/** A compound state that ends as soon as it is entered, and whose end enters it again. */
const wheel = {
  initial: 'i',
  states: { i: { always: [{ target: 'e', guard: 'yes' }, { target: 'w' }] }, w: waiting({ STOP: 'e' }), e: final },
  onDone: [
    { target: 'done', guard: 'no' },
    { target: 'wheel', reenter: true },
  ],
};
const guards = { yes: () => true, no: () => false };

/** Its end is decided by two regions, so that lint cannot see it. */
const regions = {
  type: 'parallel',
  states: { left: { initial: 'l', states: { l: final } }, right: { initial: 'r', states: { r: final } } },
  onDone: [
    { target: 'done', guard: 'no' },
    { target: 'wheel', reenter: true },
  ],
};

const endless = expect.objectContaining({ code: 'ENDLESS_LOOP' }) as WorkflowError;

describe('an endless loop within one move', () => {
  it.each([
    ['compound', wheel],
    ['parallel', regions],
  ])('ends a run at its start with a typed error on %s', async (_what, turning) => {
    const workflow = logWorkflow({ states: { wheel: turning, done: final }, guards });
    const result = await createRuntime().start(workflow, {}).result;
    expect(result).toMatchObject({ status: 'failed', error: { code: 'ENDLESS_LOOP', message: expect.stringMatching(/1000 edges/) } });
  });

  it('ends a run with a typed error when a node enters it', async () => {
    const workflow = logWorkflow({
      states: { a: node('a', 'wheel'), wheel: regions, done: final, failed: final },
      guards,
      nodes: { a: says('a') },
    });
    expect(await createRuntime().start(workflow, {}).result).toMatchObject({ status: 'failed', error: { code: 'ENDLESS_LOOP' } });
  });

  it('rejects an answer that enters it, and leaves the run unchanged', async () => {
    const workflow = logWorkflow({ states: { ask: waiting({ GO: 'wheel', STOP: 'done' }), wheel, done: final }, guards });
    const store = memoryStore();
    const runtime = createRuntime({ store });
    const run = runtime.start(workflow, {});
    const first = await run.result;
    if (first.status !== 'waiting' || !first.interrupt) throw new Error(first.status);
    const before = await store.journal(run.id);
    const { id: interruptId } = first.interrupt;
    await expect(runtime.send(run.id, { type: 'GO' }, { interruptId })).rejects.toEqual(endless);
    expect(await store.journal(run.id)).toEqual(before);
    const after = await runtime.send(run.id, { type: 'STOP' }, { interruptId });
    expect(await after.result).toMatchObject({ status: 'done', finalState: 'done' });
  });

  it('ends a live actor', () => {
    const workflow = logWorkflow({ states: { wheel: regions, done: final }, guards });
    const actor = createActor(workflow.machine, { input: {} });
    actor.subscribe({ error: () => {} });
    actor.start();
    expect(actor.getSnapshot()).toMatchObject({ status: 'error', error: { message: expect.stringContaining('1000 microsteps') } });
  });

  it("uses the machine's own bound, or a default bound", () => {
    const kit = defineState<LogState, null, string>();
    const machineOf = (options?: { maxIterations: number }): AnyStateMachine =>
      defineWorkflow({
        machine: setup({ types: kit.types, guards: kit.guards(guards), actions: { merge: kit.merge } }).createMachine({
          id: 'm',
          version: '1',
          context: { log: [], count: 0 },
          initial: 'wheel',
          states: { wheel: regions, done: final },
          ...(options ? { options } : {}),
        } as never) as never,
        nodes: {} as never,
      }).machine;
    for (const [options, bound] of [
      [undefined, 1_000],
      [{ maxIterations: 20 }, 20],
      [{ maxIterations: Number.POSITIVE_INFINITY }, 1_000],
      [{ maxIterations: Number.NaN }, 1_000],
    ] as const) {
      const machine = machineOf(options);
      expect(engineOf({ machine }).engine).toBe('xstate');
      expect(() => xstateStepper(machine).begin({})).toThrow(`took ${bound} edges`);
    }
  });
});
