import { checkFields, checkInteger, defineWorkflow, type Json, type JsonObject, type Workflow, WorkflowError } from 'agent-machines';
import type { ArticleIndexOptions } from 'agent-machines/contracts';
import { addTurn, type ConversationMessage } from 'agent-machines/memory';
import { cachedModel, fittedModel, modelsByTask, offlineModel } from 'agent-machines/models';
import {
  type AgentOptions,
  checkAgentOptions,
  checkTimeZone,
  describeDatetime,
  optionKinds,
  parseRequest,
  type StoredTimeZone,
  timeZoneOf,
} from 'agent-machines/tools';
import { type ContractEntry, type ContractLibrary, createContractLibrary, listed } from './contract-library.ts';
import { machine } from './machine.ts';
import { maxContracts } from './max-contracts.ts';
import { askEachContract } from './nodes/ask-each-contract.ts';
import { checkPreviousContext } from './nodes/check-previous-context.ts';
import { evaluateSufficiency } from './nodes/evaluate-sufficiency.ts';
import { executeTools, executeToolsParallel } from './nodes/execute-tools.ts';
import { generateResponse } from './nodes/generate-response.ts';
import { planNextAction } from './nodes/plan-next-action.ts';
import { scopeValidator } from './nodes/scope-validator.ts';
import type { ContractAgentRuleInputs } from './rule-inputs.ts';
import { type ContractAgentServices, type ContractAgentTask, contractAgentTasks } from './services.ts';
import type { ArticleRef, ContractAgentOutput, ContractAgentState } from './state.ts';

export interface ContractAgentOptions extends AgentOptions<ContractAgentTask> {
  /** The contracts that questions may be about: 1 to 500. */
  readonly contracts: readonly ContractEntry[];
  /** Maximum number of rounds of planning and evaluating. @default 4 */
  readonly maxIterations?: number;
  /** Caches a model's replies in memory and reuses them for equal requests. The event `model-end` shows a hit. @default true */
  readonly enableCache?: boolean;
  /** Maximum number of look-ups at the same time. @default 8 */
  readonly concurrency?: number;
  /** Index options: embedder, tokenizer, weights. Default: the options that scored best in our evaluation. */
  readonly retrieval?: ArticleIndexOptions;
}

export interface ContractAgentInput {
  /** The user's question: 1 to 20,000 characters. */
  readonly input: string;
  /** Id of the contract that the question is about. Default: the contracts that the question names, otherwise all. */
  readonly contractId?: string;
  /** The last question and its answer, if they are not in a thread. */
  readonly previousTurn?: readonly ConversationMessage[];
}

interface ContractAgentThread {
  readonly contractId: string;
  readonly previousTurn: readonly ConversationMessage[];
  readonly previousSources: readonly ArticleRef[];
}

const maxQuestionChars = 20_000;
const maxAnswerChars = 8_000;

const ownOptions = {
  contracts: optionKinds.required(
    optionKinds.listOf('{ contract } objects made by parseContract', (value) => isContract(Object(value).contract)),
  ),
  maxIterations: optionKinds.number,
  enableCache: optionKinds.flag,
  concurrency: optionKinds.number,
  retrieval: optionKinds.object,
};
const isContract = (value: unknown): boolean => typeof Object(value).text === 'string' && Array.isArray(Object(value).articles);

/**
 * Answers questions about a contract and cites the articles: checks the question, plans look-ups, reads, evaluates, answers.
 *
 * @throws {WorkflowError} `OPTION_INVALID`, `TIME_ZONE_UNKNOWN`.
 * @example
 * const contract = await loadContract('lease.docx');
 * const run = createRuntime().start(contractAgent({ contracts: [{ contract }] }), { input: '제5조 내용이 뭐야?' });
 */
export function contractAgent(options: ContractAgentOptions): Workflow<ContractAgentInput, ContractAgentState, ContractAgentOutput> {
  checkAgentOptions('contractAgent', options, ownOptions);
  const { contracts, enableCache = true, retrieval } = options;
  const timeZone = checkTimeZone(options.timeZone);
  if (contracts.length === 0) throw invalid('contracts is empty', 'Pass at least one contract.');
  if (contracts.length > maxContracts) {
    throw invalid(`there are ${contracts.length} contracts, more than ${maxContracts}`, 'Pass fewer contracts, such as those of one kind.');
  }
  const library = createContractLibrary(contracts, retrieval);
  const maxIterations = checkInteger('maxIterations', options.maxIterations ?? 4, { min: 1 });
  const { modelFor, modelNames, maxRepairs } = modelsByTask<ContractAgentRuleInputs>(options, {
    otherwise: offlineModel(async () => (await import('./offline/contract-agent-rules.ts')).contractAgentRules, { advice: options.advice }),
    tasks: contractAgentTasks,
    wrap: (given) => fittedModel(enableCache ? cachedModel(given) : given, options),
  });
  const services: ContractAgentServices = {
    modelFor,
    maxRepairs,
    library,
    concurrency: checkInteger('concurrency', options.concurrency ?? 8, { min: 1 }),
  };
  return defineWorkflow<typeof machine, ContractAgentInput & StoredTimeZone, ContractAgentThread>({
    machine,
    id: options.id,
    guards: options.guards,
    nodes: {
      scope_validator: scopeValidator(services),
      check_previous_context: checkPreviousContext(services),
      plan_next_action: planNextAction(services),
      execute_tools: executeTools(services),
      execute_tools_parallel: executeToolsParallel(services),
      evaluate_sufficiency: evaluateSufficiency(services),
      generate_response: generateResponse(services),
      ask_each_contract: askEachContract(services),
    },
    model: modelNames,
    offers: () => ({ limits: { maxIterations, maxRepairs } }),
    parseInput: (input) => ({ ...parseInput(input, library), timeZone }),
    toMachineInput: ({ input, contractId = '', previousTurn, ...stored }, { startedAt, thread }) => {
      const zone = timeZoneOf(stored);
      const same = thread.contractId === contractId; // ignores a conversation about another contract
      return {
        contractId,
        input,
        previousTurn: previousTurn ?? (same ? thread.previousTurn : []),
        previousSources: same && previousTurn === undefined ? thread.previousSources : [],
        currentDatetime: describeDatetime(startedAt, zone),
        timeZone: zone,
        maxIterations,
      };
    },
    thread: {
      initial: { contractId: '', previousTurn: [], previousSources: [] },
      next: (thread, { state, finalState }) => {
        if (finalState !== 'done') return thread;
        const { contractId, input, finalResponse, sources, previousSources } = state;
        return {
          contractId,
          previousTurn: addTurn([], { question: input, answer: finalResponse ?? '' }, { maxMessages: 2, maxChars: maxAnswerChars }),
          // after a `고마워`, `그 조항` still refers to the turn before it
          previousSources: sources.length > 0 ? sources : previousSources,
        };
      },
    },
  });
}

function parseInput(value: ContractAgentInput, { ids, idOf }: ContractLibrary): JsonObject {
  const request = parseRequest(value, { fields: ['contractId', 'previousTurn'], example: 'your question', maxChars: maxQuestionChars });
  const { contractId = ids.length === 1 ? ids[0] : undefined, previousTurn } = value;
  if (contractId !== undefined && (typeof contractId !== 'string' || idOf(contractId) === undefined)) {
    throw new WorkflowError({
      code: 'INPUT_INVALID',
      message: `The contract ${JSON.stringify(contractId)} does not exist.`,
      hint: `Set contractId to ${listed(
        ids.map((id) => JSON.stringify(id)),
        ' or ',
      )}, or leave it out to ask all contracts.`,
    });
  }
  return {
    ...request,
    ...(contractId === undefined ? {} : { contractId }),
    ...(previousTurn === undefined ? {} : { previousTurn: parseTurn(previousTurn) }),
  };
}

function parseTurn(turn: readonly ConversationMessage[]): Json {
  const valid =
    Array.isArray(turn) &&
    turn.length <= 2 &&
    turn.every(({ role, content }) => (role === 'user' || role === 'assistant') && typeof content === 'string');
  if (valid) for (const [index, message] of turn.entries()) checkFields(message, ['role', 'content'], `/previousTurn/${index}`);
  if (valid) return turn.map(({ role, content }) => ({ role, content: content.slice(0, maxAnswerChars) }));
  throw new WorkflowError({
    code: 'INPUT_INVALID',
    message: 'previousTurn is not a question with its answer.',
    hint: "Pass [{ role: 'user', content }, { role: 'assistant', content }].",
  });
}

const invalid = (what: string, hint: string): WorkflowError =>
  new WorkflowError({ code: 'OPTION_INVALID', message: `The contract agent cannot be created: ${what}.`, hint });
