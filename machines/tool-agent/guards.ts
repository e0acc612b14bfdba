import type { Guard } from 'agent-machines';
import { awaitsApproval } from 'agent-machines/tools';
import type { ToolAgentState } from './state.ts';

const hasToolCalls: Guard<ToolAgentState> = ({ pendingCalls }) => pendingCalls.length > 0;

export const guards = { hasToolCalls, awaitsApproval };
