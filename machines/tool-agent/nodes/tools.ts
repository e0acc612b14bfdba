import type { Json, NodeHandler, StandardSchema } from 'agent-machines';
import { answersInKorean } from 'agent-machines/search';
import { answerPendingCalls, checkToolCall, stopOf } from 'agent-machines/tools';
import { activeToolsOf } from '../active-tools.ts';
import type { ToolAgentServices } from '../services.ts';
import type { ToolAgentState } from '../state.ts';
import { saidBefore } from './agent.ts';

/**
 * Executes the model's calls that need no approval. Every call gets an answer, in order, failed ones too. Then the conditions of `stopWhen`
 * decide whether the run ends. No model call.
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
    if ((patch.heldCalls ?? []).length > 0) return { ...patch, messages, madeCalls: calls };
    const said = [...state.messages, ...messages];
    const stop = stopOf(stopWhen, { steps, calls, messages: said, usage, ...(runContext === undefined ? {} : { context: runContext }) });
    if (!stop) return { ...patch, messages, madeCalls: [] };
    return { ...patch, messages, madeCalls: [], ...endWith(stop.output, state, schema), outcome: 'stopped-early' };
  };

/** Answer and output of a run that a condition has ended, with the output of a call or without. */
function endWith(
  output: Json | undefined,
  state: ToolAgentState,
  schema: StandardSchema<unknown> | undefined,
): Pick<ToolAgentState, 'answer' | 'output'> {
  if (output === undefined) {
    const answer = saidBefore(state).find((text) => text.trim() !== '') ?? describeStop(state);
    return { answer, output: schema ? null : answer };
  }
  const answer = typeof output === 'string' ? output : JSON.stringify(output);
  if (!schema) return { answer, output: answer };
  const parsed = schema['~standard'].validate(output);
  return { answer, output: parsed instanceof Promise || parsed.issues ? null : (parsed.value as Json) };
}

const describeStop = ({ input, steps }: ToolAgentState): string =>
  answersInKorean(input)
    ? `정해진 조건에 따라 ${steps}단계 뒤에 멈추었습니다.`
    : `A condition of this agent stopped it after ${steps} ${steps === 1 ? 'step' : 'steps'}.`;
