import { createRuntime } from 'agent-machines';
import { toolAgent } from 'agent-machines/machines/tool-agent';
import { scriptedModel } from 'agent-machines/models';
import { defineTool } from 'agent-machines/tools';
import { z } from 'zod';

const publish = defineTool({
  name: 'publish',
  description: 'Publishes a text.',
  access: 'send',
  input: z.object({ text: z.string() }),
  needsApproval: true,
  execute: async () => 'published',
});
// or openaiModel({ … }), or aiSdkModel(a model of the AI SDK)
const model = scriptedModel([
  { reply: { toolCalls: [{ name: 'publish', arguments: { text: 'Otters hold hands.' } }] } },
  { reply: 'It is published.' },
]);
const agent = toolAgent({ model, tools: [publish] });

const runtime = createRuntime();
const run = runtime.start(agent, { input: 'Write about otters, and publish it.' });
const asked = await run.result;
if (asked.status !== 'waiting' || !asked.interrupt) throw new Error(asked.status);
console.log(asked.interrupt.question);
const end = await (await runtime.send(run, { type: 'APPROVE' }, { interruptId: asked.interrupt.id })).result;
if (end.status === 'done') console.log(end.output.answer);
