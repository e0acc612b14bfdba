import { append, createRuntime, defineMachine, defineWorkflow, schemaState } from 'agent-machines';
import { z } from 'zod';

const state = schemaState(z.object({ topic: z.string(), text: z.string().default(''), remarks: z.array(z.string()).default([]) }), {
  reducers: { remarks: append },
  events: { APPROVE: null, REVISE: z.object({ remark: z.string().min(1) }) },
  onEvent: { REVISE: (_draft, { remark }) => ({ remarks: [remark] }) },
});

const publish = defineWorkflow({
  machine: defineMachine(state, {
    id: 'publish',
    version: '1',
    initial: 'write',
    output: ({ text }) => text,
    states: {
      write: { node: 'write', done: 'review', error: 'failed' },
      review: { waiting: { APPROVE: 'published', REVISE: 'write' }, after: { 86400000: 'failed' } },
      published: { final: true },
      failed: { final: 'failure' },
    },
  }),
  nodes: { write: async ({ topic, remarks }) => ({ text: [`About ${topic}.`, ...remarks].join(' ') }) },
});

const first = await createRuntime().start(publish, { topic: 'otters' }).result;
console.log(first.status); // waiting
