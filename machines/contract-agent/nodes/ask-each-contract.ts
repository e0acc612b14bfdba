import { asJson, type NodeHandler, WorkflowError } from 'agent-machines';
import { askJson, guardAnswer } from 'agent-machines/models';
import { answersInKorean } from 'agent-machines/search';
import { answerLinks } from 'agent-machines/tools';
import { eachContractPrompt, eachContractSchema } from '../prompts.ts';
import { areSeveral, type ContractAgentServices, contractsOf } from '../services.ts';
import type { ContractMaterial } from '../several/answer-by-contract.ts';
import { printTable } from '../several/print-table.ts';
import { type ContractAgentState, type ContractRow, mergeArticles } from '../state.ts';

/** Maximum number of model calls for a table. More contracts share a call, so that a run stays within its limit of calls. */
const maxCalls = 20;

/**
 * Asks each contract the same question: judges its wording, and lets the model answer from its best passages. At most 20 calls, each a
 * step of its own, so that a restart repeats none. A contract without any passage has no answer, and is not shown to the model.
 */
export const askEachContract =
  ({ modelFor, maxRepairs, library, concurrency }: ContractAgentServices): NodeHandler<ContractAgentState> =>
  async (state, io) => {
    const contracts = await contractsOf(state, library);
    const question = state.eachQuestion ?? state.input;
    if (!areSeveral(contracts)) throw new Error('A table needs several contracts.');
    io.emit({ type: 'thinking', step: 'asking_each_contract', content: question });
    // with their synonyms, these rules are large
    const { checkedRow, emptyRow, readEach, rowByRule } = await import('../several/contract-rows.ts');
    const { materials, refs } = await readEach(question, contracts, io.signal);
    const asked = materials.filter(({ passages, fact }) => passages.length > 0 || fact !== undefined);
    const size = Math.max(1, Math.ceil(asked.length / maxCalls));
    const batches = Array.from({ length: Math.ceil(asked.length / size) }, (_, at) => asked.slice(at * size, (at + 1) * size));
    const task = 'contract_agent.ask_each_contract';
    const askBatch = async (batch: readonly ContractMaterial[], at: number): Promise<readonly ContractRow[]> => {
      const request = { task, messages: eachContractPrompt(question, batch), deterministic: true };
      const options = { io, schema: eachContractSchema, maxRepairs, step: `contracts_${at + 1}` };
      try {
        const { rows } = await askJson(modelFor(task, { question, contracts: batch }), request, options);
        return batch.map((material) =>
          checkedRow(
            question,
            material,
            rows.find(({ contract }) => contract === material.name),
          ),
        );
      } catch (error) {
        if (!WorkflowError.isInstance(error) || error.code !== 'MODEL_OUTPUT_INVALID') throw error;
        return batch.map((material) => rowByRule(question, material)); // an unreadable reply
      }
    };
    const answered = (await mapAtOnce(batches, concurrency, askBatch)).flat();
    const byName = new Map(answered.map((row) => [row.contract, row]));
    const table = contracts.names.map((contract) => byName.get(contract) ?? emptyRow(contract));
    const printed = printTable(table, answersInKorean(state.input));
    const about = { task, messages: [{ role: 'user', content: state.input }] } as const;
    const { value } = await guardAnswer(printed, about, { io, ...answerLinks(contractTaint, []) });
    const answer = typeof value === 'string' ? value : printed;
    const sources = mergeArticles(
      [],
      table.flatMap(({ contract, label, quote }) => (quote === '' ? [] : (refs.get(`${contract}\u0000${label}`) ?? []))),
    );
    io.emit({ type: 'token', text: answer });
    io.emit({ type: 'sources', sources: asJson(sources) });
    const isFound = table.some(({ answer }) => answer !== 'not_found' && answer !== 'unclear');
    const isNear = table.some(({ answer }) => answer === 'unclear');
    return { table, finalResponse: answer, sources, verdict: isFound ? 'answer' : isNear ? 'nearest' : 'silent' };
  };

/** Contracts are private, and their texts untrusted. */
const contractTaint = { private: true, untrusted: true };

/** Maps a list with a limited number of pieces at once, and keeps their order. */
async function mapAtOnce<T, R>(list: readonly T[], atOnce: number, work: (each: T, at: number) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  const entries = list.entries();
  let hasFailed = false;
  const worker = async (): Promise<void> => {
    for (const [at, each] of entries) {
      if (hasFailed) return;
      results[at] = await work(each, at).catch((error: unknown) => {
        hasFailed = true;
        throw error;
      });
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, list.length) }, worker));
  return results;
}
