// What is deployed: a model writes a text, and a human approves it.
import { defineMachine, defineWorkflow, schemaState } from 'agent-machines';
import { askModel } from 'agent-machines/models';
import { openaiModel } from 'agent-machines/models/openai';
import { defineApp } from 'agent-machines/server';
import { z } from 'zod';

const model = openaiModel({ model: process.env.MODEL ?? 'gpt-5', apiKey: process.env.OPENAI_API_KEY ?? 'none' });
const state = schemaState(z.object({ topic: z.string(), text: z.string().default('') }), { events: { APPROVE: null } });

const publish = defineWorkflow({
  machine: defineMachine(state, {
    id: 'publish',
    version: '1',
    initial: 'write',
    output: ({ text }) => text,
    states: {
      write: { node: 'write', done: 'review', error: 'failed' },
      review: { waiting: { APPROVE: 'published' } },
      published: { final: true },
      failed: { final: 'failure' },
    },
  }),
  nodes: {
    write: async ({ topic }, io) => {
      const messages = [{ role: 'user', content: `Write a sentence about ${topic}.` }] as const;
      return { text: (await askModel(model, { task: 'publish.write', messages }, { io, stream: true })).text };
    },
  },
  questions: { review: ({ text }) => text },
});

// biome-ignore lint/style/noDefaultExport: `serve --app` looks for it
export default defineApp({ workflows: [publish], model });
