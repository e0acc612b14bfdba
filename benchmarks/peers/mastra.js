import { Mastra } from '@mastra/core';
import { createStep, createWorkflow } from '@mastra/core/workflows';
import { PostgresStore } from '@mastra/pg';
import { z } from 'zod';

const Post = z.object({ topic: z.string(), text: z.string().default('') });

/** The program on Mastra. See `../approval/peer.ts`. */
export async function open({ connectionString, publish }) {
  const storage = new PostgresStore({ id: 'peers', connectionString });
  await storage.init();
  const step = (id, execute, more = {}) => createStep({ id, inputSchema: Post, outputSchema: Post, execute, ...more });
  const write = step('write', async ({ inputData }) => ({ ...inputData, text: `${inputData.topic} hold hands while they sleep.` }));
  const review = step('review', async ({ inputData, resumeData, suspend }) => (resumeData ? inputData : suspend({})), {
    suspendSchema: z.object({}),
    resumeSchema: z.object({ answer: z.literal('APPROVE') }),
  });
  const publishing = step('publish', async ({ inputData }) => {
    await publish(inputData.text);
    return inputData;
  });
  const blog = createWorkflow({ id: 'blog', inputSchema: Post, outputSchema: Post }).then(write).then(review).then(publishing).commit();
  const workflow = new Mastra({ workflows: { blog }, storage, logger: false }).getWorkflow('blog');
  const textOf = ({ status, result, error }) => {
    if (status !== 'success') throw new Error(`It ended as ${status}: ${error}`);
    return result.text;
  };
  const answer = async (id) => {
    const run = await workflow.createRun({ runId: id });
    return textOf(await run.resume({ step: 'review', resumeData: { answer: 'APPROVE' } }));
  };
  return {
    async start(id, topic) {
      const { status } = await (await workflow.createRun({ runId: id })).start({ inputData: { topic } });
      if (status !== 'suspended') throw new Error(`It has not asked: ${status}`);
    },
    answer,
    async recover(id) {
      const end = await (await workflow.createRun({ runId: id })).restart();
      return end.status === 'suspended' ? answer(id) : textOf(end); // what it had stored last may be the question
    },
    close: () => storage.close(),
  };
}
