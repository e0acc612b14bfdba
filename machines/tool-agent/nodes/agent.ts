import type { Json, NodeHandler } from 'agent-machines';
import { guardAnswer } from 'agent-machines/models';
import { answersInKorean, describeStepLimit } from 'agent-machines/search';
import { answerLinks, askWithTools, checkToolCall } from 'agent-machines/tools';
import { activeToolsOf } from '../active-tools.ts';
import { agentPrompt } from '../prompts.ts';
import { turnInput } from '../rule-inputs.ts';
import type { ToolAgentServices } from '../services.ts';
import type { ToolAgentState } from '../state.ts';

/**
 * Answers or calls tools. One model call, streamed, plus one per unusable reply: an answer of the wrong form, or invalid calls only. Once
 * the steps are used up the model must answer; otherwise its last text is the answer.
 */
export const agent =
  (services: ToolAgentServices): NodeHandler<ToolAgentState> =>
  async (state, io) => {
    const { modelFor, tools, schema, maxRepairs, allowTargets } = services;
    const { steps, maxSteps, availableTools } = state;
    const settings = services.prepareStep(state);
    const { instructions = services.instructions(state.runContext), toolChoice = 'auto' } = settings;
    const activeTools = toolChoice === 'none' ? [] : (settings.activeTools ?? null);
    const granted = activeToolsOf(tools, { availableTools, activeTools });
    const unavailable = tools.filter((tool) => tool.unavailable !== undefined);
    const mayCall = steps < maxSteps;
    const task = 'tool_agent.agent';
    const request = { task, messages: agentPrompt(state, { instructions, tools: granted, unavailable, mayCall }) };
    const links = answerLinks(state.taint, allowTargets);
    const turn = await askWithTools(
      modelFor(task, turnInput(state, mayCall ? granted : [], unavailable, schema !== undefined), settings.model),
      { ...request, toolChoice },
      {
        io,
        tools: granted,
        mayCall,
        maxRepairs,
        holdAnswers: true,
        check: (call) => checkToolCall(call, { tools: granted }),
        ...links,
        ...(schema ? { form: { schema } } : {}),
      },
    );
    const { text, messages, usage } = turn;
    const outcome = mayCall || steps === 0 ? 'answered' : 'step-limit';
    if (turn.kind === 'answer') {
      return { answer: text, heldBy: turn.heldBy, output: turn.value as Json, outcome, pendingCalls: [], messages, usage };
    }
    if (mayCall) return { pendingCalls: turn.calls, activeTools, madeCalls: [], steps: steps + 1, messages, usage };
    const said = text.trim() === '' ? saidBefore(state) : text;
    // beside calls the guards have not checked it as a final answer
    const last = said === undefined ? undefined : await guardAnswer(said, request, { io, holdAnswers: true, ...links });
    const answer = String(last?.value ?? describeStepLimit(maxSteps, { korean: answersInKorean(state.input) }));
    return { answer, heldBy: last?.heldBy ?? [], output: schema ? null : answer, outcome: 'step-limit', pendingCalls: [], usage };
  };

/** Returns the last text of the model that is not empty. */
export const saidBefore = ({ messages }: Pick<ToolAgentState, 'messages'>): string | undefined =>
  messages.findLast(({ role, content }) => role === 'assistant' && content.trim() !== '')?.content;
