import type { Guard } from 'agent-machines';
import type { ContractAgentState } from './state.ts';

/** The question is not about the contract, or the verdict is unreadable. */
const outOfScope: Guard<ContractAgentState> = ({ inScope }) => !inScope;

/** The question is one for each of several contracts. */
const asksEach: Guard<ContractAgentState> = ({ eachQuestion }) => eachQuestion !== null;

/** The model asked for calls, but none of them can be made. */
const allToolsSkipped: Guard<ContractAgentState> = ({ allToolsSkipped, nextTools }) => allToolsSkipped && nextTools.length === 0;

/** The model asked for no call: the collected information is enough. */
const noTools: Guard<ContractAgentState> = ({ nextTools }) => nextTools.length === 0;

/** There are at least two calls, and all of them can run in parallel. */
const canExecuteParallel: Guard<ContractAgentState> = ({ nextTools }) =>
  nextTools.length >= 2 && nextTools.every(({ parallel }) => parallel);

/** The last evaluation asks for more information. */
const shouldContinue: Guard<ContractAgentState> = ({ decisionLog }) => decisionLog.at(-1)?.action === 'continue';

export const guards = { outOfScope, asksEach, allToolsSkipped, noTools, canExecuteParallel, shouldContinue };
