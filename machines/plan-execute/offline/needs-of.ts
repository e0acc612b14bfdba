import type { ConversationMessage } from 'agent-machines/memory';
import { type Need, readNeeds } from 'agent-machines/offline';
import type { TurnInput } from '../rule-inputs.ts';
import { isChitchat, isClarification, isFollowUp } from './request-kinds.ts';

/** The last question that stood for itself, and how often more was asked for since, this time included. */
export function lastQuestion(messages: readonly ConversationMessage[]): { readonly question?: string; readonly followUps: number } {
  let followUps = 1;
  for (const { role, content } of [...messages].reverse()) {
    if (role !== 'user' || isChitchat(content) || isClarification(content)) continue;
    if (!isFollowUp(content)) return { question: content, followUps };
    followUps++;
  }
  return { followUps };
}

/** What a request needs, with what is known of now and of the last answer. */
export const readTurn = (text: string, { messages, currentDatetime }: Pick<TurnInput, 'messages' | 'currentDatetime'>): readonly Need[] => {
  const lastAnswer = messages.findLast(({ role }) => role === 'assistant')?.content;
  return readNeeds(text, { currentDatetime, ...(lastAnswer === undefined ? {} : { lastAnswer }) });
};

/** What a turn needs tools for. `더 있어?` asks for more of what can be searched, not for another calculation. */
export function needsOf(turn: TurnInput): readonly Need[] {
  const needs = readTurn(requestOf(turn), turn);
  const searches = turn.intent === 'follow_up' ? needs.filter((need) => 'query' in need) : [];
  return searches.length > 0 ? searches : needs;
}

/** The request that a turn is really about. */
const requestOf = ({ input, intent, messages }: TurnInput): string =>
  intent === 'follow_up' ? (lastQuestion(messages).question ?? input) : input;

/** The tools that could serve a need, the best first. */
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
