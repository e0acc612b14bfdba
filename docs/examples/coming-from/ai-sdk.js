import { generateText, stepCountIs, tool } from 'ai';
import { z } from 'zod';
import { model } from './model.js'; // any model of the AI SDK

const publish = tool({
  description: 'Publishes a text.',
  inputSchema: z.object({ text: z.string() }),
  needsApproval: true,
  execute: async () => 'published',
});
const ask = (messages) => generateText({ model, tools: { publish }, messages, stopWhen: stepCountIs(5) });

const messages = [{ role: 'user', content: 'Write about otters, and publish it.' }];
const { content, response } = await ask(messages);
const { approvalId, toolCall } = content.find(({ type }) => type === 'tool-approval-request');
console.log(`Publish "${toolCall.input.text}"?`);
const approval = { type: 'tool-approval-response', approvalId, approved: true };
console.log((await ask([...messages, ...response.messages, { role: 'tool', content: [approval] }])).text);
