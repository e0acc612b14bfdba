import { type ChatMessage, type Json, type JsonObject, WorkflowError } from 'agent-machines';
import type { ModelAnswer } from 'agent-machines/models';
import { describeToolOutput, jsonOrText, type Need, type OfflineRules, readNeeds } from 'agent-machines/offline';
import { isKorean } from 'agent-machines/text';
import type { ToolAgentRuleInputs } from '../rule-inputs.ts';

type AgentInput = ToolAgentRuleInputs['tool_agent.agent'];

/** Answers the task of tool-agent by rules, in Korean and English: from the tools that it knows, and nothing else. */
export const toolAgentRules: OfflineRules<ToolAgentRuleInputs> = {
  'tool_agent.agent': ({ ruleInput }) => answer(ruleInput),
};

function answer({ input, messages, tools, unavailable, hasForm }: AgentInput): ModelAnswer {
  const korean = isKorean(input);
  if (hasForm) {
    throw new WorkflowError({
      code: 'MODEL_REFUSED',
      message: korean ? '정해진 형식의 답은 규칙으로 만들 수 없습니다.' : 'Rules cannot give an answer of a form of its own.',
      hint: 'A language model is needed for that: OPENAI_API_KEY or --base-url.',
    });
  }
  const wanted = readNeeds(input).flatMap((need) => toCall(need) ?? []);
  const answers = answersOf(messages);
  const callable = wanted.filter(({ name }) => tools.includes(name));
  if (answers.length === 0 && callable.length > 0) return { toolCalls: callable };
  const missing = wanted.flatMap(({ name }) => unavailable.filter((tool) => tool.name === name));
  const parts = [
    ...answers.map((one) => describeAnswer(one, korean)),
    ...missing.map(({ name, reason }) => (korean ? `${name}: 지금은 쓸 수 없습니다. ${reason}` : `${name} cannot be used here. ${reason}`)),
  ];
  return parts.length > 0 ? parts.join('\n') : needsModel(korean);
}

interface Call {
  readonly name: string;
  readonly arguments: JsonObject;
}

/** Which tool serves a need, and with which arguments. */
function toCall(need: Need): Call | undefined {
  switch (need.kind) {
    case 'calculate':
      return { name: 'calculator', arguments: { expression: need.expression } };
    case 'datetime':
      return { name: 'get_current_datetime', arguments: {} };
    case 'weather':
      return { name: 'get_weather', arguments: { location: need.query } };
    case 'read':
      return { name: 'read_file', arguments: { path: need.path } };
    case 'wikipedia':
      return { name: 'search_wikipedia', arguments: { query: need.query } };
    case 'web':
      return { name: 'web_search', arguments: { query: need.query } };
    case 'documents':
      return need.named ? { name: 'search_documents', arguments: { query: need.query } } : undefined;
  }
}

interface AnsweredCall {
  readonly name: string;
  readonly content: string;
}

/** The calls of this run in order, each with its answer. */
function answersOf(messages: readonly ChatMessage[]): readonly AnsweredCall[] {
  const answers = messages.flatMap((message) => (message.role === 'tool' ? [message.content] : []));
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []));
  return calls.flatMap(({ name }, index) => (answers[index] === undefined ? [] : [{ name, content: answers[index] }]));
}

function describeAnswer({ name, content }: AnsweredCall, korean: boolean): string {
  const output = jsonOrText(content);
  const { error, hint = '' } = (output ?? {}) as { readonly error?: unknown; readonly hint?: string };
  if (typeof error !== 'string') return describeToolOutput(name, output as Json, { korean });
  return (korean ? `${name}: 실패했습니다. ${error} ${hint}` : `${name} has failed. ${error} ${hint}`).trim();
}

const needsModel = (korean: boolean): string =>
  korean
    ? '이 말씀에 답하려면 언어 모델이 필요합니다(OPENAI_API_KEY 또는 --base-url). 규칙으로는 계산과 날짜처럼 도구가 바로 아는 것만 답합니다.'
    : 'Answering this needs a language model (OPENAI_API_KEY or --base-url). By rules I answer only what a tool knows at once, such as sums and dates.';
