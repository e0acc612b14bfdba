// Agents as tools of another one: they work at the same time, and what one of them asks is asked by the run.
import { createRuntime } from 'agent-machines';
import { toolAgent } from 'agent-machines/machines/tool-agent';
import { scriptedModel } from 'agent-machines/models';
import { asTool, calculator, defineTool } from 'agent-machines/tools';
import { z } from 'zod';

const order = defineTool({
  name: 'order',
  description: 'Orders something.',
  access: 'send',
  needsApproval: true,
  input: z.strictObject({ item: z.string() }),
  execute: async ({ item }) => `${item} is ordered`,
});
const counting = scriptedModel([{ reply: { toolCalls: [{ name: 'calculator', arguments: { expression: '6 * 2' } }] } }, { reply: '12' }]);
const buying = scriptedModel([
  { reply: { toolCalls: [{ name: 'order', arguments: { item: 'apples' } }] } },
  { reply: 'The apples are on their way.' },
]);
const counter = asTool(toolAgent({ model: counting, tools: [calculator()] }), { name: 'counter', description: 'Counts.' });
const buyer = asTool(toolAgent({ model: buying, tools: [order] }), { name: 'buyer', description: 'Buys things.' });
const leading = scriptedModel([
  {
    reply: {
      toolCalls: [
        { name: 'counter', arguments: { input: 'How many are two half dozens?' } },
        { name: 'buyer', arguments: { input: 'Buy apples.' } },
      ],
    },
  },
  { reply: 'Twelve apples are on their way.' },
]);
const lead = toolAgent({ model: leading, tools: [counter, buyer], instructions: 'You run a kitchen.' });

const runtime = createRuntime();
const run = runtime.start(lead, { input: 'Twelve apples, please.' });
const first = await run.result;
if (first.status === 'waiting' && first.interrupt) {
  console.log(first.interrupt.key); // tools#1/call_1#1/tool_review#1
  const answered = await (await runtime.send(run.id, { type: 'APPROVE' }, { interruptId: first.interrupt.id })).result;
  if (answered.status === 'done') console.log(answered.output);
}
