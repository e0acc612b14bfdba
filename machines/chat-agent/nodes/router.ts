import { type NodeHandler, WorkflowError } from 'agent-machines';
import { fitRequest } from 'agent-machines/memory';
import { askJson } from 'agent-machines/models';
import { routerPrompt, routeSchema } from '../prompts.ts';
import { turnInput } from '../rule-inputs.ts';
import type { ChatAgentServices } from '../services.ts';
import type { ChatAgentState } from '../state.ts';
import { plainRequest } from './tokens.ts';

/** Decides between stored documents and everything else. One model call; an unreadable answer stops the run, which can be retried. */
export const router =
  ({ modelFor, contextTokensFor, maxRepairs, retriever }: ChatAgentServices): NodeHandler<ChatAgentState> =>
  async (state, io) => {
    const task = 'chat_agent.router';
    const hasDocuments = retriever !== undefined;
    const { messages } = fitRequest({ task, messages: routerPrompt(state, hasDocuments) }, contextTokensFor(task));
    const model = modelFor(task, { ...turnInput(state), hasDocuments });
    try {
      const { route } = await askJson(model, { task, messages, temperature: 0 }, { io, schema: routeSchema, maxRepairs });
      return { route, tokens: plainRequest(messages) };
    } catch (cause) {
      if (!WorkflowError.isInstance(cause) || cause.code !== 'MODEL_OUTPUT_INVALID') throw cause;
      throw new WorkflowError({ code: cause.code, message: cause.message, hint: 'Send the request again.', retryable: true, cause });
    }
  };
