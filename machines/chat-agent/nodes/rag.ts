import { asJson, type NodeHandler } from 'agent-machines';
import { cutToTokens } from 'agent-machines/memory';
import type { ChatAgentServices } from '../services.ts';
import type { ChatAgentState } from '../state.ts';

/** Limit of the search query; no real question is longer. */
const maxQueryTokens = 2_000;

/** Looks up the passages that answer the question best. No model call. */
export const rag =
  ({ retriever, ragLimit }: ChatAgentServices): NodeHandler<ChatAgentState> =>
  async ({ input }, io) => {
    if (!retriever) return { context: [] };
    const context = await retriever.search(cutToTokens(input, maxQueryTokens), { limit: ragLimit, signal: io.signal });
    const sources = [...new Set(context.map(({ source }) => source))];
    io.emit({ type: 'sources', sources: asJson(sources) });
    return { context, sources, taint: { private: true, untrusted: true } };
  };
