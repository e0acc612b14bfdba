import { type ModelToolCall, type NodeHandler, type Tool, WorkflowError } from 'agent-machines';
import { askModel } from 'agent-machines/models';
import { answersInKorean } from 'agent-machines/search';
import { parseToolCall, toModelTools, toolSignature } from 'agent-machines/tools';
import { planPrompt } from '../prompts.ts';
import { outlineInput, questionInput } from '../rule-inputs.ts';
import { lookAtWording, namedWording } from '../rules/look-at-wording.ts';
import { proposeForSeveral, proposeTools } from '../rules/propose-tools.ts';
import { areSeveral, type ContractAgentServices, type ContractsOfRun, contractsOf } from '../services.ts';
import { withoutNames } from '../several/contracts-named.ts';
import { articlesOfSeveral, lookAtSeveral } from '../several/look-at-several.ts';
import { askEachTool } from '../several/several-tools.ts';
import { type ContractAgentState, mergeArticles, type PlannedCall, type ToolRecord, toRef } from '../state.ts';
import { toolsOf } from '../tools/contract-tools.ts';

/** Chooses the next look-ups, with one model call. Keeps only valid calls that have not been made before. */
export const planNextAction =
  ({ modelFor, library }: ContractAgentServices): NodeHandler<ContractAgentState> =>
  async (state, io) => {
    const contracts = await contractsOf(state, library);
    const tools = toolsOf(contracts, { korean: answersInKorean(state.input) });
    const isFirst = state.toolHistory.length === 0 && state.iterationCount === 0;
    const { hints, wording, articles } = isFirst
      ? await firstLook(state, contracts, io.signal)
      : { hints: [], wording: state.wording, articles: [] };
    io.emit({ type: 'thinking', step: 'planning', content: state.missingInfo ?? state.input });
    const task = 'contract_agent.plan_next_action';
    const { toolCalls } = await askModel(
      modelFor(task, { ...questionInput(state), ...outlineInput(contracts), hints }),
      {
        task,
        messages: planPrompt({ ...state, wording }, contracts, hints),
        tools: toModelTools(tools),
        toolChoice: 'auto',
        deterministic: true,
      },
      { io },
    );
    const { runnable, skipped } = sortCalls(toolCalls, tools, state);
    const each = runnable.find(({ name }) => name === askEachTool);
    if (each) return { nextTools: [], allToolsSkipped: false, eachQuestion: String(each.args.question), toolHistory: skipped, wording };
    if (runnable.length > 0) {
      io.emit({ type: 'thinking', step: 'tool_selected', content: runnable.map(({ name, args }) => ({ tool: name, args })) });
    }
    return {
      nextTools: runnable,
      allToolsSkipped: toolCalls.length > 0 && runnable.length === 0,
      toolHistory: skipped,
      wording,
      ...(articles.length > 0 ? { collectedInfo: articles, exploredArticles: mergeArticles([], articles.map(toRef)) } : {}),
    };
  };

/** Hints from the question, and the wording that it finds. The passages of several contracts are read at once. */
async function firstLook(state: ContractAgentState, contracts: ContractsOfRun, signal: AbortSignal) {
  if (!areSeveral(contracts)) {
    const { name } = contracts;
    const asked = name === undefined ? state : { ...state, input: withoutNames(state.input, [name]) };
    const wording = namedWording(lookAtWording(asked, contracts), contracts);
    return { hints: proposeTools(state.input, contracts), wording, articles: [] };
  }
  const wording = await lookAtSeveral(state, contracts, signal);
  const articles = await articlesOfSeveral(wording, contracts);
  return { hints: proposeForSeveral(state.input, contracts), wording, articles };
}

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
