import type { Tool } from 'agent-machines';
import { recallTokens, type TranscriptMessage, type WindowMessage } from 'agent-machines/memory';
import { defineTool, objectSchema, usableTools } from 'agent-machines/tools';
import type { ChatAgentState } from './state.ts';

/**
 * Searches the conversation itself. Its results add no taint: they were in the thread before, and the thread is tainted by their sources
 * already.
 */
export const searchConversation = defineTool({
  name: 'search_conversation',
  description: 'Finds what was said earlier in this conversation and is out of sight. Returns messages with their dates.',
  access: 'compute',
  primaryInput: 'query',
  input: objectSchema({
    query: { type: 'string', minLength: 1, maxLength: 1_000, description: 'Words that were said then, names, dates.' },
  }),
  execute: async () => '',
});

interface OutOfSight {
  readonly window: readonly WindowMessage[];
  readonly messages: readonly TranscriptMessage[];
}

/** Last result for each transcript: the nodes of a turn ask several times, and a transcript has thousands of messages. */
const known = new WeakMap<readonly TranscriptMessage[], OutOfSight>();

/** Returns the messages that have left the window. */
export function outOfSight({ transcript, window }: Pick<ChatAgentState, 'transcript' | 'window'>): readonly TranscriptMessage[] {
  const last = known.get(transcript);
  if (last?.window === window.messages) return last.messages;
  const visible = new Set(window.messages.map(({ id }) => id));
  const messages = transcript.filter(({ id }) => !visible.has(id));
  known.set(transcript, { window: window.messages, messages });
  return messages;
}

/** Returns the tools of a turn, with `search_conversation` if messages have left the window. */
export function toolsOfTurn(state: ChatAgentState, tools: readonly Tool[]): readonly Tool[] {
  const { availableTools, window, timeZone } = state;
  const granted = usableTools(tools, availableTools);
  const transcript = availableTools.includes(searchConversation.name) ? outOfSight(state) : [];
  if (transcript.length === 0) return granted;
  const maxTokens = recallTokens(window.summarizedTokens);
  const search: Tool = {
    ...searchConversation,
    async execute({ query }) {
      const { recall } = await import('./recall.ts');
      return recall({ query: String(query), transcript, maxTokens, timeZone }).text || 'Nothing was found.';
    },
  };
  return [...granted, search];
}
