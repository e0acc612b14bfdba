import type { NodeHandler } from 'agent-machines';
import {
  executePlan,
  limitFiles,
  type PastStep,
  type PlanStep,
  parsePlan,
  toModelContent,
  usableTools,
  type ValidatedPlan,
} from 'agent-machines/tools';
import type { PlanExecuteServices } from '../services.ts';
import type { PlanExecuteState, RecordedStep } from '../state.ts';
import { carryOut, keyOf } from './carry-out.ts';

/**
 * Runs the plan until a step fails or no step can start without a human; if `sequential`, runs a single step. The steps pass the gate again
 * first, because a journal is untrusted. No model call.
 */
export const executor =
  ({ tools, execution, concurrency, maxSteps, allowEgress, allowTargets }: PlanExecuteServices): NodeHandler<PlanExecuteState> =>
  async ({ plan, planFrom, pastSteps, availableTools, taint, egressGranted, decisions, timeZone }, io) => {
    const granted = usableTools(tools, availableTools);
    const completed = pastSteps.map(toCompleted);
    const gate = (steps: readonly PlanStep[]): ValidatedPlan =>
      parsePlan({ steps: steps.map((step) => ({ ...step })) }, { tools: granted, maxSteps, completed });
    const { steps, mayRun, approved, rejected, askAgain, decisionsAbout } = carryOut(decisions, plan, gate, io.runId);
    const { results, held, ...after } = await executePlan(gate(mayRun), {
      tools: granted,
      execution,
      concurrency,
      history: pastSteps,
      ofEarlierPlans: planFrom,
      until: 'wave',
      io,
      taint,
      allowEgress: allowEgress || egressGranted,
      allowTargets,
      approved,
      ...(timeZone === undefined ? {} : { timeZone }),
    });
    const done = [...results, ...rejected].map(withErrorText);
    const wave = steps.flatMap(({ step_id }) => done.filter(({ step }) => step.step_id === step_id));
    return {
      pastSteps: withFilesUpTo(wave, maxWaveBytes),
      plan: steps.filter(({ step_id }) => !wave.some(({ step }) => step.step_id === step_id)),
      wave: wave.map(({ step }) => step.step_id),
      heldCalls: [...askAgain, ...held.map(({ step, ...call }) => ({ ...call, key: keyOf(step), notice: null }))],
      decisions: decisionsAbout(after.remaining.filter(({ step_id }) => !held.some(({ step }) => step.step_id === step_id))),
      taint: after.taint,
    };
  };

/** Bytes of files that one visit adds to the state. A later step may use them, and a patch has a maximum size. */
const maxWaveBytes = 4_000_000;

function withFilesUpTo(wave: readonly RecordedStep[], maxBytes: number): readonly RecordedStep[] {
  let left = maxBytes;
  return wave.map((past) => {
    if (past.status === 'failure') return past;
    const output = limitFiles(past.output, left);
    left -= toModelContent(output).files.reduce((sum, { data }) => sum + (data.length * 3) / 4, 0);
    return { ...past, output };
  });
}

const withErrorText = (past: PastStep): RecordedStep =>
  past.status === 'failure' ? { ...past, output: `Error: ${past.error.message}` } : past;

export const toCompleted = ({ step, status }: PastStep): { readonly step_id: number; readonly status: PastStep['status'] } => ({
  step_id: step.step_id,
  status,
});
