import type { ChatRequest, JsonObject } from 'agent-machines';
import type { ModelAnswer, OfflineRules } from 'agent-machines/models';
import { contentWords } from 'agent-machines/retrieval';
import { composeAnswer } from './offline-answer.ts';
import { asksForForm, asksToCompare, lacksLastTurn, type OfflineFacts } from './offline-facts.ts';
import { readMentions } from './rules/mentions.ts';
import { isSmallTalk } from './rules/scope.ts';

/** Answers the tasks of contract-agent by rules, in Korean and English: by quoting the contract, never by making anything up. */
export const contractAgentRules: OfflineRules = {
  'contract_agent.scope_validator': (request) => checkScope(factsOf(request)),
  'contract_agent.check_previous_context': (request) => checkPreviousContext(factsOf(request)),
  'contract_agent.plan_next_action': (request) => plan(factsOf(request)),
  'contract_agent.evaluate_sufficiency': (request) => evaluate(factsOf(request)),
  'contract_agent.generate_response': (request) => composeAnswer(factsOf(request)),
};

const factsOf = ({ facts }: ChatRequest): OfflineFacts => facts as unknown as OfflineFacts;

/** What the rules of the machine could not decide: a question is looked for in the contract, anything else is not a matter of it. */
function checkScope({ userMessage }: OfflineFacts): JsonObject {
  const asks = /[?？]\s*$|(?:까|나요|니|는지|은지|는가|은가|돼|되나|어때|뭐야|알려줘|보여줘|찾아줘|설명해줘|정리해줘)[?.!~\s]*$/u.test(
    userMessage.trim(),
  );
  const english =
    /^\s*(?:what|who|when|where|why|how|which|can|could|may|must|should|shall|do|does|did|is|are|am|will|would|if|tell|show|explain)\b/i.test(
      userMessage,
    );
  const inScope = asks || english;
  return {
    in_scope: inScope,
    references_previous_context: false,
    reason: inScope ? 'a question, looked for in the contract' : 'not a question',
  };
}

/** A short question without a subject of its own goes on with the last one. */
function checkPreviousContext({ userMessage }: OfflineFacts): JsonObject {
  const goesOn = /^(?:왜|언제|어디|누가|얼마|몇|예외|더|또|and|why|when|how much|what about|any exceptions?|more)\b/iu.test(
    userMessage.trim(),
  );
  const need = goesOn && userMessage.trim().length <= 20;
  return { need_previous_context: need, reasoning: need ? 'a short question that goes on' : 'it stands for itself' };
}

const nothing = 'Nothing has to be looked up.';

function plan(facts: OfflineFacts): ModelAnswer {
  const { userMessage, needPreviousContext, hints, hasStandard, iterationCount, missingInfo, previousTurn } = facts;
  if (iterationCount > 0) {
    if (missingInfo === null) return nothing;
    return { toolCalls: [search(missingInfo, [missingInfo])] };
  }
  if (isSmallTalk(userMessage)) return nothing;
  if (asksToCompare(userMessage)) {
    if (!hasStandard) return nothing;
    const { articleNumbers } = readMentions(userMessage);
    const titles = hints.flatMap(({ args }) => (Array.isArray(args.titles) ? args.titles : []));
    const topic = articleNumbers.length > 0 ? '' : titles.join(', ');
    return { toolCalls: [{ name: 'lookup_standard_contract', arguments: { user_article_numbers: [...articleNumbers], topic } }] };
  }
  const named = hints.map(({ tool, args }) => ({ name: tool, arguments: args }));
  const byNumber = named.filter(({ name }) => name === 'get_article_by_index');
  if (byNumber.length > 0) return { toolCalls: byNumber };
  if (named.length === 0 && (lacksLastTurn(facts) || (needPreviousContext && asksForForm(userMessage)))) return nothing;
  const last = previousTurn.find(({ role }) => role === 'user')?.content;
  const before = needPreviousContext && last !== undefined && !isSmallTalk(last) ? last : undefined;
  const words = contentWords(userMessage);
  return { toolCalls: [...named, search(words, [userMessage, ...(before === undefined ? [] : [`${before} ${userMessage}`])])] };
}

const search = (topic: string, queries: readonly string[]) => ({
  name: 'hybrid_search',
  arguments: {
    topics: [{ topic_name: topic.slice(0, 100) || queries[0]?.slice(0, 100) || '?', queries: queries.map((query) => query.slice(0, 500)) }],
  },
});

function evaluate({ collectedInfo, findings, userMessage }: OfflineFacts): JsonObject {
  const enough = collectedInfo.length > 0 || findings.length > 0;
  return {
    is_sufficient: enough,
    reasoning: enough ? `${collectedInfo.length} articles were read` : 'nothing was found yet',
    missing_info: enough ? null : contentWords(userMessage).slice(0, 200),
  };
}
