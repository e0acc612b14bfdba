export type { CatalogueService } from './catalogue.ts';
export { describeGuideAgent } from './describe.ts';
export { type GuideAgentInput, type GuideAgentOptions, getTime, guideAgent } from './guide-agent.ts';
export { type IndexedKnowledgeOptions, indexedKnowledge } from './indexed-knowledge.ts';
export {
  createKnowledgeBase,
  type Knowledge,
  type KnowledgeBase,
  type KnowledgeHits,
  knowledgePassages,
  type ServiceHit,
} from './knowledge-base.ts';
export { guideAgentRules } from './offline/guide-agent-rules.ts';
export type { GuideAgentRuleInputs } from './rule-inputs.ts';
export type { GuideAgentTask } from './services.ts';
export type {
  GuideAgentEvent,
  GuideAgentMachineInput,
  GuideAgentOutput,
  GuideAgentState,
  Memory,
  Recommendation,
  RetrievedDoc,
} from './state.ts';
