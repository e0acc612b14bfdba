import type { OpenContract } from '../contract-library.ts';
import { areSeveral, type ContractsOfRun } from '../services.ts';
import { severalTools } from '../several/several-tools.ts';
import type { ContractTool } from './found-articles.ts';
import { getArticleByIndex } from './get-article-by-index.ts';
import { getArticleByTitle } from './get-article-by-title.ts';
import { hybridSearch } from './hybrid-search.ts';
import { lookupStandardContract } from './lookup-standard-contract.ts';
import { surveyContract } from './survey-contract.ts';

// cached per contract and language: each new tool compiles its schema again
const made = { ko: new WeakMap<OpenContract, readonly ContractTool[]>(), en: new WeakMap<OpenContract, readonly ContractTool[]>() };

/** Returns the tools of a run's contracts. */
export const toolsOf = (contracts: ContractsOfRun, options: { readonly korean: boolean }): readonly ContractTool[] =>
  areSeveral(contracts) ? severalTools(contracts, options) : contractTools(contracts, options);

/**
 * Returns the tools of a contract. The run selects the contract; a model cannot choose another one in its arguments.
 * @param options.korean True if the tools describe what they find in Korean, otherwise in English.
 */
function contractTools(contract: OpenContract, { korean }: { readonly korean: boolean }): readonly ContractTool[] {
  const cache = made[korean ? 'ko' : 'en'];
  const known = cache.get(contract);
  if (known) return known;
  const tools = [
    hybridSearch(contract),
    getArticleByIndex(contract),
    getArticleByTitle(contract),
    surveyContract(contract, korean),
    ...(contract.standard ? [lookupStandardContract(contract, korean)] : []),
  ];
  cache.set(contract, tools);
  return tools;
}
