import { calls, contains, defineEval, trajectory } from 'agent-machines/evals';
import { planExecute } from 'agent-machines/machines/plan-execute';
import { calculator } from 'agent-machines/tools';
import { sumCases } from './sum-cases.ts';

export default defineEval({
  name: 'plan-execute: sums without a model',
  workflow: () => planExecute({ tools: [calculator()] }),
  cases: sumCases,
  graders: [
    contains((output: { readonly answer: string }) => output.answer.replaceAll(/(?<=\d),(?=\d{3})/g, '')),
    calls('calculator', { min: 1, max: 1 }),
    trajectory(['intent_classifier -> planner', 'planner -> executor', 'executor -> final_answer', 'final_answer -> done']),
  ],
});
