import { type ContractDocument, type ContractFacts, contractFacts } from 'agent-machines/contracts';
import type { OpenContract } from './contract-library.ts';
import type { Hint } from './prompts.ts';
import { areSeveral, type ContractsOfRun } from './services.ts';
import type { ContractMaterial } from './several/answer-by-contract.ts';
import { describeCatalogue } from './several/catalogue.ts';
import type { ArticleRef, CollectedArticle, ContractAgentState } from './state.ts';

/** Input of the rules about the question, and about the results so far. */
export type QuestionInput = Pick<
  ContractAgentState,
  | 'input'
  | 'previousTurn'
  | 'needPreviousContext'
  | 'missingInfo'
  | 'iterationCount'
  | 'toolHistory'
  | 'collectedInfo'
  | 'findings'
  | 'wording'
  | 'exceptions'
  | 'decisionLog'
>;

interface OutlineInput {
  /** Name of the contract, if answers name it. */
  readonly name?: string;
  /** Descriptions of the contracts, for a question over several; otherwise empty. */
  readonly several: readonly string[];
  /** Number of contracts. */
  readonly count: number;
  readonly title: string;
  readonly hasStandard: boolean;
  /** `paragraphs`: the document's structure was not recognized. */
  readonly structure: ContractDocument['structure'];
  /** Facts that the contract states about itself. */
  readonly facts: ContractFacts;
  /** Labels of the parts that state the facts, by id. */
  readonly factLabels: Readonly<Record<string, string>>;
  readonly outline: readonly (Pick<ArticleRef, 'label' | 'title'> & { readonly part: string; readonly deleted: boolean })[];
}

/** Inputs of the rules, by task. Each holds the data that the task's prompt is made from. */
export interface ContractAgentRuleInputs {
  readonly 'contract_agent.scope_validator': QuestionInput & OutlineInput;
  readonly 'contract_agent.check_previous_context': QuestionInput;
  readonly 'contract_agent.plan_next_action': QuestionInput & OutlineInput & { readonly hints: readonly Hint[] };
  readonly 'contract_agent.evaluate_sufficiency': QuestionInput;
  readonly 'contract_agent.generate_response': QuestionInput & OutlineInput & { readonly previousArticles: readonly CollectedArticle[] };
  readonly 'contract_agent.ask_each_contract': { readonly question: string; readonly contracts: readonly ContractMaterial[] };
}

/** Returns the part of a state that the rules read. */
export const questionInput = (state: ContractAgentState): QuestionInput => {
  const { input, previousTurn, needPreviousContext, missingInfo, iterationCount } = state;
  const { toolHistory, collectedInfo, findings, wording, exceptions, decisionLog } = state;
  return {
    input,
    previousTurn,
    needPreviousContext,
    missingInfo,
    iterationCount,
    toolHistory,
    collectedInfo,
    findings,
    wording,
    exceptions,
    decisionLog,
  };
};

const factsOf = new WeakMap<ContractDocument, ContractFacts>();

/** Caches the facts: every task reads the same contract. */
export function readFacts(document: ContractDocument): ContractFacts {
  const facts = factsOf.get(document) ?? contractFacts(document);
  factsOf.set(document, facts);
  return facts;
}

const maxCatalogueChars = 8_000;
const noFacts: ContractFacts = { parties: [], dates: [], amounts: [] };

/** Returns the outline of the contract, or the list of several. */
export const outlineInput = (contracts: ContractsOfRun): OutlineInput =>
  areSeveral(contracts)
    ? {
        title: '',
        several: describeCatalogue(contracts.catalogue, { maxChars: maxCatalogueChars, korean: false }),
        count: contracts.names.length,
        structure: 'articles',
        facts: noFacts,
        factLabels: {},
        hasStandard: false,
        outline: [],
      }
    : outlineOfOne(contracts);

const outlineOfOne = ({ user, standard, name }: OpenContract): OutlineInput => ({
  ...(name === undefined ? {} : { name }),
  several: [],
  count: 1,
  title: user.document.title,
  structure: user.document.structure,
  facts: readFacts(user.document),
  factLabels: labelsOfFacts(user.document),
  hasStandard: standard !== undefined,
  outline: user.document.articles.map(({ label, title, part, deleted }) => ({ label, title, part, deleted })),
});

export function labelsOfFacts(document: ContractDocument): Readonly<Record<string, string>> {
  const { parties, dates, amounts } = readFacts(document);
  const ids = new Set([...parties, ...dates, ...amounts].map(({ partId }) => partId));
  return Object.fromEntries(document.parts.flatMap(({ id, label }) => (ids.has(id) ? [[id, label]] : [])));
}
