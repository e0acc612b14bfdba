import {
  type ChatMessage,
  type ChatModel,
  type ChatReply,
  type ChatRequest,
  createRuntime,
  type ModelToolCall,
  type Tool,
} from 'agent-machines';
import { planExecute } from 'agent-machines/machines/plan-execute';
import { type Script, scriptedModel } from 'agent-machines/models';
import { toModelTools } from 'agent-machines/tools';
import { addExchange, noTokens, type TokenCount } from './count-tokens.ts';
import { answer, describedTools, type LookUp, lookUps, question, type Shape } from './look-ups.ts';

export type TokenVariant = 'plan-execute' | 'ReAct';

const tool = 'web_search';

/** Has a task done by scripted replies, and counts what went back and forth. */
export async function measureTokens(variant: TokenVariant, calls: number, shape: Shape): Promise<TokenCount> {
  const looked = lookUps(calls, shape);
  return variant === 'ReAct' ? react(looked, shape) : plan(looked, shape);
}

async function plan(looked: readonly LookUp[], shape: Shape): Promise<TokenCount> {
  const input = question(looked, shape);
  const steps = looked.map(({ query }, index) =>
    shape === 'independent' || index === 0
      ? { step_id: index + 1, tool, input: query }
      : { step_id: index + 1, tool, input_from: { query: `step_${index}#/results/0/title` } },
  );
  const script = scriptedModel([
    { reply: { intent: 'new_question', rewritten_query: input, needs_tool: true, constraints: null } },
    { reply: { steps } },
    { reply: answer(looked) },
  ] as Script);
  const counted = counting(script);
  const result = await createRuntime().start(planExecute({ model: counted.model, tools: describedTools(looked) }), { input }).result;
  script.assertConsumed();
  const found = result.status === 'done' ? result.output.pastSteps.map(({ output }) => output) : [];
  if (JSON.stringify(found) !== JSON.stringify(looked.map(({ output }) => output)))
    throw new Error(`plan-execute: ${JSON.stringify(result)}`);
  return counted.count();
}

/** The loop as it is usually written: all that is known to be needed is called at once, and every request has all messages and tools. */
async function react(looked: readonly LookUp[], shape: Shape): Promise<TokenCount> {
  const tools = describedTools(looked);
  const rounds = shape === 'independent' ? [looked] : looked.map((one) => [one]);
  const script = scriptedModel([
    ...rounds.map((round) => ({ reply: { toolCalls: round.map(({ query }) => ({ name: tool, arguments: { query } })) } })),
    { reply: answer(looked) },
  ]);
  const { model, count } = counting(script);
  const messages: ChatMessage[] = [
    {
      role: 'system',
      content:
        "Answer the user in the user's language, from the results of your tools. Name the source of what you take from one. What you do not know, you say so.",
    },
    { role: 'user', content: question(looked, shape) },
  ];
  for (;;) {
    const { text, toolCalls } = await model.generate({ task: 'react', messages, tools: toModelTools(tools) });
    if (toolCalls.length === 0) break;
    messages.push({ role: 'assistant', content: text, toolCalls });
    for (const call of toolCalls) messages.push({ role: 'tool', callId: call.id, content: JSON.stringify(await outputOf(call, tools)) });
  }
  script.assertConsumed();
  return count();
}

const outputOf = ({ name, arguments: args }: ModelToolCall, tools: readonly Tool[]): Promise<unknown> =>
  tools
    .find((tool) => tool.name === name)
    ?.execute(JSON.parse(args), { signal: new AbortController().signal, idempotencyKey: '', attempt: 1 }) ??
  Promise.reject(new Error(`${name} does not exist.`));

function counting(script: ChatModel): { readonly model: ChatModel; readonly count: () => TokenCount } {
  let count = noTokens;
  return {
    model: {
      name: 'counting',
      async generate(request: ChatRequest): Promise<ChatReply> {
        const reply = await script.generate(request);
        count = addExchange(count, request, reply);
        return reply;
      },
    },
    count: () => count,
  };
}
