import {
  callForNeed,
  describeReturnedCall,
  describeUnavailable,
  knownAnswers,
  lastAnswerOf,
  type ModelAnswer,
  modelNeeded,
  type Need,
  type OfflineRules,
  readNeeds,
  returnedCalls,
  rulesRefused,
} from 'agent-machines/models';
import { answersInKorean } from 'agent-machines/search';
import type { ToolAgentRuleInputs } from '../rule-inputs.ts';

type AgentInput = ToolAgentRuleInputs['tool_agent.agent'];

/** Answers the task of tool-agent by rules, in Korean and English, only from tools that the rules know. */
export const toolAgentRules: OfflineRules<ToolAgentRuleInputs> = {
  'tool_agent.agent': ({ ruleInput }) => answer(ruleInput),
};

function answer({ input, history, currentDatetime, messages, tools, unavailable, hasForm }: AgentInput): ModelAnswer {
  const korean = answersInKorean(input);
  if (hasForm) {
    throw rulesRefused(korean ? '정해진 형식의 답은 규칙으로 만들 수 없습니다.' : 'Rules cannot give an answer of a form of its own.', {
      korean,
    });
  }
  const needs = readNeeds(input, { currentDatetime, ...lastAnswerOf(history) });
  const wanted = needs.flatMap((need) => (isMeant(need) ? (callForNeed(need) ?? []) : []));
  const returned = returnedCalls(messages);
  const callable = wanted.filter(({ name }) => tools.includes(name));
  if (returned.length === 0 && callable.length > 0) return { toolCalls: callable };
  const missing = wanted.flatMap(({ name }) => unavailable.filter((tool) => tool.name === name));
  const parts = [
    ...returned.map((one) => describeReturnedCall(one, { korean, needs, request: input })),
    ...knownAnswers(needs),
    ...missing.map(
      ({ name, reason }) =>
        `${name}${korean ? ': 지금은 쓸 수 없습니다.' : ' cannot be used here.'} ${describeUnavailable(reason, { korean })}`,
    ),
  ];
  return parts.length > 0 ? parts.join('\n') : needsModel(korean);
}

/** Documents are searched only if the message mentions them, not for every question. */
const isMeant = (need: Need): boolean => need.kind !== 'documents' || need.named;

const needsModel = (korean: boolean): string =>
  korean
    ? `이 말씀에 답하려면 ${modelNeeded.korean}. 규칙으로는 계산과 날짜처럼 도구가 바로 아는 것만 답합니다.`
    : `Answering this ${modelNeeded.english}. By rules I answer only what a tool knows at once, such as sums and dates.`;
