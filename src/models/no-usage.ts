import type { TokenUsage } from '../core/ports/run-event.ts';

/** Usage of a reply that called no provider. */
export const noUsage: TokenUsage = Object.freeze({ inputTokens: 0, outputTokens: 0 });
