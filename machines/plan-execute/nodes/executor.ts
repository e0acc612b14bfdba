import type { NodeHandler } from 'agent-machines';
import { executePlan, type PastStep } from 'agent-machines/executor';
import { parsePlan } from 'agent-machines/plan';
import { grantedTools, type PlanExecuteServices } from '../services.ts';
import type { PlanExecuteState } from '../state.ts';

/**
 * Runs the plan until nothing can start any more or a step has failed, or one step of it when it is `sequential`; after another look
 * through the gate: what comes from a journal is not trusted either. No model call.
 */
export const executor =
  ({ tools, execution, concurrency, maxSteps, allowEgress }: PlanExecuteServices): NodeHandler<PlanExecuteState> =>
  async ({ plan, pastSteps, availableTools, tainted, egressGranted }, io) => {
    const granted = grantedTools(tools, availableTools);
    const checked = parsePlan(
      { steps: plan.map((step) => ({ ...step })) },
      { tools: granted, maxSteps, completed: pastSteps.map(toCompleted) },
    );
    const { results, remaining, ...after } = await executePlan(checked, {
      tools: granted,
      execution,
      concurrency,
      history: pastSteps,
      until: 'wave',
      io,
      tainted,
      allowEgress: allowEgress || egressGranted,
    });
    return { pastSteps: results, plan: remaining, wave: results.map(({ step }) => step.step_id), tainted: after.tainted };
  };

export const toCompleted = ({ step, status }: PastStep): { readonly step_id: number; readonly status: PastStep['status'] } => ({
  step_id: step.step_id,
  status,
});
