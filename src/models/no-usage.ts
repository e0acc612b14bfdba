import type { TokenUsage } from '../ports/run-event.ts';

/** What a reply costs for which no provider was asked. */
export const noUsage: TokenUsage = Object.freeze({ inputTokens: 0, outputTokens: 0 });
