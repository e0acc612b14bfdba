// A run waits for a human, and takes the answer to what it has asked: once.
import { createRuntime, defineMachine, defineWorkflow, type HumanEvent, type RunResult, schemaState } from 'agent-machines';
import { z } from 'zod';

const state = schemaState(z.object({ guests: z.number(), menu: z.string().default('') }), {
  events: { APPROVE: null, CHANGE: z.object({ menu: z.string().min(1) }) },
});

const dinner = defineWorkflow({
  machine: defineMachine(state, {
    id: 'dinner',
    initial: 'plan',
    output: ({ guests, menu }) => `${menu} for ${guests}`,
    states: {
      plan: { node: 'plan', done: 'review', error: 'failed' },
      review: { waiting: { APPROVE: 'planned', CHANGE: { target: 'review', reenter: true } }, after: { 86400000: 'failed' } },
      planned: { final: true },
      failed: { final: 'failure' },
    },
  }),
  nodes: { plan: async ({ guests }) => ({ menu: guests > 4 ? 'Soup' : 'Fish' }) },
  questions: { review: ({ menu }) => `${menu}?` }, // part of what the answer stands for
});

const runtime = createRuntime();
const run = runtime.start(dinner, { guests: 6 });

/** Answers what is asked now; the id says which question that was. */
async function answer(paused: RunResult<unknown>, event: HumanEvent): Promise<RunResult<unknown>> {
  if (paused.status !== 'waiting' || !paused.interrupt) return paused;
  const { id, question, accepts } = paused.interrupt;
  console.log(question, accepts.join(' or '));
  return (await runtime.send(run.id, event, { interruptId: id })).result;
}

const changed = await answer(await run.result, { type: 'CHANGE', menu: 'Pie' });
console.log(await answer(changed, { type: 'APPROVE' }));
