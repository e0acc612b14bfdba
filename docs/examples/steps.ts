// What is repeated when a node is: `pure` and `idempotent` steps that have not succeeded, and never one that must happen once.
import { createRuntime, defineMachine, defineWorkflow, schemaState, WorkflowError, withAttempts } from 'agent-machines';
import { z } from 'zod';

const state = schemaState(z.object({ customer: z.string(), receipt: z.string().default('') }));
const machine = defineMachine(state, {
  id: 'order',
  initial: 'charge',
  output: ({ receipt }) => receipt,
  states: { charge: { node: 'charge', done: 'charged', error: 'failed' }, charged: { final: true }, failed: { final: 'failure' } },
});

let mails = 0;
const order = defineWorkflow({
  machine,
  nodes: {
    charge: withAttempts(
      async ({ customer }, io) => {
        const total = await io.step('total', async () => 42, { effect: 'pure' });
        const receipt = await io.step(
          'charge', // of this visit of the node, and the same after a restart
          async () => {
            console.log(`charging ${total} to ${customer}`);
            return `receipt of ${customer}`;
          },
          { effect: 'once', describe: { customer, total } }, // what a human is shown who has to say whether it has happened
        );
        await io.step('mail', async ({ idempotencyKey }) => {
          console.log(`mail ${++mails}, key of ${idempotencyKey.length} letters`);
          if (mails === 1) throw new WorkflowError({ code: 'FETCH_FAILED', message: 'The server is busy.', retryable: true });
          return null;
        });
        return { receipt };
      },
      { retry: { attempts: 3, firstDelayMs: 10 }, timeoutMs: 30_000 },
    ),
  },
});

const result = await createRuntime().start(order, { customer: 'Ada' }).result;
console.log(result.status === 'done' ? result.output : result);
