import { type NodeHandler, WorkflowError } from 'agent-machines';
import { askJson } from 'agent-machines/models';
import { answersInKorean } from 'agent-machines/search';
import type { SchemaOutput } from 'agent-machines/tools';
import type { ContractLibrary, OpenContract, SeveralContracts } from '../contract-library.ts';
import { scopePrompt, scopeSchema } from '../prompts.ts';
import { outlineInput, questionInput } from '../rule-inputs.ts';
import { refersBack, type ScopeByRule, scopeByRule } from '../rules/scope.ts';
import { namesPart } from '../rules/survey.ts';
import { areSeveral, type ContractAgentServices, contractsOf } from '../services.ts';
import { asksEach, asksForCatalogue } from '../several/asks-each.ts';
import { contractsNamed } from '../several/contracts-named.ts';
import type { ContractAgentState } from '../state.ts';

/**
 * Decides whether the question is about the contract. Rules come first; one model call if they cannot decide. An unreadable verdict counts
 * as out of scope.
 */
export const scopeValidator =
  ({ modelFor, maxRepairs, library }: ContractAgentServices): NodeHandler<ContractAgentState> =>
  async (state, io) => {
    const contractIds = chooseContracts(state, library);
    const contracts = await contractsOf({ ...state, contractIds }, library);
    const { input } = state;
    const byRule = areSeveral(contracts) ? scopeOfSeveral(state, contracts) : scopeOfOne(state, contracts);
    // rules never say no: an unmatched question may still refer back
    const back = refersBack(input) ? true : null;
    const known = { contractIds, contractHash: contracts.hash, needPreviousContext: back };
    if (byRule.inScope !== undefined) return { ...known, ...verdict(state, byRule.inScope, byRule.reason) };
    const task = 'contract_agent.scope_validator';
    const request = {
      task,
      messages: scopePrompt(state, contracts),
      deterministic: true,
    };
    let reply: SchemaOutput<typeof scopeSchema>;
    try {
      reply = await askJson(modelFor(task, { ...questionInput(state), ...outlineInput(contracts) }), request, {
        io,
        schema: scopeSchema,
        maxRepairs,
      });
    } catch (error) {
      if (!WorkflowError.isInstance(error) || error.code !== 'MODEL_OUTPUT_INVALID') throw error;
      return { ...known, inScope: false, scopeReason: error.message, finalResponse: unchecked(input) };
    }
    return {
      ...known,
      needPreviousContext: back ?? (reply.references_previous_context ? true : null),
      ...verdict(state, reply.in_scope, reply.reason),
    };
  };

/** The contracts of a question, if the caller chose none: those that it names, or those of the last answer, or all. */
function chooseContracts({ contractId, input, previousSources }: ContractAgentState, library: ContractLibrary): readonly string[] {
  if (contractId !== '') return [];
  const named = contractsNamed(input, library.catalogue());
  if (named.length > 0) return named;
  const last = [...new Set(previousSources.flatMap(({ contract = '' }) => library.idOf(contract) ?? []))];
  return last.length > 0 && refersBack(input) && !asksEach(input) ? last : library.ids;
}

function scopeOfOne({ input, previousTurn }: ContractAgentState, { user, name }: OpenContract): ScopeByRule {
  const rule = scopeByRule(input, previousTurn.length > 0, user.document.text);
  if (rule.inScope === true) return rule;
  if (name !== undefined && rule.inScope === undefined) return { inScope: true, reason: `is about ${name}` };
  return namesPart(input, user.document) ? { inScope: true, reason: 'names a part of the contract' } : rule;
}

function scopeOfSeveral({ input, previousTurn }: ContractAgentState, { catalogue }: SeveralContracts): ScopeByRule {
  if (asksEach(input) || asksForCatalogue(input)) return { inScope: true, reason: 'asks about all contracts' };
  const rule = scopeByRule(input, previousTurn.length > 0);
  const isKnown = rule.inScope === false && catalogue.some(({ document }) => scopeByRule(input, false, document.text).inScope !== false);
  return isKnown ? { reason: 'no rule decides' } : rule;
}

const verdict = ({ input }: ContractAgentState, inScope: boolean, scopeReason: string): Partial<ContractAgentState> => ({
  inScope,
  scopeReason,
  ...(inScope ? {} : { finalResponse: refusal(input) }),
});

const refusal = (question: string): string =>
  answersInKorean(question)
    ? '이 계약서에 관한 질문에만 답할 수 있습니다. 조항의 내용, 계약 기간, 대금, 해지, 손해배상 등을 물어보세요.'
    : 'I can only answer questions about this contract: what an article says, its term, payment, termination, damages and the like.';

const unchecked = (question: string): string =>
  answersInKorean(question)
    ? '이 질문이 계약서에 관한 것인지 확인하지 못했습니다. 다시 한 번, 조항이나 주제를 넣어 물어봐 주세요.'
    : 'I could not check whether this question is about the contract. Please ask again and name an article or a topic.';
