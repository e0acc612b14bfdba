import { append, createRuntime, defineMachine, defineWorkflow, schemaState } from 'agent-machines';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { z } from 'zod';

const schema = z.object({
  topic: z.string(),
  notes: z.array(z.string()).default([]),
  text: z.string().default(''),
  score: z.number().default(0),
  address: z.string().default(''),
});
const state = schemaState(schema, {
  reducers: { notes: append },
  events: { APPROVE: null, REVISE: z.object({ remark: z.string().min(1) }) },
  onEvent: { REVISE: (_report, { remark }) => ({ notes: [remark] }) },
});

const report = defineWorkflow({
  machine: defineMachine(state, {
    id: 'report',
    version: '1',
    initial: 'research',
    guards: { isGood: ({ score }) => score > 50 },
    output: ({ address }) => address,
    states: {
      research: { nodes: ['web', 'archive'], done: 'write', error: '#report.failed' },
      write: { node: 'write', done: 'judge', error: 'failed' },
      judge: { node: 'judge', done: [{ guard: 'isGood', target: 'review' }, 'write'], error: 'failed' },
      review: { waiting: { APPROVE: 'publish', REVISE: 'write' }, after: { 86400000: 'failed' } },
      publish: { node: 'publish', done: 'published', error: 'failed' },
      published: { final: true },
      failed: { final: 'failure' },
    },
  }),
  nodes: {
    web: async ({ topic }) => ({ notes: [`${topic} hold hands while they sleep.`] }),
    archive: async ({ topic }) => ({ notes: [`${topic} keep a stone under the arm.`] }),
    write: async ({ text, notes }) => ({ text: text === '' ? 'A draft.' : notes.join(' ') }),
    judge: async ({ text }) => ({ score: text.length }),
    publish: async ({ text }, io) => {
      const upload = async () => `https://example.com/${text.length}`;
      return { address: await io.step('upload', upload, { effect: 'once', describe: { text } }) };
    },
  },
  questions: { review: ({ text }) => text },
});

const runtime = createRuntime({ store: sqliteStore({ path: 'reports.db' }), workflows: [report] });
const run = runtime.start(report, { topic: 'Otters' });
for await (const event of run.events()) if (event.type === 'edge') console.log(`${event.from} → ${event.to}`);
const paused = await run.result;
if (paused.status === 'waiting' && paused.interrupt) {
  console.log(paused.interrupt.question);
  const published = await runtime.send(run.id, { type: 'APPROVE' }, { interruptId: paused.interrupt.id });
  console.log(await published.result);
}
await runtime.close();
