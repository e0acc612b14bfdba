// Two nodes at the same time, then one that reads what both have found.
import { append, createRuntime, defineMachine, defineWorkflow, schemaState } from 'agent-machines';
import { z } from 'zod';

const schema = z.object({ topic: z.string(), notes: z.array(z.string()).default([]), summary: z.string().default('') });
const state = schemaState(schema, { reducers: { notes: append } }); // both add to it: neither overwrites the other

const survey = defineWorkflow({
  machine: defineMachine(state, {
    id: 'survey',
    initial: 'search',
    output: ({ summary }) => summary,
    states: {
      search: { nodes: ['web', 'archive'], done: 'summarize', error: '#survey.failed' },
      summarize: { node: 'summarize', done: 'done', error: 'failed' },
      done: { final: true },
      failed: { final: 'failure' },
    },
  }),
  nodes: {
    web: async ({ topic }) => ({ notes: [`${topic} hold hands`] }),
    archive: async ({ topic }) => ({ notes: [`${topic} use tools`] }),
    summarize: async ({ notes }) => ({ summary: notes.toSorted().join(', and ') }),
  },
});

const result = await createRuntime().start(survey, { topic: 'otters' }).result;
if (result.status === 'done') console.log(result.output);
