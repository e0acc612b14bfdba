import { Mastra } from '@mastra/core';
import { createStep, createWorkflow } from '@mastra/core/workflows';
import { z } from 'zod';

const Post = z.object({ topic: z.string(), text: z.string().default('') });
const step = (id, execute, more) => createStep({ id, inputSchema: Post, outputSchema: Post, execute, ...more });
const write = step('write', async ({ inputData: { topic } }) => ({ topic, text: `${topic} hold hands.` }));
const review = step(
  'review',
  async ({ inputData, resumeData, suspend }) => (resumeData ? inputData : suspend({ question: `Publish "${inputData.text}"?` })),
  { suspendSchema: z.object({ question: z.string() }), resumeSchema: z.object({ answer: z.literal('APPROVE') }) },
);
const publish = step('publish', async ({ inputData }) => inputData);
const blog = createWorkflow({ id: 'blog', inputSchema: Post, outputSchema: Post }).then(write).then(review).then(publish).commit();

const run = await new Mastra({ workflows: { blog }, logger: false }).getWorkflow('blog').createRun();
const asked = await run.start({ inputData: { topic: 'Otters' } });
console.log(asked.steps.review.suspendPayload.question);
console.log((await run.resume({ step: 'review', resumeData: { answer: 'APPROVE' } })).result.text);
