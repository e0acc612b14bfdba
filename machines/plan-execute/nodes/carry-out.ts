import { asJson, canonicalJson, systemClock, toErrorInfo, WorkflowError } from 'agent-machines';
import {
  type ApprovedCall,
  approvedCall,
  type CallDecision,
  type CallInReview,
  callRejected,
  type PastStep,
  type PlanStep,
  refusedEdits,
  type ValidatedPlan,
} from 'agent-machines/tools';

/** Work of an executor visit after a human's decisions. */
export interface CarriedOut {
  /** The plan with the edited steps. */
  readonly steps: readonly PlanStep[];
  /** Steps that may start in this visit. */
  readonly mayRun: readonly PlanStep[];
  /** Approved calls. */
  readonly approved: readonly ApprovedCall[];
  /** Steps that failed because they were rejected. */
  readonly rejected: readonly PastStep[];
  /** Edited calls that fail the checks. No step runs until they are settled. */
  readonly askAgain: readonly CallInReview[];
  /** Returns the decisions about the steps that remain after this visit. */
  decisionsAbout(left: readonly PlanStep[]): readonly CallDecision[];
}

/** Returns the key of a step in a review. */
export const keyOf = ({ step_id }: PlanStep): string => `step_${step_id}`;

/**
 * Applies a human's decisions to the plan. An edited step must pass the plan gate again; otherwise it goes back to the human. After a
 * rejection the rest is replanned, and only approved steps still run.
 */
export function carryOut(
  decisions: readonly CallDecision[],
  plan: readonly PlanStep[],
  gate: (steps: readonly PlanStep[]) => ValidatedPlan,
  runId: string | undefined,
): CarriedOut {
  const edited = new Map<number, PlanStep>();
  const { askAgain, kept } = refusedEdits(decisions, ({ held, args }) => {
    const step = plan.find((one) => keyOf(one) === held.key);
    try {
      const [checked] = step ? gate([{ step_id: step.step_id, tool: step.tool, input: args }]).steps : [];
      if (checked) edited.set(checked.step_id, checked);
      return undefined;
    } catch (error) {
      if (WorkflowError.isInstance(error)) return error.message;
      throw error;
    }
  });
  // an edit also applies to equal steps that were not in question
  const editedLike = (step: PlanStep): PlanStep => {
    const like = decisions.some(({ held }) => held.key === keyOf(step))
      ? undefined
      : plan.find((one) => edited.has(one.step_id) && isEqual(one, step));
    const change = like && edited.get(like.step_id);
    return change ? { ...change, step_id: step.step_id } : step;
  };
  if (askAgain.length > 0) return { steps: plan, mayRun: [], approved: [], rejected: [], askAgain, decisionsAbout: () => kept };
  const approved = new Map<number, ApprovedCall>();
  const rejected: PastStep[] = [];
  for (const step of plan) {
    const decision = decisions.find(({ held }) => held.key === keyOf(step));
    if (!decision) continue;
    if (decision.as === 'rejected') rejected.push(toFailure(step, decision.held.signature, decision.reason));
    const call = approvedCall(decision, runId, decision.as === 'edited' ? decision.args : decision.held.args);
    if (call) approved.set(step.step_id, call);
  }
  const steps = plan.map((step) => edited.get(step.step_id) ?? editedLike(step));
  const decisionsAbout = (left: readonly PlanStep[]): readonly CallDecision[] =>
    rejected.length > 0 ? [] : decisions.filter(({ held }) => left.some((step) => keyOf(step) === held.key));
  const mayRun = rejected.length > 0 ? steps.filter(({ step_id }) => approved.has(step_id)) : steps;
  return { steps, mayRun, approved: [...approved.values()], rejected, askAgain, decisionsAbout };
}

const isEqual = (a: PlanStep, b: PlanStep): boolean =>
  canonicalJson(asJson({ ...a, step_id: 0 })) === canonicalJson(asJson({ ...b, step_id: 0 }));

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
