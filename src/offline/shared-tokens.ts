import { searchTokens } from '../text/search-tokens.ts';

/** How many of the tokens asked for a text has. */
export function sharedTokens(asked: ReadonlySet<string>, text: string): number {
  const there = new Set(searchTokens(text));
  return [...asked].filter((token) => there.has(token)).length;
}
