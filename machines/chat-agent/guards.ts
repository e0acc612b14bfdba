import type { Guard } from 'agent-machines';
import { awaitsApproval, decidesAll } from 'agent-machines/tools';
import type { ChatAgentState } from './state.ts';

/** The answer is in stored documents. */
const routeIsRag: Guard<ChatAgentState> = ({ route }) => route === 'rag';

const hasToolCalls: Guard<ChatAgentState> = ({ pendingCalls }) => pendingCalls.length > 0;

export const guards = { routeIsRag, hasToolCalls, awaitsApproval, decidesAll };
