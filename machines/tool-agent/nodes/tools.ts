import { type Json, joinTaint, type NodeHandler, type StandardSchema } from 'agent-machines';
import { guardAnswer } from 'agent-machines/models';
import { answersInKorean } from 'agent-machines/search';
import { answerLinks, answerPendingCalls, checkToolCall, limitFiles, type PastCall, stopOf, toModelContent } from 'agent-machines/tools';
import { activeToolsOf } from '../active-tools.ts';
import { questionMessage } from '../prompts.ts';
import type { ToolAgentServices } from '../services.ts';
import type { ToolAgentState } from '../state.ts';
import { saidBefore } from './agent.ts';

/**
 * Executes the model's calls that need no approval. Every call gets an answer, in order, failed ones too. Then the conditions of `stopWhen`
 * decide whether the run ends; the guards check its answer like a model's. No model call.
 */
export const tools =
  ({ tools, stopWhen, schema, allowEgress, allowTargets }: ToolAgentServices): NodeHandler<ToolAgentState> =>
  async (state, io) => {
    const { steps, usage, runContext } = state;
    const granted = activeToolsOf(tools, state);
    const { patch, messages, results } = await answerPendingCalls(state, {
      check: (call) => checkToolCall(call, { tools: granted }),
      tools: granted,
      io,
      allowEgress,
      allowTargets,
    });
    if (stopWhen.length === 0) return { ...patch, messages };
    const calls = [...state.madeCalls, ...results];
    if ((patch.heldCalls ?? []).length > 0) return { ...patch, messages, madeCalls: calls.map(withoutOutputFiles) };
    const said = [...state.messages, ...messages];
    const stop = stopOf(stopWhen, { steps, calls, messages: said, usage, ...(runContext === undefined ? {} : { context: runContext }) });
    if (!stop) return { ...patch, messages, madeCalls: [] };
    const about = { task: 'tool_agent.agent', messages: [...state.history, questionMessage(state), ...said] };
    const taint = joinTaint(state.taint, patch.taint ?? state.taint);
    const found = stop.output === undefined ? saidBefore(state) : limitFiles(stop.output, 0);
    const checks = { io, holdAnswers: true, ...answerLinks(taint, allowTargets) };
    const { value, heldBy } = found === undefined ? { value: describeStop(state), heldBy: [] } : await guardAnswer(found, about, checks);
    const answer = toModelContent(value).text;
    const output = schema ? (stop.output === undefined ? null : readBy(schema, value)) : answer;
    return { ...patch, messages, madeCalls: [], answer, output, heldBy, outcome: 'stopped-early' };
  };

/** The messages of the step have the files; a second copy could exceed the size of a patch. */
const withoutOutputFiles = (past: PastCall): PastCall =>
  past.status === 'success' ? { ...past, output: limitFiles(past.output, 0) } : past;

/** Returns the value as the schema parses it, or `null` if it does not match. */
function readBy(schema: StandardSchema<unknown>, value: Json): Json {
  const parsed = schema['~standard'].validate(value);
  return parsed instanceof Promise || parsed.issues ? null : (parsed.value as Json);
}

const describeStop = ({ input, steps }: ToolAgentState): string =>
  answersInKorean(input)
    ? `정해진 조건에 따라 ${steps}단계 뒤에 멈추었습니다.`
    : `A condition of this agent stopped it after ${steps} ${steps === 1 ? 'step' : 'steps'}.`;
