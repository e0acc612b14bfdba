import type { NodeHandler } from 'agent-machines';
import { answersInKorean, describeFailure, describeStop } from 'agent-machines/search';
import type { PlanExecuteState, RecordedStep } from '../state.ts';

/** Says why the run stopped, in the user's language. No model call. */
export const errorHandler = (): NodeHandler<PlanExecuteState> => async (state) => {
  const { error, pastSteps } = state;
  const korean = answersInKorean(state.input);
  if (error) return { result: describeStop(error, { korean }) };
  const failed = pastSteps.findLast((past) => past.status === 'failure');
  return { result: describeStop(failed?.error ?? { code: 'TOOL_FAILED' }, { korean, reason: reasonOf(state, failed, korean) }) };
};

function reasonOf({ replanCount, maxReplans }: PlanExecuteState, failed: RecordedStep | undefined, korean: boolean): string {
  const what = failed?.status === 'failure' ? `${failed.step.tool}: ${describeFailure(failed.error, { korean })}` : '';
  if (replanCount >= maxReplans) {
    return korean
      ? `재계획 한도(${maxReplans}회)를 넘었습니다. 마지막 실패: ${what}`
      : `No more than ${maxReplans} replans are allowed. Last failure: ${what}`;
  }
  return korean ? `다른 방법을 찾지 못했습니다. 마지막 실패: ${what}` : `No other plan was found. Last failure: ${what}`;
}
