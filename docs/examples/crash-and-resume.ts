// Run it twice: the first process dies in the middle, the second goes on from there.
import { existsSync } from 'node:fs';
import { createRuntime, defineMachine, defineWorkflow, schemaState } from 'agent-machines';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { z } from 'zod';

const isSecond = existsSync('articles.db');
const state = schemaState(z.object({ topic: z.string(), draft: z.string().default(''), text: z.string().default('') }));
const article = defineWorkflow({
  machine: defineMachine(state, {
    id: 'article',
    initial: 'draft',
    output: ({ text }) => text,
    states: {
      draft: { node: 'draft', done: 'edit', error: 'failed' },
      edit: { node: 'edit', done: 'written', error: 'failed' },
      written: { final: true },
      failed: { final: 'failure' },
    },
  }),
  nodes: {
    draft: async ({ topic }) => {
      console.log('drafting');
      return { draft: `about ${topic}` };
    },
    edit: async ({ draft }) => {
      if (!isSecond) process.exit(1); // as a power cut would
      console.log('editing');
      return { text: draft.toUpperCase() };
    },
  },
});

const runtime = createRuntime({ store: sqliteStore({ path: 'articles.db' }), workflows: [article] });
const { taken } = await runtime.recover(); // whatever nobody is at work on
const run = taken[0]?.run ?? runtime.start(article, { topic: 'otters' });
console.log(await run.result);
await runtime.close();
