import type { WorkflowEntry } from 'agent-machines/machines';

export const guideAgentEntry: WorkflowEntry = {
  name: 'guide-agent',
  description: 'plans a piece of work, waits for your approval, finds a service for each part, and writes a guide',
  examples: [
    '영상 편집에 쓸 AI 도구를 추천해줘',
    '회의록 정리를 자동화하는 방법을 알려줘',
    'Make a guide for writing weekly reports with AI',
  ],
  modelNodes: ['llm_router', 'planning_node', 'recommend_tool_node', 'guide_generation_node', 'reflection_node'],
  asksReview: true,
  knowsUsers: true,
  exampleOf: (event) => ({ REVISE: '{"feedback":"…"}', EDIT: '{"sub_tasks":["…","…"]}' })[event],
  load: async () => (await import('./load.ts')).loadedEntry,
};
