import { asJson, type NodeHandler, WorkflowError } from 'agent-machines';
import { checkCitations } from 'agent-machines/contracts';
import { askJson } from 'agent-machines/models';
import { answersInKorean } from 'agent-machines/search';
import type { SeveralContracts } from '../contract-library.ts';
import { answerFacts, factQuestion } from '../offline/answer-facts.ts';
import { eachContractPrompt, eachContractSchema } from '../prompts.ts';
import { labelsOfFacts, readFacts } from '../rule-inputs.ts';
import { areSeveral, type ContractAgentServices, contractsOf } from '../services.ts';
import { answerByRule, type ContractMaterial, type ContractReply, nothingFound } from '../several/answer-by-contract.ts';
import { bestSentence } from '../several/best-sentence.ts';
import { judgeEach } from '../several/judge-each.ts';
import { printTable } from '../several/print-table.ts';
import { type ArticleRef, type ContractAgentState, type ContractRow, mergeArticles } from '../state.ts';
import { refOf } from '../tools/found-articles.ts';

/** Maximum number of model calls for a table. More contracts share a call, so that a run stays within its limit of calls. */
const maxCalls = 20;
const maxPassages = 2;

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
        return batch.map((material) => ({ contract: material.name, ...answerByRule(question, material) })); // an unreadable reply
      }
    };
    const answered = (await mapAtOnce(batches, concurrency, askBatch)).flat();
    const byName = new Map(answered.map((row) => [row.contract, row]));
    const table = contracts.names.map((contract) => byName.get(contract) ?? { contract, ...nothingFound });
    const answer = printTable(table, answersInKorean(state.input));
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

interface ReadContracts {
  readonly materials: readonly ContractMaterial[];
  /** References by contract and label. */
  readonly refs: ReadonlyMap<string, ArticleRef>;
}

async function readEach(question: string, contracts: SeveralContracts, signal: AbortSignal): Promise<ReadContracts> {
  const refs = new Map<string, ArticleRef>();
  const materials: ContractMaterial[] = [];
  for (const { name, verdict, passages } of await judgeEach(question, contracts, signal)) {
    const { document } = (await contracts.open(name)).user;
    const read = passages.slice(0, maxPassages).map(({ article, text }) => {
      const ref = { ...refOf('user', document, article), contract: name };
      refs.set(`${name}\u0000${ref.label}`, ref);
      return { label: ref.label, text };
    });
    const facts = factQuestion(question) === undefined ? undefined : readFacts(document);
    const labels = facts === undefined ? {} : labelsOfFacts(document);
    const fact = facts && answerFacts(question, facts, (id) => labels[id] ?? id);
    const sentence = await bestSentence(question, read);
    materials.push({
      name,
      verdict,
      passages: read,
      ...(sentence === undefined ? {} : { sentence }),
      ...(fact === undefined ? {} : { fact: factOf(fact) }),
    });
  }
  return { materials, refs };
}

/** Splits the answer to a question for parties, dates or amounts into its value, place and quote. */
function factOf(fact: string): { readonly value: string; readonly label: string; readonly quote: string } {
  const [list = '', ...places] = fact.split('\n\n');
  const value = list
    .split('\n')
    .slice(1)
    .map((line) => line.replace(/^- /u, ''))
    .join(', ');
  const [label = '', quote = ''] = places[0]?.split('\n> ') ?? [];
  return { value, label, quote };
}

/** A model's row counts only with a quote that stands in the contract's passages; otherwise it is unclear, and a no is nothing. */
function checkedRow(
  question: string,
  material: ContractMaterial,
  reply: { readonly answer: ContractReply['answer']; readonly value: string; readonly quote: string } | undefined,
): ContractRow {
  const { name: contract, passages, sentence, fact } = material;
  if (reply === undefined) return { contract, ...answerByRule(question, material) };
  const { answer, value, quote } = reply;
  const places = [...passages, ...(fact ? [{ label: fact.label, text: fact.quote }] : [])];
  const place = quote.trim() === '' ? undefined : places.find(({ text }) => stands(quote, text));
  if (answer === 'not_found') return { contract, ...nothingFound };
  if (place) return { contract, answer, value: value.slice(0, maxValueChars), quote, label: place.label };
  const [nearest] = passages;
  if (answer === 'no' || !nearest) return { contract, ...nothingFound };
  return { contract, answer: 'unclear', value: '', quote: sentence?.text ?? nearest.text, label: sentence?.label ?? nearest.label };
}

const maxValueChars = 200;

/** True if a text has the words of a quote, one after the other. */
const stands = (quote: string, text: string): boolean => {
  const lines = quote.split('\n').filter((line) => line.trim() !== '');
  const quoted = lines.map((line) => `> ${line}`).join('\n');
  const citations = checkCitations(quoted, { documents: [], read: [{ id: '', label: '', title: '', text }] });
  const checked = citations.filter((citation) => citation.quote !== '');
  return checked.length > 0 && checked.every(({ status }) => status === 'supported');
};

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
