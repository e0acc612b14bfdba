import type { ChatMessage } from '../../core/ports/chat-model.ts';
import type { Summarizer } from '../../core/ports/summarizer.ts';
import { cutAtSentence, splitSentences } from '../../core/text/sentences.ts';
import { checkInteger } from '../../core/util/check-integer.ts';
import { messageText } from '../../models/tokens/message-text.ts';
import { cleanText, cutText, oneLine } from './clean-text.ts';
import { statementsIn } from './stated-facts.ts';

export interface ExtractOptions {
  /** Maximum number of characters (UTF-16 units). @default 600 */
  readonly maxChars?: number;
}

const maxSentenceChars = 200;
const maxMessageChars = 20_000;

/**
 * Summarises a conversation without a model: quotes its informative sentences in order. Priorities are the user's statements, then
 * decisions, then numbers and dates. Empty only for messages of white space.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for a `maxChars` that is not a whole number from 0.
 * @example summarizeExtractively([{ role: 'user', content: '내 이름은 철수야.' }]) // '사용자: 내 이름은 철수야.'
 */
export function summarizeExtractively(messages: readonly ChatMessage[], { maxChars = 600 }: ExtractOptions = {}): string {
  checkInteger('maxChars', maxChars, { min: 0 });
  const sentences = sentencesOf(messages);
  const names = sentences.some(({ text }) => /[가-힣]/.test(text)) ? koreanNames : englishNames;
  const chosen = new Set<Candidate>();
  let chars = 0;
  const ranked = sentences.map((sentence, i) => ({ sentence, i })).sort((a, b) => b.sentence.score - a.sentence.score || a.i - b.i);
  for (const { sentence } of ranked) {
    const cost = names[sentence.role].length + sentence.text.length + 3; // includes ': ' and a line break
    if (chars + cost - 1 > maxChars) continue;
    chosen.add(sentence);
    chars += cost;
  }
  if (chosen.size === 0)
    return cutText(ranked[0]?.sentence.text ?? oneLine(cutText(messages.map(messageText).join(' '), maxMessageChars)), maxChars);
  let before: Candidate | undefined;
  let summary = '';
  for (const sentence of sentences.filter((sentence) => chosen.has(sentence))) {
    if (before?.message === sentence.message) summary += ` ${sentence.text}`;
    else summary += `${before ? '\n' : ''}${names[sentence.role]}: ${sentence.text}`;
    before = sentence;
  }
  return summary;
}

/** Creates a summariser without a model: `summarizeExtractively`, never longer than the messages. */
export const extractiveSummarizer = ({ maxChars = 600 }: ExtractOptions = {}): Summarizer => ({
  async summarize(request) {
    return summarizeExtractively(request.messages, { maxChars: Math.min(maxChars, request.maxChars) });
  },
});

type Speaker = 'user' | 'assistant' | 'tool';
const koreanNames: Readonly<Record<Speaker, string>> = { user: '사용자', assistant: '도우미', tool: '도구' };
const englishNames: Readonly<Record<Speaker, string>> = { user: 'User', assistant: 'Assistant', tool: 'Tool' };

interface Candidate {
  readonly message: ChatMessage;
  readonly role: Speaker;
  readonly text: string;
  readonly score: number;
}

/** Returns the unique sentences of the speakers; system messages are no part of the conversation. */
function sentencesOf(messages: readonly ChatMessage[]): readonly Candidate[] {
  const seen = new Set<string>();
  return messages.flatMap((message) => {
    const { role } = message;
    if (role === 'system') return [];
    const content = cutText(cleanText(message.content), maxMessageChars);
    const statements = role === 'user' ? statementsIn(content).map(({ text }) => text) : [];
    return splitSentences(content).flatMap((sentence) => {
      const text = cutAtSentence(oneLine(sentence), maxSentenceChars);
      if (text === '' || seen.has(text)) return [];
      seen.add(text);
      const states = statements.some((statement) => text.includes(statement));
      return [{ message, role, text, score: scoreOf(role, text, states) }];
    });
  });
}

const decision = /결정|확정|합의|하기로|정했|결론|승인|변경|\b(?:decided?|agreed?|conclusion|confirmed|approved|changed|must|will)\b/i;
const roleWeights: Readonly<Record<Speaker, number>> = { user: 1, assistant: 0.5, tool: 0.2 };

const scoreOf = (role: Speaker, text: string, states: boolean): number =>
  roleWeights[role] + (states ? 4 : 0) + (decision.test(text) ? 2 : 0) + (/\d/.test(text) ? 1 : 0);
