import type { BudgetedCall, ReplyCost } from '../core/ports/model-budget.ts';
import type { TokenUsage } from '../core/ports/run-event.ts';
import { optionInvalid } from '../core/util/check-options.ts';
import { modelCost, type PriceTable } from '../core/util/model-cost.ts';
import { type Amount, noAmount, toBillionths } from './budget-row.ts';

/** Turns model calls into amounts of a budget. */
export interface BudgetCosts {
  /** The most that a call may cost. @throws {WorkflowError} `OPTION_INVALID` for a model without a price. */
  bound(call: BudgetedCall & { readonly outputTokens: number }): Amount;
  /** @param asked name of the model that was asked. Its price counts if the model that answered has none. */
  ofReply(reply: ReplyCost, asked: string): Amount;
}

/** Counts money as well. */
export const pricedCosts = (prices: PriceTable): BudgetCosts => {
  const dearest = (usage: TokenUsage, asked: string): number =>
    Math.max(...modelsBehind(asked, prices).map((model) => modelCost(usage, [model], prices) ?? refuseUnpriced(model, prices)));
  return {
    bound: (call) => ({ ...tokenCosts.bound(call), usd: toBillionths(dearest(call, call.model)) }),
    ofReply: (reply, asked) => ({
      ...tokenCosts.ofReply(reply, asked),
      usd: toBillionths(modelCost(reply.usage, [reply.model], prices) ?? dearest(reply.usage, asked)),
    }),
  };
};

/** Counts tokens and calls. */
export const tokenCosts: BudgetCosts = {
  bound: ({ inputTokens, outputTokens }) => ({ ...noAmount, tokens: inputTokens + outputTokens, calls: 1 }),
  ofReply: ({ usage }) => ({ ...noAmount, tokens: usage.inputTokens + usage.outputTokens, calls: 1 }),
};

/** `fallbackModel` joins the names of its models. */
const modelsBehind = (name: string, prices: PriceTable): readonly string[] => (Object.hasOwn(prices, name) ? [name] : name.split(' → '));

function refuseUnpriced(model: string, prices: PriceTable): never {
  throw optionInvalid(
    `The budget has no price for the model "${model}".`,
    `Add it to prices, with 0 for a free model. They name ${Object.keys(prices).join(', ') || 'no model'}.`,
    'prices',
  );
}
