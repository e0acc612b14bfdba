import { atMost, calls, contains, defineEval, never, trajectory } from 'agent-machines/evals';
import { toolAgent } from 'agent-machines/machines/tool-agent';
import { calculator, getCurrentDatetime } from 'agent-machines/tools';
import { sumCases } from './sum-cases.ts';

export default defineEval({
  name: 'tool-agent: sums without a model',
  workflow: () => toolAgent({ tools: [calculator(), getCurrentDatetime()] }),
  cases: sumCases,
  graders: [
    contains((output: { readonly answer: string }) => output.answer.replaceAll(/(?<=\d),(?=\d{3})/g, '')),
    trajectory(['agent -> tools', 'tools -> agent', 'agent -> done']),
    calls('calculator', { min: 1, max: 1 }),
    calls('get_current_datetime', { max: 0 }),
    never('tools -> tool_review'),
    atMost('steps', 3),
  ],
});
