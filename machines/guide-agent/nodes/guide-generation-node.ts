import { type NodeHandler, WorkflowError } from 'agent-machines';
import { askModel } from 'agent-machines/models';
import { usableTools } from 'agent-machines/tools';
import { guidePrompt, notFoundNote } from '../prompts.ts';
import { workInput } from '../rule-inputs.ts';
import type { GuideAgentServices } from '../services.ts';
import type { GuideAgentState } from '../state.ts';

/** Writes the guide from the recommendations, or answers a question. One model call, streamed; what was not found is named whatever the model writes. */
export const guideGenerationNode =
  ({ modelFor, knowledge, toolsFor }: GuideAgentServices): NodeHandler<GuideAgentState> =>
  async (state, io) => {
    const fallbackAvailable = usableTools(toolsFor(state.userId)).some(({ name }) => name === 'google_search');
    io.emit({ type: 'thinking', step: 'generating', content: state.input });
    const task = 'guide_agent.guide_generation_node';
    const { text } = await askModel(
      modelFor(task, workInput(state, knowledge)),
      { task, messages: guidePrompt(state) },
      { io, stream: true },
    );
    if (text.trim() === '') {
      throw new WorkflowError({ code: 'MODEL_OUTPUT_INVALID', message: 'The model has written nothing.', hint: 'Ask again.' });
    }
    const note = notFoundNote(state, fallbackAvailable);
    if (note !== '') io.emit({ type: 'token', text: `\n\n${note}` });
    return { finalGuide: note === '' ? text : `${text}\n\n${note}`, error: null };
  };
