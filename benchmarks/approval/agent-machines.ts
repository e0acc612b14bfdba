import { createRuntime, defineMachine, defineWorkflow, outputOf, schemaState } from 'agent-machines';
import { postgresStore } from 'agent-machines/stores/postgres';
import { z } from 'zod';
import { newPool } from '../../test/system/postgres-server.ts';
import type { Peer, PeerOptions } from './peer.ts';

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

export const blogOf = (publish: PeerOptions['publish']) =>
  defineWorkflow({
    machine,
    nodes: {
      write: async ({ topic }) => ({ text: `${topic} hold hands while they sleep.` }),
      publish: async ({ text }, io) => {
        await io.step('upload', async () => publish(text), { effect: 'once' });
        return {};
      },
    },
  });

/** The program on this package. */
export async function open({ connectionString, publish, isPublished }: PeerOptions): Promise<Peer> {
  const pool = await newPool({ connectionString, max: 4 });
  const store = postgresStore({ pool });
  const blog = blogOf(publish);
  const runtime = createRuntime({ store, workflows: [blog] });
  const asked = new Map<string, string>();
  return {
    async start(id, topic) {
      const result = await runtime.start(blog, { topic }, { runId: id }).result;
      if (result.status !== 'waiting' || !result.interrupt) throw new Error(`It has not asked: ${result.status}`);
      asked.set(id, result.interrupt.id);
    },
    answer: async (id) => outputOf(await runtime.of(blog).send(id, { type: 'APPROVE' }, { interruptId: asked.get(id) ?? '' })),
    async recover(id) {
      const result = await (await runtime.of(blog).resume(id, { force: true })).result;
      // the package asks whether the call has happened; whoever answers looks it up
      for (const call of result.status === 'in_doubt' ? result.calls : [])
        await runtime.resolve(id, call.callId, isPublished() ? { as: 'done', output: null } : { as: 'retry' });
      return outputOf(await runtime.of(blog).resume(id));
    },
    async close() {
      await runtime.close();
      await store.close();
      await pool.end();
    },
  };
}
