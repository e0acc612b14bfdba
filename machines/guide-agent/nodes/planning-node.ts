import { type NodeHandler, WorkflowError } from 'agent-machines';
import { askJson } from 'agent-machines/models';
import { planningPrompt, planSchema } from '../prompts.ts';
import { workInput } from '../rule-inputs.ts';
import type { GuideAgentServices } from '../services.ts';
import { areDistinct, type GuideAgentState, saysSomething } from '../state.ts';

/** Writes a plan, or changes the current one. One model call; an unreadable reply keeps the old plan. */
export const planningNode =
  ({ modelFor, maxRepairs, knowledge }: GuideAgentServices): NodeHandler<GuideAgentState> =>
  async (state, io) => {
    const task = 'guide_agent.planning_node';
    const request = { task, messages: planningPrompt(state, knowledge.categories) };
    const reply = await askJson(modelFor(task, workInput(state, knowledge)), request, { io, schema: planSchema, maxRepairs });
    const subTasks = reply.sub_tasks.map((text) => text.trim());
    if (!subTasks.every(saysSomething) || !areDistinct(subTasks)) {
      throw new WorkflowError({
        code: 'MODEL_OUTPUT_INVALID',
        message: 'A sub-task of the plan is blank or a duplicate.',
        hint: 'Send the request again, or edit the plan.',
      });
    }
    io.emit({ type: 'thinking', step: 'planning', content: subTasks });
    // the prompt contained the categories of the catalogue
    return { subTasks, revision: state.revision + 1, userFeedback: null, taint: { private: knowledge.isPrivate, untrusted: true } };
  };
