import type { NodeHandler } from 'agent-machines';
import { askJson } from 'agent-machines/models';
import { usableTools } from 'agent-machines/tools';
import { intentPrompt, intentSchema } from '../prompts.ts';
import { turnInput } from '../rule-inputs.ts';
import type { PlanExecuteServices } from '../services.ts';
import type { PlanExecuteState } from '../state.ts';

/** Classifies the user's request. One model call, plus one per repair; an unreadable reply stops the run. */
export const intentClassifier =
  ({ modelFor, maxRepairs, tools }: PlanExecuteServices): NodeHandler<PlanExecuteState> =>
  async (state, io) => {
    const granted = usableTools(tools, state.availableTools);
    const task = 'plan_execute.intent_classifier';
    const request = { task, messages: intentPrompt(state, granted) };
    const reply = await askJson(modelFor(task, turnInput(state, tools, granted)), request, { io, schema: intentSchema, maxRepairs });
    return {
      intent: reply.intent,
      rewrittenQuery: reply.rewritten_query,
      needsTool: reply.needs_tool,
      constraints: reply.constraints ?? null,
    };
  };
