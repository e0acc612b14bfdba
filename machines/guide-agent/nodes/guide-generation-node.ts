import { asJson, type NodeHandler, WorkflowError } from 'agent-machines';
import type { Citation } from 'agent-machines/contracts';
import { askModel } from 'agent-machines/models';
import { answersInKorean } from 'agent-machines/search';
import { answerLinks, checkSources, describeUnconfirmed, sourcesRepairPrompt, usableTools } from 'agent-machines/tools';
import { guidePrompt, notFoundNote } from '../prompts.ts';
import { workInput } from '../rule-inputs.ts';
import type { GuideAgentServices } from '../services.ts';
import type { GuideAgentState } from '../state.ts';

/**
 * Writes the guide from the recommendations, or answers a question. One model call, streamed. Missing services are always named, whatever
 * the model writes.
 */
export const guideGenerationNode =
  ({ modelFor, knowledge, toolsFor, allowTargets }: GuideAgentServices): NodeHandler<GuideAgentState> =>
  async (state, io) => {
    const fallbackAvailable = usableTools(toolsFor(state.userId)).some(({ name }) => name === 'google_search');
    io.emit({ type: 'thinking', step: 'generating', content: state.input });
    const task = 'guide_agent.guide_generation_node';
    const model = modelFor(task, workInput(state, knowledge));
    const messages = guidePrompt(state);
    const options = { io, stream: true, ...answerLinks(state.taint, allowTargets) };
    let { text } = await askModel(model, { task, messages }, options);
    let wrong = wrongCitations(text, state);
    if (wrong.length > 0) {
      io.emit({ type: 'thinking', step: 'checking_citations', content: asJson(wrong) });
      io.emit({ type: 'step-reset' });
      ({ text } = await askModel(model, { task, messages: [...messages, ...sourcesRepairPrompt(text, wrong)] }, options));
      wrong = wrongCitations(text, state);
    }
    if (text.trim() === '') {
      throw new WorkflowError({
        code: 'MODEL_OUTPUT_INVALID',
        message: 'The model returned an empty text.',
        hint: 'Send the request again.',
      });
    }
    const notes = [describeUnconfirmed(wrong, answersInKorean(state.input)), notFoundNote(state, fallbackAvailable)];
    const note = notes.filter((one) => one !== '').join('\n\n');
    if (note !== '') io.emit({ type: 'token', text: `\n\n${note}` });
    return { finalGuide: note === '' ? text : `${text}\n\n${note}`, error: null };
  };

/** Returns the quotations and names of documents in a guide that no tool has returned. */
function wrongCitations(text: string, state: GuideAgentState): readonly Citation[] {
  const { retrievedDocs, input, messages, subTasks, feedbacks, toolRecommendations, memories } = state;
  if (retrievedDocs.length === 0) return [];
  const sources = retrievedDocs.map(({ id, title, text }) => ({ name: `${id} ${title}`, text }));
  const background = [
    input,
    ...messages.map(({ content }) => content),
    ...subTasks,
    ...feedbacks,
    ...toolRecommendations.map(({ sub_task, service, reason }) => `${sub_task} ${service} ${reason}`),
    ...memories.map(({ text }) => text),
  ];
  return checkSources(text, { sources, background }).filter(({ status }) => status !== 'supported');
}
