import type { Guard } from 'agent-machines';
import { type ChatAgentState, state } from './state.ts';

/** The answer is in stored documents. */
const routeIsRag: Guard<ChatAgentState> = ({ route }) => route === 'rag';

/** The model calls tools. */
const hasToolCalls: Guard<ChatAgentState> = ({ pendingCalls }) => pendingCalls.length > 0;

/** A call waits for a human. */
const awaitsApproval: Guard<ChatAgentState> = ({ heldCalls }) => heldCalls.length > 0;

export const guards = state.guards({ routeIsRag, hasToolCalls, awaitsApproval });
