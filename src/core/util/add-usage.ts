import type { StoredEvent, TokenUsage } from '../ports/run-event.ts';
import { noUsage } from './no-usage.ts';

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

/** Adds up what the model calls among these events have reported. */
export const sumUsage = (events: readonly StoredEvent[]): TokenUsage =>
  events.reduce<TokenUsage>((sum, event) => (event.type === 'model-end' ? addUsage(sum, event.usage) : sum), noUsage);
