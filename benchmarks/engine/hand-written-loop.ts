import type { PlanExecuteMachineInput, PlanExecuteState } from 'agent-machines/machines/plan-execute';
import { canReplanFailedWave, hasMoreSteps, hasPlan, needsTool, waveFailed } from '../../machines/plan-execute/guards.ts';
import { initialState } from '../../machines/plan-execute/state.ts';
import { input, nodes, type ScriptedNodeName } from './script.ts';
import type { Variant } from './variant.ts';

/** What somebody would write without any framework: the floor. */
export const handWrittenLoop: Variant = {
  runsPerStore: 500,
  open: async () => ({
    run: async () => {
      const { result } = await loop(input);
      if (result === null) throw new Error('The loop returned no result.');
    },
    finalState: () => loop(input),
    close: async () => {},
  }),
};

async function loop(from: PlanExecuteMachineInput): Promise<PlanExecuteState> {
  let state = initialState(from);
  let at: ScriptedNodeName | 'done' | 'stopped' = 'intent_classifier';
  while (at !== 'done' && at !== 'stopped') {
    try {
      state = merge(state, await nodes[at](state));
    } catch (error) {
      state = { ...state, error: { name: 'Error', code: 'UNKNOWN', message: String(error), retryable: false } };
      at = at === 'error_handler' ? 'stopped' : 'error_handler';
      continue;
    }
    at = after(at, state);
  }
  return state;
}

function merge(state: PlanExecuteState, patch: Partial<PlanExecuteState>): PlanExecuteState {
  const next = { ...state, ...patch };
  if (patch.acceptedSteps) next.acceptedSteps = [...state.acceptedSteps, ...patch.acceptedSteps];
  if (patch.pastSteps) next.pastSteps = [...state.pastSteps, ...patch.pastSteps];
  return next;
}

function after(node: ScriptedNodeName, state: PlanExecuteState): ScriptedNodeName | 'done' | 'stopped' {
  switch (node) {
    case 'intent_classifier':
      return needsTool(state) ? 'planner' : 'final_answer';
    case 'planner':
      return hasPlan(state) ? 'executor' : 'final_answer';
    case 'executor':
      if (canReplanFailedWave(state)) return 'replanner';
      if (waveFailed(state)) return 'error_handler';
      return hasMoreSteps(state) ? 'executor' : 'final_answer';
    case 'replanner':
      return hasPlan(state) ? 'executor' : 'error_handler';
    case 'final_answer':
      return 'done';
    case 'error_handler':
      return 'stopped';
  }
}
