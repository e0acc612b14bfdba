import type { NodeHandler } from 'agent-machines';
import { askJson } from 'agent-machines/models';
import { routerPrompt, routerSchema } from '../prompts.ts';
import { workInput } from '../rule-inputs.ts';
import type { GuideAgentServices } from '../services.ts';
import type { GuideAgentState } from '../state.ts';

/** Decides between a question and work of several steps. One model call; an unreadable reply stops the run. */
export const llmRouter =
  ({ modelFor, maxRepairs, knowledge }: GuideAgentServices): NodeHandler<GuideAgentState> =>
  async (state, io) => {
    const task = 'guide_agent.llm_router';
    const request = { task, messages: routerPrompt(state) };
    const reply = await askJson(modelFor(task, workInput(state, knowledge)), request, { io, schema: routerSchema, maxRepairs });
    return { isComplexTask: reply.is_complex_task };
  };
