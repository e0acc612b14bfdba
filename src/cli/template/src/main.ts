import { createRuntime, type HumanEvent } from 'agent-machines';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { publishing } from './publishing.ts';

const workflow = publishing({
  write: async (topic, remarks) => [`About ${topic}.`, ...remarks].join(' '),
  publish: async (text) => {
    console.log(`published: ${text}`);
    return 'https://example.com/otters';
  },
});
const runtime = createRuntime({ store: sqliteStore({ path: 'runs.db' }), workflows: [workflow] });

const answer = process.argv[2];
const [waiting] = await runtime.list({ status: 'waiting' });
let run = waiting ? await runtime.resume(waiting.id) : runtime.start(workflow, { topic: 'otters' });
const asked = await run.result;
if (answer !== undefined && asked.status === 'waiting' && asked.interrupt) {
  const event: HumanEvent = answer === 'APPROVE' ? { type: answer } : { type: 'REVISE', remark: answer };
  run = await runtime.send(run.id, event, { interruptId: asked.interrupt.id });
}
for await (const event of run.events()) {
  if (event.type === 'edge') console.log(`${event.from} → ${event.to}`);
}
const result = await run.result;
if (result.status === 'waiting') console.log(`"${result.interrupt?.question}"\nnpm start -- APPROVE, or npm start -- "what to change"`);
await runtime.close();
