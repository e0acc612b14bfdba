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
  const calls = needs.flatMap((need) => toCall(need) ?? []);
  if (needs.some(({ kind }) => kind === 'calculate' || kind === 'known')) return calls;
  const expression = unreadableExpression(input);
  return expression === undefined ? calls : [...calls, { name: 'calculator', arguments: { expression } }];
}

/** Which tool serves a need, and with which arguments. */
function toCall(need: Need): OfflineCall | undefined {
  switch (need.kind) {
    case 'calculate':
      return { name: 'calculator', arguments: { expression: need.expression } };
    case 'datetime':
      return { name: 'get_current_datetime', arguments: need.zone === undefined ? {} : { zone: need.zone } };
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
