import type { JsonObject } from 'agent-machines';
import { summarizeExtractively, type WindowState } from 'agent-machines/memory';
import {
  askedDefinition,
  describeReturnedCall,
  describeUnavailable,
  hasTopic,
  knownAnswers,
  type ModelAnswer,
  modestAnswer,
  type OfflineRules,
  readNeeds,
  readSentence,
  returnedCalls,
} from 'agent-machines/models';
import { answersInKorean, isTextRequest } from 'agent-machines/search';
import { describeDatetime } from 'agent-machines/tools';
import type { ChatAgentRuleInputs } from '../rule-inputs.ts';
import { callsFor, readingOptions } from './calls-for.ts';
import { describeContext } from './describe-context.ts';
import { asksBackInWords, asksWhatIsOwn, recall } from './recall.ts';
import { isQuestion, isStatement } from './sentence-kinds.ts';
import { isSmallTalk, talk } from './talk.ts';

type AgentInput = ChatAgentRuleInputs['chat_agent.agent'];

/** Answers the tasks of chat-agent by rules, in Korean and English, only from documents, tools and the conversation. */
export const chatAgentRules: OfflineRules<ChatAgentRuleInputs> = {
  'chat_agent.router': ({ ruleInput }) => route(ruleInput),
  'chat_agent.memory': ({ ruleInput: { messages, maxChars } }) => summarizeExtractively(messages, { maxChars: Math.min(600, maxChars) }),
  'chat_agent.agent': ({ ruleInput }) => answer(ruleInput),
};

const aboutDocuments =
  /정책|규정|규칙|지침|내규|사내|회사|문서|매뉴얼|안내서|휴가|연차|병가|반차|경조|육아휴직|경비|출장|법인\s?카드|영수증|재택|원격\s?근무|출근|퇴근|근무\s?시간|보안|노트북|분실|신청\s?절차|승인|policy|policies|handbook|manual|guideline|documents?\b|\b(?:vacations?|holidays|days off|(?:annual|sick|parental|maternity|unpaid) leave|half days?|expenses?|receipts?|reimburs\w*|business trips?|company card|remote(?:ly)?|work(?:ing)? from (?:home|abroad)|office hours|core hours|overtime|laptops?|approv\w*|allowances?|probation)\b/iu;

function route(ruleInput: ChatAgentRuleInputs['chat_agent.router']): JsonObject {
  const { input, window, hasDocuments } = ruleInput;
  const reply = (to: 'rag' | 'agent', reason: string): JsonObject => ({ route: to, reason });
  if (!hasDocuments) return reply('agent', 'no documents are open');
  if (isSmallTalk(input)) return reply('agent', 'small talk');
  if (readSentence(input, readingOptions(ruleInput))) return reply('agent', 'a sum, a date or a time');
  if (said(input, window) !== undefined) return reply('agent', 'about what was said');
  if (isTextRequest(input) || !hasTopic(input)) return reply('agent', 'no topic that a document could tell');
  if (aboutDocuments.test(input) && !isStatement(input)) return reply('rag', 'a word of policies and documents');
  return (isQuestion(input) || askedDefinition(input) !== undefined) && callsFor(input, readingOptions(ruleInput)).length === 0
    ? reply('rag', 'a question that a document may answer')
    : reply('agent', 'needs no document');
}

/** Returns the earlier messages that a message asks for: empty if there are none, `undefined` if it asks for something else. */
function said(input: string, window: WindowState): readonly string[] | undefined {
  if (asksBackInWords(input)) return recall(input, window);
  if (!isQuestion(input) || isTextRequest(input) || aboutPolicies.test(input)) return undefined;
  const found = recall(input, window);
  return found.length > 0 || (asksWhatIsOwn(input) && !aboutDocuments.test(input)) ? found : undefined;
}

const aboutPolicies = /정책|규정|규칙|지침|내규|문서|policy|policies|handbook|manual|guideline|documents?\b/iu;

function answer(ruleInput: AgentInput): ModelAnswer {
  const { input, window, route, context, turnMessages, tools } = ruleInput;
  const korean = answersInKorean(input);
  const options = readingOptions(ruleInput);
  const remembered = route === 'rag' || readSentence(input, options) ? undefined : said(input, window);
  if (remembered !== undefined) return describeSaid(remembered, korean, ruleInput);
  const returned = returnedCalls(turnMessages.map(({ message }) => message));
  const calls = callsFor(input, options);
  const needs = readNeeds(input, options);
  const possible = calls.filter(({ name }) => tools.includes(name));
  if (returned.length === 0 && possible.length > 0) return { toolCalls: possible };
  const parts = [
    ...returned.map((call) => describeReturnedCall(call, { korean, needs })),
    ...knownAnswers(needs),
    ...calls
      .filter(({ name }) => !returned.some(({ call }) => call.name === name))
      .map(({ name }) => describeMissing(name, ruleInput, korean)),
    ...(route === 'rag' ? describeContext(context, input, { korean, strict: !aboutDocuments.test(input) }) : []),
  ];
  if (parts.length === 0) return talk(input, korean);
  const isSilent = route === 'rag' && !aboutDocuments.test(input) && returned.length === 0 && !parts.some((part) => part.startsWith('“'));
  return isSilent ? modestAnswer({ korean, notFound: parts.join(' ') }) : parts.join('\n');
}

/** More quotations would hide the answer. */
const maxQuotes = 5;
const dateChars = 'YYYY-MM-DD'.length;

/** Quotes earlier messages. A message has its date if it is of another day, or if the question is about the date. */
function describeSaid(texts: readonly string[], korean: boolean, { input, transcript, timeZone, currentDatetime }: AgentInput): string {
  if (texts.length === 0) return korean ? '이 대화에서 그 말씀을 찾지 못했습니다.' : 'I find nothing about that in what you have told me.';
  const asksWhen = /언제\s?(?:말했|얘기했|이야기했)|\bwhen did i (?:say|tell|mention)/iu.test(input);
  const quotes = texts
    .slice(-maxQuotes)
    .map((text) => {
      const said = transcript.findLast((message) => message.role === 'user' && message.text.includes(text));
      const date = said ? describeDatetime(said.at, timeZone).slice(0, dateChars) : '';
      return `${date !== '' && (asksWhen || !currentDatetime.startsWith(date)) ? `${date}: ` : ''}“${text}”`;
    })
    .join(', ');
  return korean ? `${quotes}라고 말씀하셨습니다.` : `You said: ${quotes}.`;
}

function describeMissing(tool: string, { unavailable, tools }: AgentInput, korean: boolean): string {
  const reason = unavailable.find(({ name }) => name === tool)?.reason;
  if (reason === undefined && tools.includes(tool)) return korean ? `${tool}: 이번에는 부르지 못했습니다.` : `${tool}: not called.`;
  if (reason !== undefined)
    return `${tool}${korean ? ': 지금은 쓸 수 없습니다.' : ' cannot be used here.'} ${describeUnavailable(reason, { korean })}`;
  return korean ? `${tool}: 이 대화에 없는 도구입니다.` : `${tool} is not among the tools of this conversation.`;
}
