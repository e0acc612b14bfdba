import { createRuntime, defineWorkflow, engineOf, type Workflow } from 'agent-machines';
import { expect } from 'vitest';
import { type AnyStateMachine, createActor, toPromise } from 'xstate';

export interface TapedMachineOptions<TNode extends string> {
  readonly machine: AnyStateMachine;
  readonly nodes: readonly TNode[];
  /** Of the machine. */
  readonly input: unknown;
  /** What a node comes back with when the tape is at its end. @default {} */
  readonly rest?: object;
}

/** A machine whose nodes answer from a tape, in the order in which they are visited: patches, or `throw`. */
export interface TapedMachine<TNode extends string, TState> {
  workflow(tape: readonly unknown[], engine?: 'xstate'): Taped<TNode, TState>;
  /** Runs a tape on the table, on XState and live under `createActor`: same path, same states, same end. */
  expectSameOnEveryEngine(tape: readonly unknown[]): Promise<void>;
}

interface Taped<TNode extends string, TState> {
  readonly workflow: Workflow<unknown, TState, unknown>;
  /** What each node was shown, in the order of the visits. */
  readonly seen: readonly { readonly node: TNode; readonly state: TState }[];
}

export function tapedMachine<TNode extends string, TState>(options: TapedMachineOptions<TNode>): TapedMachine<TNode, TState> {
  const { machine, nodes, input, rest = {} } = options;

  const taped = (tape: readonly unknown[], engine?: 'xstate'): Taped<TNode, TState> => {
    let at = 0;
    const seen: { node: TNode; state: TState }[] = [];
    const handler = (node: TNode) => async (state: TState) => {
      seen.push({ node, state });
      const next = tape[at++] ?? rest;
      if (next === 'throw') throw new Error(`${node} threw`);
      return next as object;
    };
    const handlers = Object.fromEntries(nodes.map((node) => [node, handler(node)]));
    const workflow = defineWorkflow({ machine, nodes: handlers as never, ...(engine ? { engine } : {}) });
    return { workflow: workflow as never, seen };
  };

  const drive = async (tape: readonly unknown[], engine?: 'xstate') => {
    const { workflow, seen } = taped(tape, engine);
    const result = await createRuntime({ limits: { nodeVisits: 25 } }).start(workflow, input).result;
    return { engine: engineOf(workflow).engine, seen, result: JSON.parse(JSON.stringify(result)) };
  };

  return {
    workflow: taped,
    async expectSameOnEveryEngine(tape) {
      const [table, xstate] = await Promise.all([drive(tape), drive(tape, 'xstate')]);
      expect([table.engine, xstate.engine]).toEqual(['table', 'xstate']);
      expect(table.seen).toEqual(xstate.seen);
      expect(table.result).toEqual(xstate.result);
      if (table.result.status !== 'done') return; // past the limit of visits a live actor would go on for ever
      const { workflow, seen } = taped(tape);
      const actor = createActor(workflow.machine, { input: input as never }).start();
      const output = await toPromise(actor);
      expect({ seen, value: actor.getSnapshot().value, output: JSON.parse(JSON.stringify(output)) }).toEqual({
        seen: table.seen,
        value: table.result.finalState,
        output: table.result.output,
      });
    },
  };
}
