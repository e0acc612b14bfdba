// Checked by `tsc --noEmit`: what must not compile is as much a promise as what must.
import { defineState, defineWorkflow, type Workflow } from 'agent-machines';
import { setup } from 'xstate';
import { z } from 'zod';

interface S {
  readonly n: number;
  readonly log: readonly string[];
}
const kit = defineState<S, { n: number }, number, { type: 'GO' }>();
const base = setup({
  types: kit.types,
  actors: { a: kit.slot('a') },
  guards: kit.guards({ big: ({ n }) => n > 3 }),
  actions: { merge: kit.merge },
});
const machine = base.createMachine({
  context: ({ input }) => ({ n: input.n, log: [] }),
  initial: 'a',
  output: ({ context }) => context.n,
  states: {
    a: { invoke: { src: 'a', input: ({ context }) => context, onDone: { target: 'b', guard: 'big', actions: 'merge' } } },
    b: { type: 'final' },
  },
});

export const workflow: Workflow<{ n: number }, S, number> = defineWorkflow({
  machine,
  nodes: { a: async (state) => ({ n: state.n + 1 }) },
});

defineWorkflow({
  machine,
  nodes: { a: async () => ({ n: 1 }) },
  returns: { a: z.object({ n: z.literal(1), log: z.array(z.string()).optional() }) },
});
// @ts-expect-error a schema for a node that the machine does not have
defineWorkflow({ machine, nodes: { a: async () => ({ n: 1 }) }, returns: { c: z.object({ n: z.literal(1) }) } });
// @ts-expect-error a schema of values that the state cannot hold
defineWorkflow({ machine, nodes: { a: async () => ({ n: 1 }) }, returns: { a: z.object({ n: z.string() }) } });

// @ts-expect-error a guard that setup does not declare
base.createMachine({ context: { n: 1, log: [] }, initial: 'a', states: { a: { on: { GO: { target: 'a', guard: 'bigg' } } } } });
// @ts-expect-error an actor that setup does not declare
base.createMachine({ context: { n: 1, log: [] }, initial: 'a', states: { a: { invoke: { src: 'zz', input: ({ context }) => context } } } });
// @ts-expect-error a node's input is the state
base.createMachine({ context: { n: 1, log: [] }, initial: 'a', states: { a: { invoke: { src: 'a' } } } });
// @ts-expect-error a node is missing
defineWorkflow({ machine, nodes: {} });
// @ts-expect-error a node that the machine does not have
defineWorkflow({ machine, nodes: { a: async () => ({}), c: async () => ({}) } });
// @ts-expect-error a patch of another type
defineWorkflow({ machine, nodes: { a: async () => ({ n: 'x' }) } });
// @ts-expect-error a field that the state does not have
defineWorkflow({ machine, nodes: { a: async (state) => ({ n: state.nope }) } });
// @ts-expect-error a state is read-only
defineWorkflow({ machine, nodes: { a: async (state) => ({ n: state.n++ }) } });
