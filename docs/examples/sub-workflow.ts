// A whole workflow as a node of another: what it asks is asked by the outer run.
import { createRuntime, defineMachine, defineWorkflow, schemaState, subWorkflow } from 'agent-machines';
import { z } from 'zod';

const consent = schemaState(z.object({ question: z.string() }), { events: { YES: null, NO: null } });
const asking = defineWorkflow({
  machine: defineMachine(consent, {
    id: 'asking',
    initial: 'ask',
    states: { ask: { waiting: { YES: 'agreed', NO: 'refused' } }, agreed: { final: true }, refused: { final: true } },
  }),
  nodes: {},
  questions: { ask: ({ question }) => question },
});

const order = schemaState(z.object({ item: z.string(), agreed: z.boolean().default(false) }));
const ordering = defineWorkflow({
  machine: defineMachine(order, {
    id: 'ordering',
    initial: 'consent',
    guards: { agreed: ({ agreed }) => agreed },
    output: ({ item, agreed }) => `${item}: ${agreed}`,
    states: {
      consent: { node: 'consent', done: [{ guard: 'agreed', target: 'ordered' }, 'dropped'], error: 'failed' },
      ordered: { final: true },
      dropped: { final: true },
      failed: { final: 'failure' },
    },
  }),
  nodes: {
    consent: subWorkflow(asking, {
      toInput: ({ item }) => ({ question: `Order ${item}?` }),
      toPatch: ({ finalState, failure }) => {
        if (failure) throw new Error(failure.message); // else a failure inside would be none outside
        return { agreed: finalState === 'agreed' };
      },
    }),
  },
});

const runtime = createRuntime();
const run = runtime.start(ordering, { item: 'a chair' });
const first = await run.result;
if (first.status === 'waiting' && first.interrupt) {
  console.log(first.interrupt.key, first.interrupt.question); // consent#1/ask#1 Order a chair?
  const answered = await runtime.send(run.id, { type: 'YES' }, { interruptId: first.interrupt.id });
  console.log(await answered.result); // { status: 'done', finalState: 'ordered', output: 'a chair: true' }
}
