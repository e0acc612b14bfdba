import { append, defineMachine, defineWorkflow, schemaState } from 'agent-machines';
import { z } from 'zod';

/** External services of the workflow: a language model and a publisher, or fakes of them. */
export interface Services {
  write(topic: string, remarks: readonly string[]): Promise<string>;
  /** @returns the published address. */
  publish(text: string): Promise<string>;
}

const draft = z.object({
  topic: z.string(),
  text: z.string().default(''),
  address: z.string().default(''),
  remarks: z.array(z.string()).default([]),
});

/** State of a run. */
export type Draft = z.output<typeof draft>;

const state = schemaState(draft, {
  reducers: { remarks: append },
  events: { APPROVE: null, REVISE: z.object({ remark: z.string().min(1) }) },
  onEvent: { REVISE: (_state, { remark }) => ({ remarks: [remark] }) },
});

/** Writes a text, asks a human until it is approved, and publishes it once. */
export const publishing = ({ write, publish }: Services) =>
  defineWorkflow({
    machine: defineMachine(state, {
      id: 'publishing',
      version: '1',
      initial: 'write',
      output: ({ address }) => address,
      states: {
        write: { node: 'write', done: 'review', error: 'failed' },
        review: { waiting: { APPROVE: 'publish', REVISE: 'write' } },
        publish: { node: 'publish', done: 'published', error: 'failed' },
        published: { final: true },
        failed: { final: 'failure' },
      },
    }),
    nodes: {
      write: async ({ topic, remarks }) => ({ text: await write(topic, remarks) }),
      publish: async ({ text }, io) => ({
        // not repeated after a crash: the call is then in doubt, and a human decides
        address: await io.step('publish', () => publish(text), { effect: 'once' }),
      }),
    },
    questions: { review: ({ text }) => text },
  });
