import { WorkflowError } from '../core/errors/errors.ts';
import type { BudgetedRun, ModelBudget, ReplyCost, Reservation } from '../core/ports/model-budget.ts';
import type { Awaitable, RunStore } from '../core/ports/run-store.ts';
import { checkInteger } from '../core/util/check-integer.ts';
import {
  atLeastZero,
  checkOptions,
  number,
  type OptionKind,
  object,
  objectWith,
  oneOf,
  required,
  text,
} from '../core/util/check-options.ts';
import type { PriceTable } from '../core/util/model-cost.ts';
import { type BudgetScope, budgetNote } from '../engine/store/run-notes.ts';
import { pricedCosts, tokenCosts } from './budget-cost.ts';
import {
  type Amount,
  isAmount,
  noAmount,
  type Refused,
  readRow,
  reservedIn,
  reserve as reserveIn,
  settle as settleIn,
  toBillionths,
  toWhole,
} from './budget-row.ts';
import { notesOf } from './store-notes.ts';

/** Maximum that model calls may spend. A missing one is unlimited. */
export interface Spending {
  /** Money, in the currency of `prices`. */
  readonly usd?: number;
  /** Input and output tokens together. */
  readonly tokens?: number;
  /** Model calls that no cache has answered. */
  readonly calls?: number;
}

/** Spending that may depend on the run, such as on its customer's plan. `undefined`: unlimited. */
export type SpendingOf = Spending | ((run: BudgetedRun) => Awaitable<Spending | undefined>);

export interface ModelBudgetOptions {
  /**
   * Store that keeps what was spent. All processes that use it share the budget: SQLite, PostgreSQL, a Durable Object, IndexedDB; memory
   * for one process. Default: the memory of this budget.
   */
  readonly store?: RunStore;
  /** Prices by model name, for `usd`. A free model has prices of 0. @default {} */
  readonly prices?: PriceTable;
  readonly perRun?: SpendingOf;
  /** For all runs of a thread together, until the thread is removed. Forks belong to no thread. */
  readonly perThread?: SpendingOf;
  /** For all runs of a tenant together. */
  readonly perTenant?: SpendingOf;
  /** Name of the tenant, if several share the store. @default 'all' */
  readonly tenant?: string;
  /** Time after which the tenant's spending starts again, in UTC. Default: never. */
  readonly period?: 'day' | 'month';
  /** Bound of a reply in tokens. It is sent with a request if neither the request nor the model has one. @default 4_096 */
  readonly maxOutputTokens?: number;
}

/** What has been spent. */
export interface Spent extends Required<Spending> {
  /** Bounds of the calls that have not ended, or whose process died. They count as spent, and are not part of the other fields. */
  readonly reserved: Required<Spending>;
}

export interface StoredModelBudget extends ModelBudget {
  /** Returns what a run or a thread has spent, or without either the tenant in its current period. */
  spent(of?: { readonly runId: string } | { readonly threadId: string }): Promise<Spent>;
}

/**
 * Limits what model calls spend per run, thread and tenant. Each call reserves its bound before it is sent (the tokens of the request from
 * above, and the longest reply) and pays its cost afterwards. So concurrent runs do not exceed a limit together. A run whose call does not
 * fit fails with `BUDGET_EXCEEDED`; retried under a higher limit, it continues and repeats nothing.
 *
 * Calls through `askModel` count, also those of agents called as tools. Embeddings, and requests that a model's own client repeats, do not.
 * @throws {WorkflowError} `OPTION_INVALID`, also for a store without notes.
 * @example
 * const budget = modelBudget({ store, prices: { small: { inputPerMillion: 0.25, outputPerMillion: 2 } }, perRun: { usd: 0.05 } });
 * const runtime = createRuntime({ store, budget });
 */
export function modelBudget(options: ModelBudgetOptions): StoredModelBudget {
  checkOptions('modelBudget', options, budgetOptions);
  const { store, prices = {}, perRun, perThread, perTenant, tenant = 'all', period, maxOutputTokens = 4_096 } = options;
  for (const [model, price] of Object.entries(prices)) checkOptions(`prices["${model}"]`, price, priceOptions);
  for (const [name, limit] of Object.entries({ perRun, perThread, perTenant })) if (typeof limit !== 'function') checkSpending(name, limit);
  checkInteger('maxOutputTokens', maxOutputTokens, { min: 1 });
  const note = notesOf(store);
  const periodAt = ({ of }: BudgetScope, now: number): string | undefined => (of === 'tenant' ? periodOf(now, period) : undefined);

  const limitsOf = async (run: BudgetedRun): Promise<readonly ScopeLimit[]> => {
    const { runId, threadId } = run;
    const limits: ScopeLimit[] = [];
    const add = async (name: string, scope: BudgetScope, given: SpendingOf | undefined): Promise<void> => {
      const limit = typeof given === 'function' ? await given(run) : given;
      checkSpending(name, limit);
      if (limit) limits.push({ name, scope, limit });
    };
    await add('perRun', { of: 'run', id: runId }, perRun);
    if (threadId !== undefined) await add('perThread', { of: 'thread', id: threadId }, perThread);
    await add('perTenant', { of: 'tenant', id: tenant }, perTenant);
    return limits;
  };

  const pay = async (scopes: readonly BudgetScope[], id: string, cost: Amount): Promise<void> => {
    const paid = scopes.map((scope) =>
      note(budgetNote(scope), (before, now) => ({ text: settleIn(before, { id, cost, period: periodAt(scope, now) }) })),
    );
    await Promise.all(paid);
  };

  return {
    async reserve(call, run): Promise<Reservation> {
      const limits = await limitsOf(run);
      const costs = limits.some(({ limit }) => limit.usd !== undefined) ? pricedCosts(prices) : tokenCosts;
      const bound = costs.bound({ ...call, outputTokens: call.outputTokens ?? maxOutputTokens });
      const id = crypto.randomUUID();
      const taken: BudgetScope[] = [];
      try {
        for (const { name, scope, limit } of limits) {
          const request = { id, bound, limit: toAmount(limit) };
          const { refused } = await note(budgetNote(scope), (before, now) =>
            reserveIn(before, { ...request, period: periodAt(scope, now) }),
          );
          if (refused) throw budgetExceeded(name, scope, limit, bound, refused);
          taken.push(scope);
        }
      } catch (cause) {
        await pay(taken, id, noAmount).catch(() => {}); // the caller needs the first error; what stays reserved counts at its bound
        throw cause;
      }
      const costOf = (cost: ReplyCost): Amount => {
        const amount = costs.ofReply(cost, call.model);
        const isCount = Math.min(cost.usage.inputTokens, cost.usage.outputTokens) >= 0;
        return isCount && isAmount(amount) ? amount : bound; // a cost that cannot be counted is unknown
      };
      return {
        maxOutputTokens,
        settle: (cost) => pay(taken, id, typeof cost === 'object' ? costOf(cost) : cost === 'all' ? bound : noAmount),
      };
    },
    async spent(of) {
      const scope = scopeOf(of, tenant);
      const { row } = await note(budgetNote(scope), (text, now) => ({ text, row: readRow(text, periodAt(scope, now)) }));
      return { ...toSpending(row.spent), reserved: toSpending(reservedIn(row)) };
    },
  };
}

interface ScopeLimit {
  /** The option. */
  readonly name: string;
  readonly scope: BudgetScope;
  readonly limit: Spending;
}

const spendingKind: OptionKind = {
  what: 'an object, or a function of the run',
  is: (value) => object.is(value) || typeof value === 'function',
};
const budgetOptions = {
  store: objectWith('a RunStore', 'create'),
  prices: object,
  perRun: spendingKind,
  perThread: spendingKind,
  perTenant: spendingKind,
  tenant: text,
  period: oneOf('day', 'month'),
  maxOutputTokens: number,
};

const priceOptions = {
  inputPerMillion: required(atLeastZero),
  outputPerMillion: required(atLeastZero),
  cachedInputPerMillion: atLeastZero,
};
const spendingOptions = { usd: atLeastZero, tokens: atLeastZero, calls: atLeastZero };

function checkSpending(name: string, limit: Spending | undefined): void {
  if (limit !== undefined) checkOptions(name, limit, spendingOptions);
}

function scopeOf(of: { readonly runId: string } | { readonly threadId: string } | undefined, tenant: string): BudgetScope {
  if (of === undefined) return { of: 'tenant', id: tenant };
  return 'runId' in of ? { of: 'run', id: of.runId } : { of: 'thread', id: of.threadId };
}

/** Period of a time in UTC, such as `2026-11`. */
const periodOf = (now: number, period: ModelBudgetOptions['period']): string | undefined =>
  period && new Date(now).toISOString().slice(0, period === 'day' ? 10 : 7);

const toAmount = ({ usd, ...limit }: Spending): Partial<Amount> => ({ ...limit, ...(usd === undefined ? {} : { usd: toBillionths(usd) }) });

const toSpending = ({ usd, ...amount }: Amount): Required<Spending> => ({ ...amount, usd: toWhole(usd) });

function budgetExceeded(
  name: string,
  scope: BudgetScope,
  limit: Spending,
  bound: Amount,
  { kind, spent, reserved }: Refused,
): WorkflowError {
  const shown = (amount: Amount): number => toSpending(amount)[kind];
  const data = { ...scope, kind, limit: limit[kind] ?? 0, spent: shown(spent), reserved: shown(reserved), needed: shown(bound) };
  return new WorkflowError({
    code: 'BUDGET_EXCEEDED',
    message:
      `The next model call may cost ${data.needed} ${kind}. Of ${name}.${kind}, ${data.limit}, ` +
      `${data.spent} are spent and ${data.reserved} reserved for calls that have not ended.`,
    hint: `Raise ${name}.${kind} of the budget, and retry the run: nothing is lost, and nothing is repeated.`,
    data,
  });
}
