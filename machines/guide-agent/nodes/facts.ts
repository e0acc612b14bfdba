import type { JsonObject } from 'agent-machines';
import type { KnowledgeBase } from '../knowledge-base.ts';
import type { GuideAgentState } from '../state.ts';

/** What the prompts are made of, for models that work by rules. */
export const factsOf = (state: GuideAgentState, { categories, services }: KnowledgeBase): JsonObject => {
  const { input, messages, subTasks, currentTask, userFeedback, feedbacks, isComplexTask, toolRecommendations, retrievedDocs } = state;
  return {
    input,
    messages,
    subTasks,
    currentTask,
    userFeedback,
    feedbacks,
    isComplexTask,
    toolRecommendations,
    retrievedDocs,
    categories,
    services: services.map(({ id, name, category, purpose, description, description_en = '', tags, price }) => ({
      id,
      name,
      category,
      purpose,
      description,
      description_en,
      tags,
      price,
    })),
  } as unknown as JsonObject;
};
