import type { JsonObject } from 'agent-machines';
import { askedWords } from 'agent-machines/contracts';
import type { ModelAnswer, OfflineRules } from 'agent-machines/models';
import { answersInKorean, contentWords } from 'agent-machines/search';
import type { ContractAgentRuleInputs } from '../rule-inputs.ts';
import { describeParagraphs } from '../rules/describe-verdict.ts';
import { readMentions } from '../rules/mentions.ts';
import { questionCoverage } from '../rules/question-coverage.ts';
import { isSmallTalk } from '../rules/scope.ts';
import { answerByRule } from '../several/answer-by-contract.ts';
import { factQuestion, partsOfFacts } from './answer-facts.ts';
import { composeAnswer } from './compose-answer.ts';
import { asksForForm, fullQuestion, lacksLastTurn, wantsComparison } from './question.ts';

/** Answers the tasks of contract-agent by rules, in Korean and English: only by quoting the contract. */
export const contractAgentRules: OfflineRules<ContractAgentRuleInputs> = {
  'contract_agent.scope_validator': ({ ruleInput }) => checkScope(ruleInput),
  'contract_agent.check_previous_context': ({ ruleInput }) => checkPreviousContext(ruleInput),
  'contract_agent.plan_next_action': ({ ruleInput }) => plan(ruleInput),
  'contract_agent.evaluate_sufficiency': ({ ruleInput }) => evaluate(ruleInput),
  'contract_agent.generate_response': ({ ruleInput }) => withName(ruleInput, withStructureNotice(ruleInput, composeAnswer(ruleInput))),
  'contract_agent.ask_each_contract': ({ ruleInput: { question, contracts } }) => ({
    rows: contracts.map((material) => {
      const { answer, value, quote } = answerByRule(question, material);
      return { contract: material.name, answer, value, quote };
    }),
  }),
};

/** Names the contract of an answer that does not name it. */
const withName = ({ name, input }: ContractAgentRuleInputs['contract_agent.generate_response'], answer: string): string =>
  name === undefined || isSmallTalk(input) || answer.includes(name) ? answer : `${name}:\n\n${answer}`;

/** Adds a note that the document was searched by paragraphs, so it may contain more than was found. */
function withStructureNotice({ structure, input }: ContractAgentRuleInputs['contract_agent.generate_response'], answer: string): string {
  if (structure === 'articles' || isSmallTalk(input)) return answer;
  return `${describeParagraphs(answersInKorean(input))}\n\n${answer}`;
}

/** Decides questions that the scope rules left open: a question counts as in scope, any other message does not. */
function checkScope({ input, outline }: ContractAgentRuleInputs['contract_agent.scope_validator']): JsonObject {
  const asks =
    /[?？]|(?:까|까요|나|나요|니|냐|데요|래요|는지|은지|[는은인한던]가|가요|에요|예요|죠|[으]?면|려면|는데|돼|되나|어때|(?:뭐|언제|얼마|어디|누구)야|야\s?해|가능해|(?:경우|조건|기준|방법|절차|서류|규정)|(?:알려|보여|찾아|설명해|정리해|가르쳐)\s?(?:줘|주세요|줘요))[?.!~ㅠㅜㅋㅎ…\s]*$/u.test(
      input.trim(),
    ) ||
    (/(?:^|\s)(?:누가|누구|언제|어디|어느|어떤|어떻게|어떡|무엇|무슨|뭐|뭘|왜|몇|얼마|며칠)/u.test(input) &&
      /요[.!~]*$/u.test(input.trim()));
  const named = outline.some(({ title }) => title !== '' && questionCoverage(input, title) >= 0.5);
  const english =
    /^\s*(?:what|who|when|where|why|how|which|can|could|may|must|should|shall|do|does|did|is|are|am|will|would|if|tell|show|explain)\b/i.test(
      input,
    );
  // a story with its question behind it: `They are late again. Do we get something for that`
  const told =
    /(?:^|[.,;!]\s{0,3}|\b(?:and|so|but|or)\s)(?:do|does|can|could|may|must|should|shall|will|would|is|are|what|who|when|where|how|why)\s(?:i|we|you|he|she|it|they|the|my|our|this|that|there|now|if|then|happens)\b/iu.test(
      input,
    );
  const inScope = asks || english || told || named || factQuestion(input) !== undefined;
  return {
    in_scope: inScope,
    references_previous_context: false,
    reason: inScope ? 'a question, looked for in the contract' : 'not a question',
  };
}

/** Continues the last turn if the question is short and has no subject of its own. */
function checkPreviousContext({ input }: ContractAgentRuleInputs['contract_agent.check_previous_context']): JsonObject {
  const text = input.trim();
  const goesOn = /^(?:왜|언제|어디|누가|얼마|몇)/u.test(text) && askedWords(text).length === 0;
  const continues = /^(?:예외(?:는|가|도)?|더|또)(?![가-힣])|^(?:and|why|when|how much|what about|any exceptions?|more)\b/iu.test(text);
  const need = (goesOn || continues) && text.length <= 20;
  return { need_previous_context: need, reasoning: need ? 'a short question that goes on' : 'it stands for itself' };
}

const nothing = 'Nothing has to be looked up.';

function plan(ruleInput: ContractAgentRuleInputs['contract_agent.plan_next_action']): ModelAnswer {
  const { input, needPreviousContext, hints, hasStandard, iterationCount, missingInfo, previousTurn } = ruleInput;
  if (iterationCount > 0) {
    if (missingInfo === null) return nothing;
    return { toolCalls: [search(missingInfo, [missingInfo])] };
  }
  if (isSmallTalk(input)) return nothing;
  // the best passages of several contracts are read before
  if (ruleInput.several.length > 0)
    return hints.length > 0 ? { toolCalls: hints.map(({ tool, args }) => ({ name: tool, arguments: args })) } : nothing;
  if (wantsComparison(ruleInput)) {
    if (!hasStandard) return nothing;
    const { articleNumbers } = readMentions(input);
    const titles = hints.flatMap(({ args }) => (Array.isArray(args.titles) ? args.titles : []));
    const topic = articleNumbers.length > 0 ? '' : titles.join(', ');
    return { toolCalls: [{ name: 'lookup_standard_contract', arguments: { user_article_numbers: [...articleNumbers], topic } }] };
  }
  const named = hints.map(({ tool, args }) => ({ name: tool, arguments: args }));
  const byNumber = named.filter(({ name }) => name === 'get_article_by_index' || name === 'survey_contract');
  if (byNumber.length > 0) return { toolCalls: byNumber };
  const asked = factQuestion(input);
  const saying = asked === undefined ? [] : partsOfFacts(asked, ruleInput.facts).flatMap((id) => ruleInput.factLabels[id] ?? []);
  if (saying.length > 0) return { toolCalls: [{ name: 'get_article_by_title', arguments: { titles: [...new Set(saying)].slice(0, 10) } }] };
  if (named.length === 0 && (lacksLastTurn(ruleInput) || (needPreviousContext && asksForForm(input)))) return nothing;
  const last = previousTurn.find(({ role }) => role === 'user')?.content;
  const before = needPreviousContext && last !== undefined && !isSmallTalk(last) ? last : undefined;
  const words = contentWords(input);
  const queries = new Set([fullQuestion(ruleInput), ...(before === undefined ? [] : [`${before} ${input}`])]);
  return { toolCalls: [...named, search(words, [...queries])] };
}

const search = (topic: string, queries: readonly string[]) => ({
  name: 'hybrid_search',
  arguments: {
    topics: [{ topic_name: topic.slice(0, 100) || queries[0]?.slice(0, 100) || '?', queries: queries.map((query) => query.slice(0, 500)) }],
  },
});

function evaluate({ collectedInfo, findings, input }: ContractAgentRuleInputs['contract_agent.evaluate_sufficiency']): JsonObject {
  const enough = collectedInfo.length > 0 || findings.length > 0;
  return {
    is_sufficient: enough,
    reasoning: enough ? `${collectedInfo.length} articles were read` : 'nothing was found yet',
    missing_info: enough ? null : contentWords(input).slice(0, 200),
  };
}
