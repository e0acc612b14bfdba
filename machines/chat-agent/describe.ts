import type { JsonObject } from 'agent-machines';
import type { DescriptionFormat, NodeDescription } from 'agent-machines/inspect';
import type { ChatAgentState } from './state.ts';

/** Describes a node of chat-agent in a few words. */
export function describeChatAgent(node: string, patch: JsonObject, { oneLine, waitsFor }: DescriptionFormat): NodeDescription {
  const {
    route,
    context = [],
    sources = [],
    window,
    pendingCalls = [],
    turnMessages = [],
    heldCalls = [],
  } = patch as Partial<ChatAgentState>;
  switch (node) {
    case 'router':
      return { summary: route === 'rag' ? 'searches documents' : 'needs no document' };
    case 'rag':
      return { summary: `${context.length} passages${sources.length > 0 ? ` of ${sources.join(', ')}` : ''}` };
    case 'memory':
      return {
        summary: window ? `summarised: ${window.summaries.length} summaries, ${window.messages.length} messages` : 'nothing to summarise',
      };
    case 'agent':
      return pendingCalls.length === 0
        ? { summary: 'answered' }
        : { summary: 'calls tools', lines: pendingCalls.map((call) => `${call.name}  ${oneLine(call.arguments, 90)}`) };
    case 'tools':
      if (heldCalls.length > 0) return { summary: waitsFor(heldCalls) };
      return {
        summary: `${turnMessages.length} ${turnMessages.length === 1 ? 'result' : 'results'}`,
        lines: turnMessages.map(({ message }) => oneLine(message.content, 100)),
      };
    default:
      return { summary: '' };
  }
}
