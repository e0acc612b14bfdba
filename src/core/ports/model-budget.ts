import type { TokenUsage } from './run-event.ts';

/** Limits on what the model calls of runs may spend. `modelBudget` of `agent-machines/stores` makes one. */
export interface ModelBudget {
  /**
   * Reserves the most that a call may cost, before it is sent.
   * @throws {WorkflowError} `BUDGET_EXCEEDED`: do not make the call; `OPTION_INVALID` for a model without a price; the store's errors.
   */
  reserve(call: BudgetedCall, run: BudgetedRun): Promise<Reservation>;
}

/** A model call that has not been sent yet. */
export interface BudgetedCall {
  /** Name of the model that is asked. */
  readonly model: string;
  /** Upper bound of the request. */
  readonly inputTokens: number;
  /** Upper bound of the reply. Absent: neither the request nor the model sets one. */
  readonly outputTokens?: number | undefined;
}

export interface BudgetedRun {
  readonly runId: string;
  readonly threadId?: string | undefined;
}

/** What a call has reserved. It counts as spent until it is settled, so a call whose process dies counts at its bound. */
export interface Reservation {
  /** Upper bound of the reply, to be sent with a request that has none. */
  readonly maxOutputTokens: number;
  /** Replaces the bound by the cost: that of a reply, `all` of the bound if the cost is unknown, or `none`. */
  settle(cost: ReplyCost | 'all' | 'none'): Promise<void>;
}

export interface ReplyCost {
  /** The model that answered. */
  readonly model: string;
  readonly usage: TokenUsage;
}
