import type { NodeHandler } from 'agent-machines';
import { askModel } from 'agent-machines/models';
import { answerLinks, usableTools } from 'agent-machines/tools';
import { answerPrompt, talkPrompt } from '../prompts.ts';
import { turnInput } from '../rule-inputs.ts';
import type { PlanExecuteServices } from '../services.ts';
import { type PlanExecuteState, withoutFiles } from '../state.ts';

/** Answers from the results of the tools, or chats if there are none. One model call, streamed. */
export const finalAnswer =
  ({ modelFor, tools, allowTargets }: PlanExecuteServices): NodeHandler<PlanExecuteState> =>
  async (state, io) => {
    const granted = usableTools(tools, state.availableTools);
    const task = 'plan_execute.final_answer';
    const messages =
      state.pastSteps.length > 0
        ? answerPrompt(state)
        : talkPrompt(
            state,
            tools.filter((tool) => tool.unavailable !== undefined),
          );
    const model = modelFor(task, { ...turnInput(state, tools, granted), pastSteps: state.pastSteps.map(withoutFiles) });
    const { text } = await askModel(model, { task, messages }, { io, stream: true, ...answerLinks(state.taint, allowTargets) });
    return { result: text };
  };
