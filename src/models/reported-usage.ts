import type { TokenUsage } from '../core/ports/run-event.ts';

/** A provider's token counts for a reply, unvalidated. */
export type Reported = Partial<Readonly<Record<keyof TokenUsage, unknown>>>;

/** Reads the valid token counts; some providers omit parts, estimate fractions, or send -1. */
export function reportedUsage(reported: Reported): Partial<TokenUsage> {
  const [input, output] = [tokenCount(reported.inputTokens), tokenCount(reported.outputTokens)];
  const [cached, reasoning] = [tokenCount(reported.cachedInputTokens), tokenCount(reported.reasoningTokens)];
  return {
    ...(input === undefined ? {} : { inputTokens: input }),
    ...(output === undefined ? {} : { outputTokens: output }),
    ...(cached === undefined ? {} : { cachedInputTokens: cached }),
    ...(reasoning === undefined ? {} : { reasoningTokens: reasoning }),
  };
}

export const tokenCount = (value: unknown): number | undefined =>
  typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER ? Math.ceil(value) : undefined;

/** Returns the metadata of a reply with incomplete usage. */
export function usageNote({ inputTokens, outputTokens }: Partial<TokenUsage>): { readonly usage?: string } {
  if (inputTokens === undefined && outputTokens === undefined) return { usage: 'not reported' };
  return inputTokens === undefined || outputTokens === undefined ? { usage: 'reported in part' } : {};
}
