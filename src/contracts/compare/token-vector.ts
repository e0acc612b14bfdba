import { searchTokens } from '../../core/text/search-tokens.ts';

/** Tokens of a text with their counts or weights. */
export interface TokenVector {
  readonly amounts: ReadonlyMap<string, number>;
  /** Sum of the amounts. */
  readonly total: number;
}

export function tokenVector(text: string): TokenVector {
  const amounts = new Map<string, number>();
  for (const token of searchTokens(text)) amounts.set(token, (amounts.get(token) ?? 0) + 1);
  return withTotal(amounts);
}

/** Weights each token by its rarity: the more texts contain it, the lower its weight. */
export function weighed(vectors: readonly TokenVector[]): readonly TokenVector[] {
  const texts = new Map<string, number>();
  for (const { amounts } of vectors) for (const token of amounts.keys()) texts.set(token, (texts.get(token) ?? 0) + 1);
  return vectors.map(({ amounts }) => {
    const weight = (token: string): number => Math.log(1 + vectors.length / (texts.get(token) ?? 1));
    return withTotal(new Map([...amounts].map(([token, amount]) => [token, amount * weight(token)])));
  });
}

/** Similarity of two texts, from 0 to 1. Two texts without tokens have similarity 1. */
export function similarity(a: TokenVector, b: TokenVector): number {
  const total = a.total + b.total;
  return total === 0 ? 1 : (2 * shared(a, b)) / total;
}

/** Share of `part` that `whole` contains, from 0 to 1. */
export const coverage = (part: TokenVector, whole: TokenVector): number => (part.total === 0 ? 1 : shared(part, whole) / part.total);

function shared(a: TokenVector, b: TokenVector): number {
  const [few, many] = a.amounts.size <= b.amounts.size ? [a.amounts, b.amounts] : [b.amounts, a.amounts];
  let total = 0;
  for (const [token, amount] of few) {
    const other = many.get(token);
    if (other !== undefined) total += Math.min(amount, other);
  }
  return total;
}

function withTotal(amounts: ReadonlyMap<string, number>): TokenVector {
  let total = 0;
  for (const amount of amounts.values()) total += amount;
  return { amounts, total };
}
