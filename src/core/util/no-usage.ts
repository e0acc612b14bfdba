import type { TokenUsage } from '../ports/run-event.ts';

/** Usage of a reply that called no provider, and the start of a sum. */
export const noUsage: TokenUsage = Object.freeze({ inputTokens: 0, outputTokens: 0 });
