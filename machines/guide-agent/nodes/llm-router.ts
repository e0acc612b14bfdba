import type { NodeHandler } from 'agent-machines';
import { askJson } from 'agent-machines/models';
import { routerPrompt, routerSchema } from '../prompts.ts';
import type { GuideAgentServices } from '../services.ts';
import type { GuideAgentState } from '../state.ts';
import { factsOf } from './facts.ts';

/** A question, or work of several steps? One model call; an unreadable answer stops the run. */
export const llmRouter =
  ({ modelFor, knowledge }: GuideAgentServices): NodeHandler<GuideAgentState> =>
  async (state, io) => {
    const task = 'guide_agent.llm_router';
    const request = { task, messages: routerPrompt(state), facts: factsOf(state, knowledge) };
    const reply = await askJson(modelFor(task), request, { io, schema: routerSchema });
    return { isComplexTask: reply.is_complex_task };
  };
