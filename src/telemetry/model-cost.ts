import type { TokenUsage } from '../ports/run-event.ts';

/** What the tokens of a model cost, each in the same currency for a million of them. */
export interface ModelPrice {
  readonly inputPerMillion: number;
  readonly outputPerMillion: number;
  /** Of input tokens that the provider read from its cache. @default inputPerMillion */
  readonly cachedInputPerMillion?: number;
}

/** Prices by the name of the model, as its replies say it. */
export type PriceTable = Readonly<Record<string, ModelPrice>>;

/** What a call has cost; `undefined` for a model without a price. */
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
