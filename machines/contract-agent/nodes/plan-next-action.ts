import { type ModelToolCall, type NodeHandler, type Tool, WorkflowError } from 'agent-machines';
import { askModel } from 'agent-machines/models';
import { answersInKorean } from 'agent-machines/search';
import { parseToolCall, toModelTools, toolSignature } from 'agent-machines/tools';
import { planPrompt } from '../prompts.ts';
import { outlineInput, questionInput } from '../rule-inputs.ts';
import { lookAtWording } from '../rules/look-at-wording.ts';
import { proposeTools } from '../rules/propose-tools.ts';
import { type ContractAgentServices, contractOf } from '../services.ts';
import type { ContractAgentState, PlannedCall, ToolRecord } from '../state.ts';
import { contractTools } from '../tools/contract-tools.ts';

/** Chooses the next look-ups, with one model call. Keeps only valid calls that have not been made before. */
export const planNextAction =
  ({ modelFor, library }: ContractAgentServices): NodeHandler<ContractAgentState> =>
  async (state, io) => {
    const contract = await contractOf(state, library);
    const tools = contractTools(contract, { korean: answersInKorean(state.input) });
    const isFirst = state.toolHistory.length === 0 && state.iterationCount === 0;
    const hints = isFirst ? proposeTools(state.input, contract) : [];
    const wording = isFirst ? lookAtWording(state, contract) : state.wording;
    io.emit({ type: 'thinking', step: 'planning', content: state.missingInfo ?? state.input });
    const task = 'contract_agent.plan_next_action';
    const { toolCalls } = await askModel(
      modelFor(task, { ...questionInput(state), ...outlineInput(contract), hints }),
      {
        task,
        messages: planPrompt({ ...state, wording }, contract, hints),
        tools: toModelTools(tools),
        toolChoice: 'auto',
        deterministic: true,
      },
      { io },
    );
    const { runnable, skipped } = sortCalls(toolCalls, tools, state);
    if (runnable.length > 0) {
      io.emit({ type: 'thinking', step: 'tool_selected', content: runnable.map(({ name, args }) => ({ tool: name, args })) });
    }
    return {
      nextTools: runnable,
      allToolsSkipped: toolCalls.length > 0 && runnable.length === 0,
      toolHistory: skipped,
      wording,
    };
  };

/** Splits the calls into runnable ones, in order, and skipped ones with the reason. */
function sortCalls(
  calls: readonly ModelToolCall[],
  tools: readonly Tool[],
  { toolHistory, iterationCount }: ContractAgentState,
): { readonly runnable: readonly PlannedCall[]; readonly skipped: readonly ToolRecord[] } {
  const made = new Set(toolHistory.filter(({ status }) => status !== 'skipped').map(({ signature }) => signature));
  const runnable: PlannedCall[] = [];
  const skipped: ToolRecord[] = [];
  for (const call of calls) {
    const record = { tool: call.name, iteration: iterationCount + 1, status: 'skipped', found: [] } as const;
    try {
      const { name, args } = parseToolCall(call, { tools });
      const signature = toolSignature({ name, args });
      if (made.has(signature)) skipped.push({ ...record, args, signature, reason: 'it has been made before' });
      else runnable.push({ id: call.id, name, args, signature, parallel: tools.find((tool) => tool.name === name)?.effect !== 'once' });
      made.add(signature);
    } catch (error) {
      if (!WorkflowError.isInstance(error)) throw error;
      skipped.push({
        ...record,
        args: call.arguments.slice(0, maxArgumentChars),
        signature: '',
        reason: `${error.code}: ${error.message}`,
      });
    }
  }
  return { runnable, skipped };
}

const maxArgumentChars = 2_000;
