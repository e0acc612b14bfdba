import type { AnsweredCall as OfflineCall } from 'agent-machines/models';
import { type Need, type ReadNeedsOptions, readNeeds } from 'agent-machines/offline';
import { contentWords } from 'agent-machines/text';
import type { ChatAgentRuleInputs } from '../rule-inputs.ts';
import { isQuestion } from './sentence-kinds.ts';

/** What is known of now and of the last answer, for reading a message. */
export function readingOptions({
  window,
  currentDatetime,
}: Pick<ChatAgentRuleInputs['chat_agent.agent'], 'window' | 'currentDatetime'>): ReadNeedsOptions {
  const last = window.messages.findLast(({ message }) => message.role === 'assistant' && message.content !== '');
  return { currentDatetime, ...(last ? { lastAnswer: last.message.content } : {}) };
}

/** The calls that a message asks for. */
export function callsFor(input: string, options: ReadNeedsOptions): readonly OfflineCall[] {
  const code = codeIn(input);
  if (code !== undefined) return [{ name: 'python_repl', arguments: { code } }];
  const needs = readNeeds(input, options);
  const calls = needs.flatMap((need) => toCall(need, input) ?? []);
  if (needs.some(({ kind }) => kind === 'calculate' || kind === 'known')) return calls;
  const expression = unreadableExpression(input);
  return expression === undefined ? calls : [...calls, { name: 'calculator', arguments: { expression } }];
}

/** Which tool serves a need, and with which arguments. */
function toCall(need: Need, input: string): OfflineCall | undefined {
  switch (need.kind) {
    case 'calculate':
      return { name: 'calculator', arguments: { expression: need.expression } };
    case 'datetime':
      if (need.zone !== undefined) return { name: 'get_current_datetime', arguments: { zone: need.zone } };
      return asksForNow(input) ? { name: 'get_current_datetime', arguments: {} } : undefined;
    case 'weather':
      return { name: 'get_weather', arguments: { location: need.query } };
    case 'read':
      return { name: 'read_file', arguments: { path: need.path } };
    case 'wikipedia':
      return { name: 'search_wikipedia', arguments: { query: need.query } };
    case 'web':
      return { name: 'web_search', arguments: { query: need.query } };
    case 'known':
    case 'documents':
      return undefined;
  }
}

const now =
  /지금|현재|오늘\S{0,20}\s{0,3}(?:날짜|며칠|무슨\s?요일|몇\s?[월일])|\b(?:now|current|today'?s date)\b|what (?:time|day|date) is it/iu;
const aboutTime =
  /(?:오늘|내일|모레)\S*|(?:한국|서울)(?:은|이|에서)?|시[간각]\S*|날짜\S*|요일\S*|몇\s?[시월일]\S*|무슨|며칠\S*|알려\S*|말해\S*|what|time|day|date|today|tomorrow|is|it|the/giu;

/** `몇 시야?` asks for the time of day, `몇 시에 출근해?` and `회의는 몇 시야?` do not. */
const asksForNow = (input: string): boolean =>
  now.test(input) ||
  (!/[\p{L}\p{N}]{2,}/u.test(input.replaceAll(aboutTime, ' ').replace(/줘|주세요/gu, ' ')) && !/몇\s?시(?:에|까지|부터|간)/u.test(input));

/** A program in a fence, or behind the colon of an order that names Python. */
function codeIn(input: string): string | undefined {
  const code =
    /```(?:python|py)?\s*\n([\s\S]*?)```/iu.exec(input)?.[1] ??
    (/파이썬|python/iu.test(input) ? /[:：]\s*(.+)$/su.exec(input)?.[1] : undefined);
  return code === undefined || code.trim() === '' ? undefined : code.trim();
}

const ordersToCalculate = /계산\s?(?:해|하|좀|부탁)|^\s*(?:please\s+)?(?:calculate|compute)\b/iu;

/** What is to be calculated and cannot be read: the calculator says what is wrong with it. */
function unreadableExpression(input: string): string | undefined {
  if (!ordersToCalculate.test(input) || isQuestion(input)) return undefined;
  const rest = contentWords(
    input.replaceAll(/계산기로?|계산\S*|\b(?:please|calculate|compute)\b/giu, ' ').replaceAll(/(?:을|를)(?=\s|$)/gu, ' '),
  );
  return rest.trim() === '' ? undefined : rest.trim();
}
