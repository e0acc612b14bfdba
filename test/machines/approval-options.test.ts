// `allowTargets` and `privateInput` reach the executor of each workflow that calls tools.
import { type AnyWorkflow, createRuntime, memoryStore, type Tool } from 'agent-machines';
import { chatAgent } from 'agent-machines/machines/chat-agent';
import { createKnowledgeBase, type GuideAgentRuleInputs, guideAgent } from 'agent-machines/machines/guide-agent';
import { planExecute } from 'agent-machines/machines/plan-execute';
import { toolAgent } from 'agent-machines/machines/tool-agent';
import { offlineModel } from 'agent-machines/models';
import { describe, expect, it } from 'vitest';
import { answerAll } from '../fixtures/injected-world.ts';

interface Options {
  readonly tools: readonly Tool[];
  readonly allowTargets?: readonly string[];
  readonly privateInput?: boolean;
}
type Messages = readonly { readonly role: string }[];
const calls = (messages: Messages, last: string) =>
  messages.some(({ role }) => role === 'tool') ? last : { toolCalls: [{ name: 'mail', arguments: { text: 'kim@example.com' } }] };

const machines = {
  'tool-agent': (options: Options) =>
    toolAgent({ ...options, model: offlineModel({ 'tool_agent.agent': ({ messages }) => calls(messages, 'done') }) }),
  'chat-agent': (options: Options) =>
    chatAgent({
      ...options,
      model: offlineModel({
        'chat_agent.router': () => ({ route: 'agent', reason: '' }),
        'chat_agent.agent': ({ messages }) => calls(messages, 'done'),
      }),
    }),
  'plan-execute': (options: Options) =>
    planExecute({
      ...options,
      model: offlineModel({
        'plan_execute.intent_classifier': () => ({ intent: 'new_question', rewritten_query: 'q', needs_tool: true, constraints: null }),
        'plan_execute.planner': () => ({ steps: [{ step_id: 1, tool: 'mail', input: 'kim@example.com' }] }),
        'plan_execute.final_answer': () => 'done',
      }),
    }),
  'guide-agent': (options: Options) =>
    guideAgent({
      ...options,
      knowledge: createKnowledgeBase([], [], { isPrivate: false }),
      model: offlineModel<GuideAgentRuleInputs>({
        'guide_agent.llm_router': () => ({ is_complex_task: true, reason: '' }),
        'guide_agent.planning_node': () => ({ sub_tasks: ['a', 'b'] }),
        'guide_agent.recommend_tool_node': ({ messages, ruleInput }) =>
          ruleInput.currentTask === 0 ? calls(messages, 'nothing') : 'nothing',
        'guide_agent.guide_generation_node': () => 'a guide',
        'guide_agent.reflection_node': () => ({ memories: [] }),
      }),
    }),
} as const;
const names = ['tool-agent', 'chat-agent', 'plan-execute', 'guide-agent'] as const;

const mail = (sent: unknown[]): Tool => ({
  name: 'mail',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'], additionalProperties: false },
  effect: 'idempotent',
  capabilities: { private: false, untrusted: false, external: true },
  targets: ({ text }) => [String(text)],
  execute: async ({ text }) => sent.push(text),
});

/** The taint of the thread after a run, and how often a human was asked about a call. */
async function asked(name: (typeof names)[number], input: string, options: Omit<Options, 'tools'>) {
  const sent: unknown[] = [];
  const workflow = machines[name]({ ...options, tools: [mail(sent)] });
  const store = memoryStore();
  const runtime = createRuntime({ store, workflows: [workflow as never] });
  const run = runtime.start<AnyWorkflow>(workflow as never, { input }, { threadId: 't' });
  let result = await run.result;
  if (name === 'guide-agent' && result.status === 'waiting' && result.interrupt) {
    result = await (await runtime.send(run.id, { type: 'APPROVE' }, { interruptId: result.interrupt.id })).result;
  }
  const { asked } = await answerAll(runtime, run.id, result, ['APPROVE'], []);
  const thread = (await store.readThread('t'))?.state as { readonly taint?: unknown } | undefined;
  return { asked, sent: sent.length, taint: thread?.taint };
}

describe.each(names)('%s', (name) => {
  it('asks about an external call if the user’s own words are private, unless the target is allowed', async () => {
    const held = await asked(name, 'do it', { privateInput: true });
    const allowed = await asked(name, 'do it', { privateInput: true, allowTargets: ['*@example.com'] });
    expect([held, allowed]).toMatchObject([
      { asked: 1, sent: 1, taint: { private: true, user: false } },
      { asked: 0, sent: 1, taint: { private: true, user: false } },
    ]);
  });

  it('records personal data in the user’s words without asking', async () => {
    const mailed = await asked(name, 'write to kim@example.com', { allowTargets: ['*@example.com'] });
    expect(mailed).toMatchObject({ asked: 0, taint: { private: false, user: true } });
  });

  it('rejects an unreadable target before a run exists', () => {
    expect(() => machines[name]({ tools: [], allowTargets: ['*'] })).toThrowError(expect.objectContaining({ code: 'OPTION_INVALID' }));
  });
});
