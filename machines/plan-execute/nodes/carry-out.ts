import { systemClock, toErrorInfo, WorkflowError } from 'agent-machines';
import { type CallDecision, type CallInReview, callRejected, type PastStep, toolSignature } from 'agent-machines/executor';
import type { PlanStep, ValidatedPlan } from 'agent-machines/plan';

/** What an executor visit is to do after a human has decided. */
export interface CarriedOut {
  /** The plan, with the steps as they were edited. */
  readonly steps: readonly PlanStep[];
  /** What of it may be started in this visit. */
  readonly mayRun: readonly PlanStep[];
  /** Signatures of the calls that were approved. */
  readonly approved: readonly string[];
  /** Steps that have failed, because they were rejected. */
  readonly rejected: readonly PastStep[];
  /** What was edited and cannot be called like that. */
  readonly askAgain: readonly CallInReview[];
}

/** How a step is named in a review. */
export const keyOf = ({ step_id }: PlanStep): string => `step_${step_id}`;

/**
 * Applies a human's decisions to the plan. What was edited passes the gate as a step of its own, or is asked about again. When a step was
 * rejected, the work is planned anew, and only what was approved is still done.
 */
export function carryOut(
  decisions: readonly CallDecision[],
  plan: readonly PlanStep[],
  gate: (steps: readonly PlanStep[]) => ValidatedPlan,
): CarriedOut {
  const edited = new Map<number, PlanStep>();
  const approved = new Map<number, string>();
  const rejected: PastStep[] = [];
  const askAgain = new Map<number, CallInReview>();
  for (const step of plan) {
    const decision = decisions.find(({ held }) => held.key === keyOf(step));
    const { step_id, tool } = step;
    if (decision?.as === 'approved') approved.set(step_id, decision.held.signature);
    if (decision?.as === 'rejected') rejected.push(toFailure(step, decision.held.signature, decision.reason));
    if (decision?.as !== 'edited') continue;
    try {
      const [checked] = gate([{ step_id, tool, input: decision.args }]).steps;
      if (!checked) continue;
      edited.set(step_id, checked);
      approved.set(step_id, toolSignature({ name: tool, args: decision.args }));
    } catch (error) {
      if (!WorkflowError.isInstance(error)) throw error;
      askAgain.set(step_id, { ...decision.held, notice: error.message });
    }
  }
  const steps = plan.map((step) => edited.get(step.step_id) ?? step);
  const mayRun = rejected.length > 0 ? steps.filter(({ step_id }) => approved.has(step_id)) : without(steps, new Set(askAgain.keys()));
  return { steps, mayRun, approved: [...approved.values()], rejected, askAgain: [...askAgain.values()] };
}

/** The steps but these, and but those that need them. */
function without(steps: readonly PlanStep[], left: Set<number>): readonly PlanStep[] {
  const needsOne = ({ input_from: from = {} }: PlanStep): boolean =>
    (typeof from === 'string' ? [from] : Object.values(from)).some((text) => left.has(Number(/^step_(\d+)/.exec(text)?.[1])));
  for (let before = -1; before < left.size; ) {
    before = left.size;
    for (const step of steps) if (needsOne(step)) left.add(step.step_id);
  }
  return steps.filter(({ step_id }) => !left.has(step_id));
}

const toFailure = (step: PlanStep, signature: string, reason: string): PastStep => ({
  step,
  status: 'failure',
  error: toErrorInfo(callRejected(step.tool, reason)),
  startedAt: systemClock.now(),
  durationMs: 0,
  attempts: 0,
  signature,
  deduplicated: false,
});
