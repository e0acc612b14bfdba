import {
  createRuntime,
  defineMachine,
  defineState,
  defineWorkflow,
  engineOf,
  final,
  lintWorkflow,
  node,
  type RunEvent,
  toGraph,
} from 'agent-machines';
import { toMermaid } from 'agent-machines/inspect';
import { describe, expect, it } from 'vitest';
import { type AnyStateMachine, createActor } from 'xstate';
import { bothForms } from '../../fixtures/both-forms.ts';

const says = (word: string) => async () => ({ log: [word] });
const fails = async (): Promise<never> => {
  throw new Error('no');
};
/** The handlers of the nodes that a machine has. */
const nodesOf = (machine: AnyStateMachine, failing: string) =>
  Object.fromEntries(Object.keys(machine.implementations.actors).map((name) => [name, name === failing ? fails : says(name)]));

/** A whole run: what it said, but for what differs from run to run, and how it ended. */
async function play(machine: AnyStateMachine, answers: readonly string[], failing: string, engine?: 'xstate') {
  const workflow = defineWorkflow({ machine, nodes: nodesOf(machine, failing), ...(engine ? { engine } : {}) });
  const runtime = createRuntime();
  let run = runtime.start(workflow, { first: 'x' } as never);
  let result = await run.result;
  for (const type of answers) {
    if (result.status !== 'waiting' || !result.interrupt) break;
    run = await runtime.send(run.id, { type }, { interruptId: result.interrupt.id });
    result = await run.result;
  }
  const said: object[] = [];
  for await (const event of run.events()) said.push(withoutChance(event));
  await runtime.close();
  return { engine: engineOf(workflow), said, result };
}

function withoutChance(event: RunEvent): object {
  const { at: _, seq, ...rest } = event;
  if (rest.type === 'interrupt') return { seq, type: rest.type, key: rest.interrupt.key, accepts: rest.interrupt.accepts };
  if (rest.type === 'node-end') return { ...rest, seq, durationMs: 0 };
  return rest.type === 'run-start' ? { seq, type: rest.type, workflow: rest.workflow, version: rest.version } : { seq, ...rest };
}

/** The same under XState's own actor: every state and context that it came to. */
async function playLive(machine: AnyStateMachine, answers: readonly string[], failing: string) {
  const { machine: live } = defineWorkflow({ machine, nodes: nodesOf(machine, failing) });
  const seen: object[] = [];
  const actor = createActor(live, { input: { first: 'x' } });
  const left = [...answers];
  await new Promise<void>((resolve) => {
    actor.subscribe({
      next: ({ value, context, status }) => {
        seen.push({ value, context, status });
        if (!actor.getSnapshot().hasTag('waiting')) return;
        const type = left.shift();
        if (type) queueMicrotask(() => actor.send({ type }));
        else resolve();
      },
      complete: resolve,
    });
    actor.start();
  });
  actor.stop();
  return { seen, output: actor.getSnapshot().output };
}

describe.each(bothForms)('defineMachine: $name', ({ short, literal, answers }) => {
  it('has the graph, the lint and the drawing of the one that is written out', () => {
    expect(toGraph(short)).toEqual(toGraph(literal));
    expect(lintWorkflow(short)).toEqual(lintWorkflow(literal));
    expect(toMermaid(toGraph(short))).toBe(toMermaid(toGraph(literal)));
  });

  it('has its config, as plain data but for the functions that both have', () => {
    expect(JSON.parse(JSON.stringify(short.config))).toEqual(JSON.parse(JSON.stringify(literal.config)));
  });

  it('has its structure, so that one resumes what the other has begun', () => {
    const [one, other] = [short, literal].map((machine) => defineWorkflow({ machine, nodes: nodesOf(machine, '') }));
    expect(one?.structureHash).toBe(other?.structureHash);
  });

  it.each(['', 'a', 'b', 'c'])('runs as it does on both engines and under XState alone when "%s" fails', async (failing) => {
    expect(await play(short, answers, failing)).toEqual(await play(literal, answers, failing));
    expect(await play(short, answers, failing, 'xstate')).toEqual(await play(literal, answers, failing, 'xstate'));
    expect(await playLive(short, answers, failing)).toEqual(await playLive(literal, answers, failing));
  });
});

describe('defineMachine', () => {
  const state = defineState<{ readonly n: number }, null, number>();

  it('takes plain config among the short forms', () => {
    const machine = defineMachine(state, {
      id: 'm',
      initial: 'a',
      context: () => ({ n: 0 }),
      states: {
        a: node('a', { done: 'choose', error: 'failed' }),
        choose: { always: { target: 'done' } },
        done: final(),
        failed: final('failure'),
      },
    });
    expect(lintWorkflow(defineWorkflow({ machine, nodes: { a: async () => ({}) } }).machine)).toEqual([]);
  });

  it('leaves what types cannot see to the linter', () => {
    const machine = defineMachine(state, { id: 'm', initial: 'a', context: () => ({ n: 0 }), states: { a: { on: {} }, lost: final() } });
    expect(lintWorkflow(machine).map(({ code }) => code)).toContain('UNREACHABLE_STATE');
  });
});
