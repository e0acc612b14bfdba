// A platform that stops processes between requests: each request has a runtime of its own, and a cron route resumes what is due.
import { createRuntime, defineMachine, defineWorkflow, type HumanEvent, type RunStore, type Runtime, schemaState } from 'agent-machines';
import { z } from 'zod';

const state = schemaState(z.object({ topic: z.string(), text: z.string().default('') }), { events: { APPROVE: null } });

export const publish = defineWorkflow({
  machine: defineMachine(state, {
    id: 'publish',
    version: '1',
    initial: 'write',
    output: ({ text }) => text,
    states: {
      write: { node: 'write', done: 'review', error: 'failed' },
      review: { waiting: { APPROVE: 'published' }, after: { 86400000: 'expired' } },
      published: { final: true },
      expired: { final: 'failure' },
      failed: { final: 'failure' },
    },
  }),
  nodes: { write: async ({ topic }) => ({ text: `About ${topic}.` }) },
});

/** One for each request, closed at its end. `leaseMs` is how long the cron route waits for a run whose process was stopped. */
export const runtimeOn = (store: RunStore): Runtime => createRuntime({ store, workflows: [publish], leaseMs: 5_000 });

/** `POST /runs`: drives the run until it ends or waits. A repeated request with the same id starts nothing new. */
export async function startRun(runtime: Runtime, runId: string, topic: string): Promise<object> {
  const result = await runtime.start(publish, { topic }, { runId }).result;
  await runtime.close();
  return result;
}

/** `POST /queue`: only stores the run. The cron route drives it. */
export async function enqueueRun(runtime: Runtime, runId: string, topic: string): Promise<void> {
  await runtime.start(publish, { topic }, { runId, drive: false }).result;
  await runtime.close();
}

/** `POST /runs/:id/answer` */
export async function answerRun(runtime: Runtime, runId: string, interruptId: string, event: HumanEvent): Promise<object> {
  const run = await runtime.send(runId, event, { interruptId });
  const result = await run.result;
  await runtime.close();
  return result;
}

/** `GET /cron`, every minute: resumes stopped and queued runs, and those whose timer is due. Returns their ids. */
export async function resumeDue(runtime: Runtime): Promise<readonly string[]> {
  const { taken } = await runtime.recover({ limit: 10 });
  await runtime.close({ drainMs: 20_000 }); // hands over what takes longer
  return taken.map(({ run }) => run.id);
}
