import type { Guard } from 'agent-machines';
import { awaitsApproval, decidesAll } from 'agent-machines/tools';
import type { ToolAgentState } from './state.ts';

const hasToolCalls: Guard<ToolAgentState> = ({ pendingCalls }) => pendingCalls.length > 0;

/** True once a condition of `stopWhen` has ended the run. */
const isStopped: Guard<ToolAgentState> = ({ outcome }) => outcome === 'stopped-early';

/** True while a guard of the workflow holds the answer. */
const isHeld: Guard<ToolAgentState> = ({ heldBy }) => heldBy.length > 0;

/** False for a text in place of a value that has the form of a schema: the event changes nothing, so it is rejected. */
const isReplaced: Guard<ToolAgentState> = ({ heldBy }) => heldBy.length === 0;

export const guards = { hasToolCalls, awaitsApproval, decidesAll, isStopped, isHeld, isReplaced };
