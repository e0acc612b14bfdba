import { searchTokens } from '../../core/text/search-tokens.ts';

/** Returns the number of `asked` tokens in a text. */
export function sharedTokens(asked: ReadonlySet<string>, text: string): number {
  const there = new Set(searchTokens(text));
  return [...asked].filter((token) => there.has(token)).length;
}
