import type { Guard } from 'agent-machines';
import { awaitsApproval, decidesAll } from 'agent-machines/tools';
import type { PlanExecuteState } from './state.ts';

/** The request needs a tool. */
export const needsTool: Guard<PlanExecuteState> = ({ needsTool }) => needsTool;

/** The accepted plan has steps. */
export const hasPlan: Guard<PlanExecuteState> = ({ plan }) => plan.length > 0;

/** At least one step of this executor visit has failed. */
export const waveFailed: Guard<PlanExecuteState> = ({ pastSteps, wave }) =>
  pastSteps.slice(Math.max(0, pastSteps.length - wave.length)).some(({ status }) => status === 'failure');

/** A step has failed, and another plan is allowed. */
export const canReplanFailedWave: Guard<PlanExecuteState> = (state) => waveFailed(state) && state.replanCount < state.maxReplans;

/** The plan has steps left. */
export const hasMoreSteps: Guard<PlanExecuteState> = ({ plan }) => plan.length > 0;

export const guards = { needsTool, hasPlan, waveFailed, canReplanFailedWave, awaitsApproval, decidesAll, hasMoreSteps };
