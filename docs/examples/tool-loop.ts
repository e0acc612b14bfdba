// A model calls tools inside one node until it has its answer.
import {
  type ChatMessage,
  type ChatModel,
  createRuntime,
  defineMachine,
  defineWorkflow,
  type ModelToolCall,
  schemaState,
} from 'agent-machines';
import { askModel, assistantMessage, scriptedModel } from 'agent-machines/models';
import { answerCalls, calculator, checkToolCall, defineTool, toModelTools } from 'agent-machines/tools';
import { z } from 'zod';

const price = defineTool({
  name: 'price',
  description: 'The price of one piece, in euros.',
  access: 'compute',
  input: z.strictObject({ item: z.string() }),
  execute: async ({ item }) => ({ item, euros: item.length }),
});
const tools = [price, calculator()];
const offer = toModelTools(tools);
const state = schemaState(z.object({ question: z.string(), answer: z.string().default('') }));
const machine = defineMachine(state, {
  id: 'shop',
  initial: 'agent',
  output: ({ answer }) => answer,
  states: { agent: { node: 'agent', done: 'answered', error: 'failed' }, answered: { final: true }, failed: { final: 'failure' } },
});

const shop = (model: ChatModel) =>
  defineWorkflow({
    machine,
    nodes: {
      agent: async ({ question }, io) => {
        const messages: ChatMessage[] = [{ role: 'user', content: question }];
        for (let round = 1; ; round++) {
          // a step, so that a restart goes through the same calls again, and makes none of them twice
          const reply = await io.step(`reply_${round}`, async () => {
            const answered = await askModel(model, { task: 'shop.agent', messages, tools: offer }, { io });
            return assistantMessage(answered); // with what the provider wants back
          });
          const { content, toolCalls = [] } = reply;
          if (toolCalls.length === 0) return { answer: content };
          messages.push(reply);
          const check = (call: ModelToolCall) => checkToolCall(call, { tools }); // refuses what no tool takes
          const { answers } = await answerCalls(toolCalls, { check, tools, io, keyPrefix: `${round}_` });
          messages.push(...answers.filter((answer) => answer !== null)); // `null`: it waits for a human, whom no node can ask
        }
      },
    },
  });

const model = scriptedModel([
  { reply: { toolCalls: [{ name: 'price', arguments: { item: 'apple' } }] } },
  { reply: { toolCalls: [{ name: 'calculator', arguments: { expression: '5 * 12' } }] } },
  { reply: 'A dozen apples are 60 euros.' },
]);
const run = createRuntime().start(shop(model), { question: 'What are twelve apples?' });
for await (const event of run.events()) if (event.type === 'tool-start') console.log(event.tool, event.args);
const result = await run.result;
if (result.status === 'done') console.log(result.output);
