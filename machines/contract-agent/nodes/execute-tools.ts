import type { NodeHandler, ToolOutput } from 'agent-machines';
import { answersInKorean } from 'agent-machines/search';
import { executeCalls, parseToolCall } from 'agent-machines/tools';
import { articlesOf, exceptionsOf } from '../rules/look-at-wording.ts';
import { areSeveral, type ContractAgentServices, contractsOf } from '../services.ts';
import { type ContractAgentState, inContract, mergeArticles, type ToolRecord, toRef, withoutArticles } from '../state.ts';
import { toolsOf } from '../tools/contract-tools.ts';

/** Runs the look-ups one after the other. No model call. */
export const executeTools = (services: ContractAgentServices): NodeHandler<ContractAgentState> => execute(services, 1);

/** Runs the look-ups in parallel; results keep the order of the calls. No model call. */
export const executeToolsParallel = (services: ContractAgentServices): NodeHandler<ContractAgentState> =>
  execute(services, services.concurrency);

const execute =
  ({ library }: ContractAgentServices, concurrency: number): NodeHandler<ContractAgentState> =>
  async (state, io) => {
    const { nextTools, iterationCount } = state;
    const contracts = await contractsOf(state, library);
    const tools = toolsOf(contracts, { korean: answersInKorean(state.input) });
    const name = areSeveral(contracts) ? undefined : contracts.name;
    // calls from a journal are untrusted, so they are checked again
    const calls = nextTools.map(({ id, name, args }) => parseToolCall({ id, name, arguments: JSON.stringify(args) }, { tools }));
    const { results } = await executeCalls(calls, { tools, concurrency, io, signal: io.signal });
    const outputs = results.map((past) => (past.status === 'success' ? past.output : nothingFound));
    const toolHistory = results.map((past, index): ToolRecord => {
      const { call, status, signature } = past;
      const found = outputs[index]?.articles.map(({ label }) => label) ?? [];
      const reason = past.status === 'failure' ? `${past.error.code}: ${past.error.message}` : undefined;
      const iteration = iterationCount + 1;
      return { tool: call.name, args: call.args, iteration, status, ...(reason === undefined ? {} : { reason }), signature, found };
    });
    const brought = results.flatMap(({ call }, index) =>
      inContract(outputs[index]?.articles ?? [], name).map((article) => ({ ...article, via: call.name })),
    );
    // the node before has read the passages of several contracts
    const nearby = areSeveral(contracts) ? [] : articlesOf(state.wording?.passages ?? [], contracts, 'wording');
    const read = mergeArticles([], [...brought, ...nearby]);
    const exceptions = areSeveral(contracts) ? [] : exceptionsOf(state, contracts, read);
    const collectedInfo = areSeveral(contracts) ? read : mergeArticles(read, articlesOf(exceptions, contracts, 'exception'));
    const exploredArticles = mergeArticles([], collectedInfo.map(toRef));
    const explored = mergeArticles(state.exploredArticles, exploredArticles);
    const beside = inContract(
      outputs.flatMap((output) => output.beside),
      name,
    );
    return {
      toolHistory,
      collectedInfo,
      findings: outputs.flatMap(({ findings }) => findings),
      exceptions,
      exploredArticles,
      unexploredArticles: withoutArticles(mergeArticles(state.unexploredArticles, beside.map(toRef)), explored),
      nextTools: [],
    };
  };

const nothingFound: ToolOutput<ReturnType<typeof toolsOf>[number]> = { articles: [], beside: [], findings: [] };
