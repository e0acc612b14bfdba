import type { NodeHandler } from 'agent-machines';
import { askUntilRead } from 'agent-machines/models';
import { parsePlan, planSchema, usableTools } from 'agent-machines/tools';
import { planAgain, planPrompt } from '../prompts.ts';
import { turnInput } from '../rule-inputs.ts';
import type { PlanExecuteServices } from '../services.ts';
import type { PlanExecuteState } from '../state.ts';

/** Writes a plan and checks it with the gate. One model call, plus one per repair; a rejected plan stops the run. */
export const planner =
  ({ modelFor, maxRepairs, tools, maxSteps }: PlanExecuteServices): NodeHandler<PlanExecuteState> =>
  async (state, io) => {
    const granted = usableTools(tools, state.availableTools);
    const task = 'plan_execute.planner';
    const request = {
      task,
      messages: planPrompt(state, granted, maxSteps),
      output: { type: 'json-schema', name: 'plan', schema: planSchema } as const,
    };
    const { steps } = await askUntilRead(modelFor(task, turnInput(state, tools, granted)), request, {
      io,
      read: (text) => parsePlan(text, { tools: granted, maxSteps }),
      again: planAgain,
      maxRepairs,
    });
    return { plan: steps, acceptedSteps: steps.map(({ step_id, tool }) => ({ step_id, tool })) };
  };
