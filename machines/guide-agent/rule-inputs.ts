import type { ChatMessage } from 'agent-machines';
import { cutToTokens } from 'agent-machines/memory';
import type { CatalogueService } from './catalogue.ts';
import type { Knowledge } from './knowledge-base.ts';
import type { GuideAgentState, Memory } from './state.ts';

/** Input of the rules about the work and the catalogue. */
export interface WorkInput
  extends Pick<
    GuideAgentState,
    | 'input'
    | 'messages'
    | 'subTasks'
    | 'currentTask'
    | 'userFeedback'
    | 'feedbacks'
    | 'isComplexTask'
    | 'toolRecommendations'
    | 'retrievedDocs'
    | 'currentDatetime'
  > {
  readonly categories: readonly string[];
  readonly services: readonly CatalogueService[];
}

/** Inputs of the rules, by task. Each holds the data that the task's prompt is made from. */
export interface GuideAgentRuleInputs {
  readonly 'guide_agent.llm_router': WorkInput;
  readonly 'guide_agent.planning_node': WorkInput;
  readonly 'guide_agent.recommend_tool_node': WorkInput & { readonly taskMessages: readonly ChatMessage[] };
  readonly 'guide_agent.guide_generation_node': WorkInput;
  readonly 'guide_agent.reflection_node': WorkInput & { readonly known: readonly Memory[] };
}

/** Limit for rules, which read more slowly than models. */
const maxInputTokens = 40_000;

/** Returns the part of a state that the rules read, with the catalogue. */
export const workInput = (state: GuideAgentState, { categories, services }: Knowledge): WorkInput => {
  const { input, messages, subTasks, currentTask, userFeedback, feedbacks, isComplexTask, toolRecommendations, retrievedDocs } = state;
  const { currentDatetime } = state;
  return {
    input: cutToTokens(input, maxInputTokens),
    messages,
    subTasks,
    currentTask,
    userFeedback,
    feedbacks,
    isComplexTask,
    toolRecommendations,
    retrievedDocs,
    currentDatetime,
    categories,
    services,
  };
};
