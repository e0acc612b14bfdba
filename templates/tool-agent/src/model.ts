import type { ToolAgentRuleInputs } from 'agent-machines/machines/tool-agent';
import { offlineModel, returnedCalls } from 'agent-machines/models';
import { openaiModel } from 'agent-machines/models/openai';

/** Answers without a model: reads the number of the order, and calls one tool. */
export const rules = offlineModel<ToolAgentRuleInputs>({
  'tool_agent.agent': ({ ruleInput: { input, messages } }) => {
    const [returned] = returnedCalls(messages);
    if (returned) return `${returned.call.name}: ${returned.content}`;
    const order = Number(/\d+/.exec(input)?.[0]);
    if (!order)
      return 'By rules, I only answer questions about an order: "where is order 7?", "refund order 7". Set OPENAI_API_KEY for a model.';
    return { toolCalls: [{ name: /refund/i.test(input) ? 'refund' : 'order_status', arguments: { order } }] };
  },
});

/** OpenAI, or any server with its API (`OPENAI_BASE_URL`, such as http://localhost:11434/v1). Without both variables, the rules. */
export function chosenModel({ OPENAI_API_KEY: key, OPENAI_BASE_URL: baseURL, OPENAI_MODEL: model = 'gpt-5-mini' } = process.env) {
  if (key === undefined && baseURL === undefined) return rules;
  return openaiModel({ model, apiKey: key ?? 'none', ...(baseURL === undefined ? {} : { baseURL }) });
}
