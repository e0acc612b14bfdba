import type { NodeHandler } from 'agent-machines';
import { describeError, describeStop, isKorean } from 'agent-machines/search';
import type { PlanExecuteState } from '../state.ts';

/** Says why the run stopped, in the user's language. No model call. */
export const errorHandler = (): NodeHandler<PlanExecuteState> => async (state) => {
  const korean = isKorean(state.input);
  return { result: describeStop(reasonOf(state, korean), { korean }) };
};

function reasonOf({ error, pastSteps, replanCount, maxReplans }: PlanExecuteState, korean: boolean): string {
  if (error) return describeError(error);
  const failed = pastSteps.findLast((past) => past.status === 'failure');
  const what = failed ? `step ${failed.step.step_id} (${failed.step.tool}) ${failed.error.code}: ${failed.error.message}` : '';
  if (replanCount >= maxReplans) {
    return korean
      ? `재계획 한도(${maxReplans}회)를 넘었습니다. 마지막 실패: ${what}`
      : `No more than ${maxReplans} replans are allowed. Last failure: ${what}`;
  }
  return korean ? `다른 방법을 찾지 못했습니다. 마지막 실패: ${what}` : `No other plan was found. Last failure: ${what}`;
}
