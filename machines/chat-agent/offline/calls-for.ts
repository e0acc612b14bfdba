import { type AnsweredCall, callForNeed, lastAnswerOf, type ReadNeedsOptions, readNeeds } from 'agent-machines/models';
import { contentWords } from 'agent-machines/search';
import type { ChatAgentRuleInputs } from '../rule-inputs.ts';
import { isQuestion } from './sentence-kinds.ts';

/** Options for reading a message: the current time and the last answer. */
export function readingOptions({
  window,
  currentDatetime,
}: Pick<ChatAgentRuleInputs['chat_agent.agent'], 'window' | 'currentDatetime'>): ReadNeedsOptions {
  const said = window.messages.flatMap(({ message }) => (message.content === '' ? [] : [message]));
  return { currentDatetime, ...lastAnswerOf(said) };
}

/** Returns the tool calls that a message asks for. The workflow itself has already looked up documents. */
export function callsFor(input: string, options: ReadNeedsOptions): readonly AnsweredCall[] {
  const code = codeIn(input);
  if (code !== undefined) return [{ name: 'python_repl', arguments: { code } }];
  const needs = readNeeds(input, options);
  const calls = needs.flatMap((need) => (need.kind === 'documents' ? [] : (callForNeed(need) ?? [])));
  if (needs.some(({ kind }) => kind === 'calculate' || kind === 'known')) return calls;
  const expression = unreadableExpression(input);
  return expression === undefined ? calls : [...calls, { name: 'calculator', arguments: { expression } }];
}

/** Extracts a program from a fenced block, or from the text after the colon of an order that names Python. */
function codeIn(input: string): string | undefined {
  const code =
    /```(?:python|py)?\s*\n([\s\S]*?)```/iu.exec(input)?.[1] ??
    (/파이썬|python/iu.test(input) ? /[:：]\s*(.+)$/su.exec(input)?.[1] : undefined);
  return code === undefined || code.trim() === '' ? undefined : code.trim();
}

const ordersToCalculate = /계산\s?(?:해|하|좀|부탁)|^\s*(?:please\s+)?(?:calculate|compute)\b/iu;

/** Returns an expression that cannot be parsed, so that the calculator reports what is wrong with it. */
function unreadableExpression(input: string): string | undefined {
  if (!ordersToCalculate.test(input) || isQuestion(input)) return undefined;
  const rest = contentWords(
    input.replaceAll(/계산기로?|계산\S*|\b(?:please|calculate|compute)\b/giu, ' ').replaceAll(/(?:을|를)(?=\s|$)/gu, ' '),
  );
  return rest.trim() === '' ? undefined : rest.trim();
}
