import type { Guard } from 'agent-machines';
import { state, type ToolAgentState } from './state.ts';

/** The model calls tools. */
const hasToolCalls: Guard<ToolAgentState> = ({ pendingCalls }) => pendingCalls.length > 0;

/** A call waits for a human. */
const awaitsApproval: Guard<ToolAgentState> = ({ heldCalls }) => heldCalls.length > 0;

export const guards = state.guards({ hasToolCalls, awaitsApproval });
