import type { StoredEvent, TokenUsage } from '../ports/run-event.ts';

/** Adds up token usage. Fits as a reducer of a state. */
export function addUsage(current: TokenUsage, next: Partial<TokenUsage>): TokenUsage {
  const cached = (current.cachedInputTokens ?? 0) + (next.cachedInputTokens ?? 0);
  const reasoning = (current.reasoningTokens ?? 0) + (next.reasoningTokens ?? 0);
  return {
    inputTokens: current.inputTokens + (next.inputTokens ?? 0),
    outputTokens: current.outputTokens + (next.outputTokens ?? 0),
    ...(cached > 0 ? { cachedInputTokens: cached } : {}),
    ...(reasoning > 0 ? { reasoningTokens: reasoning } : {}),
  };
}

/** Adds up what the model calls among the events of these entries have reported. */
export function sumUsage(entries: readonly { readonly events: readonly StoredEvent[] }[]): TokenUsage {
  const ends = entries.flatMap(({ events }) => events.filter((event) => event.type === 'model-end'));
  return ends.reduce<TokenUsage>((sum, { usage }) => addUsage(sum, usage), { inputTokens: 0, outputTokens: 0 });
}
