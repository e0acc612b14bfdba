import { createRuntime, type HumanEvent, type Run, WorkflowError } from 'agent-machines';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { publishing } from './workflow.ts';

const workflow = publishing({
  write: async (topic, remarks) => [`About ${topic}.`, ...remarks].join(' '),
  publish: async (text) => {
    console.log(`published: ${text}`);
    return 'https://example.com/otters';
  },
});
const runtime = createRuntime({ store: sqliteStore({ path: 'runs.db' }), workflows: [workflow] });

/** Answers a run: a question of the workflow about the text, or the runtime's question about a call in doubt. */
async function tell(run: Run<unknown>, answer: string): Promise<Run<unknown>> {
  const asked = await run.result;
  if (asked.status === 'waiting' && asked.interrupt) {
    const event: HumanEvent = answer === 'APPROVE' ? { type: answer } : { type: 'REVISE', remark: answer };
    return runtime.send(run.id, event, { interruptId: asked.interrupt.id });
  }
  const [call] = asked.status === 'in_doubt' ? asked.calls : [];
  if (!call) return run;
  if (answer === 'RETRY') return runtime.resolve(run.id, call.callId, { as: 'retry' });
  return runtime.resolve(run.id, call.callId, answer === 'ABORT' ? { as: 'abort' } : { as: 'done', output: answer });
}

try {
  const answer = process.argv[2];
  const open = (await runtime.list()).find(({ status }) => !['done', 'failed', 'cancelled'].includes(status));
  let run = open ? await runtime.resume(open.id) : runtime.start(workflow, { topic: 'otters' });
  if (answer !== undefined && open) run = await tell(run, answer);
  else if (answer !== undefined) console.log(`no question is open, so "${answer}" is ignored`);
  for await (const event of run.events()) {
    if (event.type === 'edge') console.log(`${event.from} → ${event.to}`);
  }
  const result = await run.result;
  if (result.status === 'waiting') console.log(`"${result.interrupt?.question}"\nnpm start -- APPROVE, or npm start -- "what to change"`);
  if (result.status === 'in_doubt') console.log('Was it published?\nnpm start -- "its address", npm start -- RETRY, or npm start -- ABORT');
  if (result.status === 'failed') {
    console.error(`failed: ${result.error.code}: ${result.error.message}`);
    process.exitCode = 1;
  }
} catch (error) {
  if (!WorkflowError.isInstance(error)) throw error;
  console.error(`${error.message}\n${error.hint ?? ''}`);
  process.exitCode = 1;
} finally {
  await runtime.close();
}
