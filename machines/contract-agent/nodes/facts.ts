import type { JsonObject } from 'agent-machines';
import type { OpenContract } from '../contract-library.ts';
import type { ContractAgentState } from '../state.ts';

/** What the prompts are made of, for models that work by rules. */
export const factsOf = (state: ContractAgentState): JsonObject => {
  const { userMessage, previousTurn, needPreviousContext, missingInfo, iterationCount, toolHistory, collectedInfo, findings } = state;
  return {
    userMessage,
    previousTurn,
    needPreviousContext,
    missingInfo,
    iterationCount,
    toolHistory,
    collectedInfo,
    findings,
  } as unknown as JsonObject;
};

/** What the contract consists of. */
export const outlineOf = ({ user, standard }: OpenContract): JsonObject => ({
  title: user.document.title,
  hasStandard: standard !== undefined,
  outline: user.document.articles.map(({ label, title, part, deleted }) => ({ label, title, part, deleted })),
});
