import { type ChatMessage, type ChatReply, type NodeHandler, type NodeIo, WorkflowError } from 'agent-machines';
import { askModel, assistantMessage, parseJsonReply } from 'agent-machines/models';
import { toModelTools, usableTools } from 'agent-machines/tools';
import { recommendationSchema, repairPrompt, taskPrompt } from '../prompts.ts';
import { workInput } from '../rule-inputs.ts';
import type { GuideAgentServices } from '../services.ts';
import type { GuideAgentState, Recommendation } from '../state.ts';
import { showsService } from './docs-of.ts';

type Reply = Pick<ChatReply, 'text' | 'toolCalls' | 'providerData'>;

/**
 * Works on one sub-task: calls tools, or recommends one service. Without a usable result the sub-task is `unresolved`, and the run
 * continues.
 */
export const recommendToolNode =
  (services: GuideAgentServices): NodeHandler<GuideAgentState> =>
  async (state, io) => {
    let messages: readonly ChatMessage[] = state.taskMessages.length > 0 ? state.taskMessages : taskPrompt(state);
    let refusal = '';
    for (let attempt = 0; attempt <= services.maxRepairs; attempt++) {
      const reply = await ask(`ask_${attempt + 1}`, messages, state, services, io);
      if (reply.toolCalls.length > 0 && budgetOf(state) > 0) {
        return { taskMessages: [...messages, assistantMessage(reply)], pendingCalls: reply.toolCalls };
      }
      try {
        return finish(state, readRecommendation(reply, state));
      } catch (error) {
        if (!WorkflowError.isInstance(error) || error.code !== 'MODEL_OUTPUT_INVALID') throw error;
        refusal = error.message;
        // drops calls beyond the budget, since every call in a message needs an answer
        messages = [
          ...messages,
          ...(reply.text === '' ? [] : [{ role: 'assistant' as const, content: reply.text }]),
          repairPrompt(refusal),
        ];
      }
    }
    return finish(state, { ...about(state), status: 'unresolved', service: '', reason: refusal, source_ids: [] });
  };

const about = ({ subTasks, currentTask, taskFallback }: GuideAgentState): Pick<Recommendation, 'sub_task' | 'should_fallback'> => ({
  sub_task: subTasks[currentTask] ?? '',
  should_fallback: taskFallback,
});

const budgetOf = ({ maxToolCallsPerTask, toolCallsUsed }: GuideAgentState): number => maxToolCallsPerTask - toolCallsUsed;

/** One model call, which is not repeated after a crash. */
async function ask(
  step: string,
  messages: readonly ChatMessage[],
  state: GuideAgentState,
  { modelFor, knowledge, toolsFor }: GuideAgentServices,
  io: NodeIo,
): Promise<Reply> {
  const task = 'guide_agent.recommend_tool_node';
  const tools = toModelTools(usableTools(toolsFor(state.userId)));
  return io.step(step, async (): Promise<Reply> => {
    const answer = askModel(
      modelFor(task, { ...workInput(state, knowledge), taskMessages: state.taskMessages }),
      {
        task,
        messages,
        tools,
        toolChoice: budgetOf(state) > 0 ? 'auto' : 'none',
      },
      { io },
    );
    const { text, toolCalls, providerData } = await answer.catch(emptyReply);
    return {
      text,
      toolCalls: toolCalls.map(({ id, name, arguments: argsText }) => ({ id, name, arguments: argsText })),
      ...(providerData ? { providerData } : {}),
    };
  });
}

/** An empty reply counts as no recommendation. */
function emptyReply(cause: unknown): Reply {
  if (WorkflowError.isInstance(cause) && cause.code === 'MODEL_EMPTY') return { text: '', toolCalls: [] };
  throw cause;
}

/** @throws {WorkflowError} `MODEL_OUTPUT_INVALID`, also for a service or a source that no tool has returned. */
function readRecommendation({ text, toolCalls }: Reply, state: GuideAgentState): Recommendation {
  if (toolCalls.length > 0) throw unusable(`all ${state.maxToolCallsPerTask} tool calls are used`);
  const reply = parseJsonReply(text, { schema: recommendationSchema });
  const shown = state.retrievedDocs.filter(({ id }) => state.taskDocs.includes(id));
  if (!shown.some((doc) => showsService(doc, reply.service))) throw unusable(`no tool returned a service ${JSON.stringify(reply.service)}`);
  const unknown = reply.source_ids.filter((source) => !shown.some(({ id }) => id === source));
  if (unknown.length > 0) throw unusable(`no tool returned a document ${unknown.map((id) => JSON.stringify(id)).join(', ')}`);
  return { ...about(state), status: 'recommended', ...reply, service: reply.service.trim() };
}

const unusable = (why: string): WorkflowError =>
  new WorkflowError({ code: 'MODEL_OUTPUT_INVALID', message: `The recommendation was rejected: ${why}.`, hint: 'Ask again.' });

/** Moves to the next sub-task, which starts without this one's messages. */
function finish({ currentTask }: GuideAgentState, recommendation: Recommendation): Partial<GuideAgentState> {
  return {
    toolRecommendations: [recommendation],
    currentTask: currentTask + 1,
    taskMessages: [],
    taskDocs: [],
    taskFallback: false,
    pendingCalls: [],
    toolCallsUsed: 0,
  };
}
