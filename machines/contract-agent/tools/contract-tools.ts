import type { OpenContract } from '../contract-library.ts';
import type { ContractTool } from './found-articles.ts';
import { getArticleByIndex } from './get-article-by-index.ts';
import { getArticleByTitle } from './get-article-by-title.ts';
import { hybridSearch } from './hybrid-search.ts';
import { lookupStandardContract } from './lookup-standard-contract.ts';
import { surveyContract } from './survey-contract.ts';

// cached per contract: each new tool compiles its schema again
const made = new WeakMap<OpenContract, readonly ContractTool[]>();

/** Returns the tools of a contract. The run selects the contract; a model cannot choose another one in its arguments. */
export function contractTools(contract: OpenContract): readonly ContractTool[] {
  const known = made.get(contract);
  if (known) return known;
  const tools = [
    hybridSearch(contract),
    getArticleByIndex(contract),
    getArticleByTitle(contract),
    surveyContract(contract),
    ...(contract.standard ? [lookupStandardContract(contract)] : []),
  ];
  made.set(contract, tools);
  return tools;
}
