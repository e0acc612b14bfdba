import type { NodeHandler } from 'agent-machines';
import { askUntilRead } from 'agent-machines/models';
import { noToolReview, parsePlan, planSchema, usableTools } from 'agent-machines/tools';
import { planAgain, replanPrompt } from '../prompts.ts';
import { turnInput } from '../rule-inputs.ts';
import type { PlanExecuteServices } from '../services.ts';
import type { PlanExecuteState } from '../state.ts';
import { toCompleted } from './executor.ts';

/** Replans the remaining work. One model call, plus one per repair; a rejected or empty plan stops the run. */
export const replanner =
  ({ modelFor, maxRepairs, tools, maxSteps }: PlanExecuteServices): NodeHandler<PlanExecuteState> =>
  async (state, io) => {
    const { acceptedSteps, pastSteps, plan, replanCount, availableTools, wave } = state;
    const granted = usableTools(tools, availableTools);
    const firstId = 1 + acceptedSteps.reduce((highest, { step_id }) => Math.max(highest, step_id), 0);
    const task = 'plan_execute.replanner';
    const request = {
      task,
      messages: replanPrompt(state, granted, maxSteps, firstId),
      output: { type: 'json-schema', name: 'plan', schema: planSchema } as const,
    };
    const { steps } = await askUntilRead(modelFor(task, { ...turnInput(state, tools, granted), firstId, wave, plan, pastSteps }), request, {
      io,
      read: (text) =>
        parsePlan(text, {
          tools: granted,
          maxSteps,
          origin: 'replanner',
          accepted: acceptedSteps,
          completed: pastSteps.map(toCompleted),
        }),
      again: planAgain,
      maxRepairs,
    });
    return {
      plan: steps,
      acceptedSteps: steps.map(({ step_id, tool }) => ({ step_id, tool })),
      planFrom: pastSteps.length,
      replanCount: replanCount + 1,
      ...noToolReview,
    };
  };
