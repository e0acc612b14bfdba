import { createRuntime, defineMachine, defineWorkflow, schemaState } from 'agent-machines';
import { z } from 'zod';

const state = schemaState(z.object({ topic: z.string(), text: z.string().default('') }), { events: { APPROVE: null, REVISE: null } });
const machine = defineMachine(state, {
  id: 'blog',
  initial: 'write',
  output: ({ text }) => text,
  states: {
    write: { node: 'write', done: 'review', error: 'failed' },
    review: { waiting: { APPROVE: 'publish', REVISE: 'write' } },
    publish: { node: 'publish', done: 'published', error: 'failed' },
    published: { final: true },
    failed: { final: 'failure' },
  },
});
const write = async ({ topic }: { topic: string }) => ({ text: `${topic} hold hands.` });
const questions = { review: ({ text }: { text: string }) => `Publish "${text}"?` };
const blog = defineWorkflow({ machine, nodes: { write, publish: async () => ({}) }, questions });

const runtime = createRuntime();
const run = runtime.start(blog, { topic: 'Otters' });
const asked = await run.result;
if (asked.status !== 'waiting' || !asked.interrupt) throw new Error(asked.status);
console.log(asked.interrupt.question);
const end = await (await runtime.send(run, { type: 'APPROVE' }, { interruptId: asked.interrupt.id })).result;
if (end.status === 'done') console.log(end.output);
