// Two tools that a node calls itself: typed, journaled, and made once even if the process dies in between.
import { createRuntime, defineMachine, defineWorkflow, schemaState } from 'agent-machines';
import { callTool, defineTool, tryTool } from 'agent-machines/tools';
import { z } from 'zod';

const pay = defineTool({
  name: 'pay',
  description: 'Pays an amount.',
  access: 'send',
  input: z.strictObject({ euros: z.int().positive() }),
  execute: async ({ euros }) => ({ receipt: `receipt of ${euros} euros` }),
});
const notify = defineTool({
  name: 'notify',
  description: 'Sends a message to the customer.',
  access: 'send',
  effect: 'idempotent',
  input: z.strictObject({ text: z.string() }),
  execute: async () => {
    throw new Error('The mail server is down.');
  },
});

const state = schemaState(z.object({ euros: z.number(), receipt: z.string().default(''), remark: z.string().default('') }));
const order = defineWorkflow({
  machine: defineMachine(state, {
    id: 'order',
    initial: 'pay',
    output: ({ receipt, remark }) => `${receipt}, ${remark}`,
    states: { pay: { node: 'pay', done: 'paid', error: 'failed' }, paid: { final: true }, failed: { final: 'failure' } },
  }),
  nodes: {
    pay: async ({ euros }, io) => {
      const { output } = await callTool(pay, io, { euros }); // throws: the node takes its error edge
      const told = await tryTool(notify, io, { text: output.receipt }); // success, failure or held
      return { receipt: output.receipt, remark: told.status === 'failure' ? told.error.message : told.status };
    },
  },
});

const result = await createRuntime().start(order, { euros: 5 }).result;
console.log(result.status === 'done' ? result.output : result);
