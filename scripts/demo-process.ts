// The process of the demo that is killed: five slow calls, each noted in a file when it is made.
// usage: demo-process.ts DATABASE EFFECTS [RUN to resume]
import { appendFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { createRuntime } from 'agent-machines';
import { type PlanExecuteRuleInputs, planExecute } from 'agent-machines/machines/plan-execute';
import { offlineModel } from 'agent-machines/models';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { defineTool } from 'agent-machines/tools';
import { z } from 'zod';

const [, , path = '', effects = '', runId] = process.argv;

const addOne = defineTool({
  name: 'add_one',
  description: 'Adds one, slowly.',
  access: 'write',
  effect: 'idempotent',
  input: z.strictObject({ number: z.string() }),
  async execute({ number }, { signal }) {
    appendFileSync(effects, `${number}+1\n`);
    await pause(150, undefined, { signal });
    return String(Number(number) + 1);
  },
});
const steps = [1, 2, 3, 4, 5].map((step_id) => ({
  step_id,
  tool: 'add_one',
  ...(step_id === 1 ? { input: '0' } : { input_from: `step_${step_id - 1}` }),
}));
const model = offlineModel<PlanExecuteRuleInputs>({
  'plan_execute.intent_classifier': () => ({
    intent: 'new_question',
    rewritten_query: 'count to five',
    needs_tool: true,
    constraints: null,
  }),
  'plan_execute.planner': () => ({ steps }),
  'plan_execute.final_answer': ({ ruleInput }) => `I have counted to ${ruleInput.pastSteps.at(-1)?.output}.`,
});

const store = sqliteStore({ path });
const workflow = planExecute({ model, tools: [addOne] });
const runtime = createRuntime({ store, workflows: [workflow] });
const run = runId === undefined ? runtime.start(workflow, { input: 'count to five' }) : await runtime.resume(runId);
for await (const event of run.events()) process.stdout.write(`${JSON.stringify(event)}\n`);
process.stdout.write(`${JSON.stringify({ type: 'result', ...(await run.result) })}\n`);
await store.close();
