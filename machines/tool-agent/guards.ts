import type { Guard } from 'agent-machines';
import { awaitsApproval, decidesAll } from 'agent-machines/tools';
import type { ToolAgentState } from './state.ts';

const hasToolCalls: Guard<ToolAgentState> = ({ pendingCalls }) => pendingCalls.length > 0;

/** True once a condition of `stopWhen` has ended the run. */
const isStopped: Guard<ToolAgentState> = ({ outcome }) => outcome === 'stopped-early';

export const guards = { hasToolCalls, awaitsApproval, decidesAll, isStopped };
