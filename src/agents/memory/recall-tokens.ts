/** Token budget of recalled messages: 15 % of the tokens that have left the window, at most 1,000. */
export const recallTokens = (leftTokens: number): number => Math.min(1_000, Math.floor(leftTokens * 0.15));
