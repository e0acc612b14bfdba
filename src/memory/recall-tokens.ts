/** How much the conversation may be reminded of: the more has left the window, the more, up to 1,000 tokens. */
export const recallTokens = (leftTokens: number): number => Math.min(1_000, Math.floor(leftTokens * 0.15));
