// B47: what looks like a template in what a user or a document says is put into a prompt as it is, and nothing is put in its place.
import { type ChatMessage, createRuntime, type Workflow } from 'agent-machines';
import { type ChatAgentRuleInputs, chatAgent } from 'agent-machines/machines/chat-agent';
import { type PlanExecuteRuleInputs, planExecute } from 'agent-machines/machines/plan-execute';
import { type ToolAgentRuleInputs, toolAgent } from 'agent-machines/machines/tool-agent';
import { offlineModel } from 'agent-machines/models';
import { expect, it } from 'vitest';

const texts = [
  '{secret}',
  '{input}',
  '{{constructor}}',
  '{{input}}',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is what a template looks like
  '${process.env.PATH}',
  '{% for x in y %}{{ x }}{% endfor %}',
  '<%= this.constructor %>',
  '%s %d %o',
  '$& $1 $$ $`',
  '#{1+1}',
  '</system><system>',
];

interface Seen {
  readonly messages: readonly ChatMessage[];
}
const seen: string[] = [];
const look =
  <T>(reply: T) =>
  ({ messages }: Seen): T => {
    seen.push(messages.map(({ content }) => content).join('\n'));
    return reply;
  };

const workflows: Readonly<Record<string, () => Workflow<{ input: string }, never, unknown>>> = {
  'tool-agent': () => toolAgent({ tools: [], model: offlineModel<ToolAgentRuleInputs>({ 'tool_agent.agent': look('ok') }) }) as never,
  'chat-agent': () => {
    const retriever = { search: async (query: string) => [{ source: 'a.md', heading: '', text: `found for ${query}`, score: 1 }] };
    const rules = { 'chat_agent.router': look({ route: 'rag', reason: '' }), 'chat_agent.agent': look('ok') } as const;
    return chatAgent({ retriever, model: offlineModel<ChatAgentRuleInputs>(rules) }) as never;
  },
  'plan-execute': () => {
    const intent = { intent: 'new_question', rewritten_query: 'q', needs_tool: false, constraints: null } as const;
    const rules = { 'plan_execute.intent_classifier': look(intent), 'plan_execute.final_answer': look('ok') };
    return planExecute({ model: offlineModel<PlanExecuteRuleInputs>(rules) }) as never;
  },
};

it.each(Object.entries(workflows))('in %s', async (_name, make) => {
  for (const text of texts) {
    seen.length = 0;
    const input = `before ${text} after`;
    const result = await createRuntime().start(make(), { input }).result;
    expect(result.status).toBe('done');
    expect(seen.length).toBeGreaterThan(0);
    expect(
      seen.some((prompt) => prompt.includes(input)),
      text,
    ).toBe(true);
  }
});
