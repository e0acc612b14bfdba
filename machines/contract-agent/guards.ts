import type { Guard } from 'agent-machines';
import { type ContractAgentState, state } from './state.ts';

/** The question is not about the contract, or nobody could tell. */
const outOfScope: Guard<ContractAgentState> = ({ inScope }) => !inScope;

/** The model asked for calls, but none of them can be made. */
const allToolsSkipped: Guard<ContractAgentState> = ({ allToolsSkipped, nextTools }) => allToolsSkipped && nextTools.length === 0;

/** The model asked for no call: what is known is enough. */
const noTools: Guard<ContractAgentState> = ({ nextTools }) => nextTools.length === 0;

/** At least two calls, and none that must be made alone. */
const canExecuteParallel: Guard<ContractAgentState> = ({ nextTools }) =>
  nextTools.length >= 2 && nextTools.every(({ parallel }) => parallel);

/** The last evaluation wants more. */
const shouldContinue: Guard<ContractAgentState> = ({ decisionLog }) => decisionLog.at(-1)?.action === 'continue';

export const guards = state.guards({ outOfScope, allToolsSkipped, noTools, canExecuteParallel, shouldContinue });
