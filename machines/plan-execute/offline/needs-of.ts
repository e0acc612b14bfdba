import type { PastStep } from 'agent-machines/executor';
import type { ConversationMessage } from 'agent-machines/memory';
import { type Need, readNeeds } from 'agent-machines/offline';
import type { PlanStep } from 'agent-machines/plan';
import type { Intent } from '../state.ts';
import { isChitchat, isClarification, isFollowUp } from './request-kinds.ts';

/** What the nodes tell a model that works by rules. */
export interface OfflineFacts {
  readonly input: string;
  readonly messages: readonly ConversationMessage[];
  readonly rewrittenQuery: string;
  readonly intent: Intent | null;
  readonly constraints: string | null;
  /** Names of the tools that may be used. */
  readonly tools: readonly string[];
  readonly unavailable: readonly { readonly name: string; readonly reason: string }[];
  readonly pastSteps?: readonly PastStep[];
  readonly plan?: readonly PlanStep[];
  /** Ids of the steps that ran last. */
  readonly wave?: readonly number[];
  readonly firstId?: number;
}

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

/** What a turn needs tools for. `더 있어?` asks for more of what can be searched, not for another calculation. */
export function needsOf(facts: OfflineFacts): readonly Need[] {
  const needs = readNeeds(requestOf(facts));
  const searches = facts.intent === 'follow_up' ? needs.filter((need) => 'query' in need) : [];
  return searches.length > 0 ? searches : needs;
}

/** The request that a turn is really about. */
const requestOf = ({ input, intent, messages }: OfflineFacts): string =>
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
    case 'documents':
      return need.named ? ['search_documents'] : ['web_search', 'search_documents', 'search_wikipedia'];
  }
}

export const toolFor = (need: Need, tools: readonly string[]): string | undefined => toolsFor(need).find((name) => tools.includes(name));
