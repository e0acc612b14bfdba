import type { TokenUsage } from '../ports/run-event.ts';

/** Token prices of a model, per million tokens, all in the same currency. */
export interface ModelPrice {
  readonly inputPerMillion: number;
  readonly outputPerMillion: number;
  /** Price of input tokens that the provider read from its cache. @default inputPerMillion */
  readonly cachedInputPerMillion?: number;
}

/** Prices by model name, as replies state it. */
export type PriceTable = Readonly<Record<string, ModelPrice>>;

/** Returns the cost of a call; `undefined` for a model without a price. */
export function modelCost(usage: TokenUsage, models: readonly (string | undefined)[], prices: PriceTable): number | undefined {
  const name = models.find((model) => model !== undefined && Object.hasOwn(prices, model));
  const price = name === undefined ? undefined : prices[name];
  if (!price) return undefined;
  const cached = Math.min(usage.cachedInputTokens ?? 0, usage.inputTokens);
  const { inputPerMillion, outputPerMillion, cachedInputPerMillion = inputPerMillion } = price;
  const millionths =
    (usage.inputTokens - cached) * inputPerMillion + cached * cachedInputPerMillion + usage.outputTokens * outputPerMillion;
  return millionths / 1_000_000;
}
