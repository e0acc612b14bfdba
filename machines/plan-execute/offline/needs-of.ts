import type { ConversationMessage } from 'agent-machines/memory';
import { lastAnswerOf, type Need, readNeeds } from 'agent-machines/models';
import type { TurnInput } from '../rule-inputs.ts';
import { isChitchat, isClarification, isFollowUp } from './request-kinds.ts';

/** Returns the last independent question, and the number of follow-ups since then, this one included. */
export function lastQuestion(messages: readonly ConversationMessage[]): { readonly question?: string; readonly followUps: number } {
  let followUps = 1;
  for (const { role, content } of [...messages].reverse()) {
    if (role !== 'user' || isChitchat(content) || isClarification(content)) continue;
    if (!isFollowUp(content)) return { question: content, followUps };
    followUps++;
  }
  return { followUps };
}

/** Returns the needs of a request, given the current time and the last answer. */
export const readTurn = (text: string, { messages, currentDatetime }: Pick<TurnInput, 'messages' | 'currentDatetime'>): readonly Need[] =>
  readNeeds(text, { currentDatetime, ...lastAnswerOf(messages) });

/** Returns the needs of a turn. `더 있어?` asks for more search results, not for another calculation. */
export function needsOf(turn: TurnInput): readonly Need[] {
  const needs = readTurn(requestOf(turn), turn);
  const searches = turn.intent === 'follow_up' ? needs.filter((need) => 'query' in need) : [];
  return searches.length > 0 ? searches : needs;
}

const requestOf = ({ input, intent, messages }: TurnInput): string =>
  intent === 'follow_up' ? (lastQuestion(messages).question ?? input) : input;

/** Returns the tools that can serve a need, best first. */
export function toolsFor(need: Need): readonly string[] {
  switch (need.kind) {
    case 'calculate':
      return ['calculator'];
    case 'datetime':
      return ['get_current_datetime'];
    case 'weather':
      return ['get_weather', 'web_search'];
    case 'read':
      return ['read_file', 'search_documents'];
    case 'wikipedia':
      return ['search_wikipedia', 'web_search'];
    case 'web':
      return ['web_search'];
    case 'known':
      return [];
    case 'documents':
      return need.named ? ['search_documents'] : ['web_search', 'search_documents', 'search_wikipedia'];
  }
}

export const toolFor = (need: Need, tools: readonly string[]): string | undefined => toolsFor(need).find((name) => tools.includes(name));
