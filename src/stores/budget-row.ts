import { WorkflowError } from '../core/errors/errors.ts';
import { isObject } from '../core/util/is-object.ts';
import { parseJson } from '../core/util/parse-json.ts';

/** Amount in whole numbers, because sums of fractions drift; `usd` in billionths. */
export interface Amount {
  readonly usd: number;
  readonly tokens: number;
  readonly calls: number;
}

const amountKinds = ['usd', 'tokens', 'calls'] as const;

export const noAmount: Amount = { usd: 0, tokens: 0, calls: 0 };

const perUnit = 1e9;

/** Rounds up, but not for the error of a fraction. */
export const toBillionths = (usd: number): number => Math.ceil(usd * perUnit - 1e-3);

export const toWhole = (billionths: number): number => billionths / perUnit;

const added = (one: Amount, other: Amount): Amount => ({
  usd: one.usd + other.usd,
  tokens: one.tokens + other.tokens,
  calls: one.calls + other.calls,
});

/** What a budget has spent, and the bounds of calls that are not settled. */
interface BudgetRow {
  readonly period?: string | undefined;
  readonly spent: Amount;
  readonly open: Readonly<Record<string, Amount>>;
}

export interface Refused {
  readonly kind: (typeof amountKinds)[number];
  readonly spent: Amount;
  readonly reserved: Amount;
}

/** Open calls kept at most. The oldest, whose processes have probably died, are counted as spent. */
const maxOpen = 1_000;

export const reservedIn = ({ open }: BudgetRow): Amount => Object.values(open).reduce(added, noAmount);

/** Reserves the bound of a call if it fits beside everything that was spent or reserved before. */
export function reserve(
  before: string | undefined,
  { id, bound, limit, period }: ReserveRequest,
): { readonly text: string | undefined; readonly refused?: Refused } {
  const row = readRow(before, period);
  const reserved = reservedIn(row);
  const all = added(added(row.spent, reserved), bound);
  const kind = amountKinds.find((kind) => all[kind] > (limit[kind] ?? Number.POSITIVE_INFINITY));
  if (kind) return { text: before, refused: { kind, spent: row.spent, reserved } };
  return { text: JSON.stringify(folded({ ...row, open: { ...row.open, [id]: bound } })) };
}

interface ReserveRequest {
  /** Name of the reservation. */
  readonly id: string;
  readonly bound: Amount;
  readonly limit: Partial<Amount>;
  readonly period: string | undefined;
}

/** Replaces a reservation by its cost. Any other text, such as that of the next period, stays. */
export function settle(
  before: string | undefined,
  { id, cost, period }: { readonly id: string; readonly cost: Amount; readonly period: string | undefined },
): string | undefined {
  const row = readRow(before, period);
  if (!Object.hasOwn(row.open, id)) return before;
  const { [id]: _bound, ...open } = row.open;
  return JSON.stringify({ ...row, spent: added(row.spent, cost), open } satisfies BudgetRow);
}

/** Reads a row. One of another period is over. @throws {WorkflowError} `JOURNAL_CORRUPT`, because an unreadable row must not open the budget. */
export function readRow(text: string | undefined, period: string | undefined): BudgetRow {
  const row = text === undefined ? undefined : toRow(parseJson(text));
  return row?.period === period && row ? row : { period, spent: noAmount, open: {} };
}

function folded(row: BudgetRow): BudgetRow {
  const open = Object.entries(row.open);
  const old = open.slice(0, Math.max(0, open.length - maxOpen));
  if (old.length === 0) return row;
  return {
    ...row,
    spent: old.reduce((sum, [, amount]) => added(sum, amount), row.spent),
    open: Object.fromEntries(open.slice(old.length)),
  };
}

function toRow(value: unknown): BudgetRow {
  if (isObject(value)) {
    const { period, spent, open } = value;
    if (isAmount(spent) && areAmounts(open)) return { ...(typeof period === 'string' ? { period } : {}), spent, open };
  }
  throw new WorkflowError({
    code: 'JOURNAL_CORRUPT',
    message: 'The note of a budget was changed outside the store.',
    hint: 'Restore the database, or remove the note if its spending does not matter.',
  });
}

const areAmounts = (value: unknown): value is BudgetRow['open'] => isObject(value) && Object.values(value).every(isAmount);

export const isAmount = (value: unknown): value is Amount =>
  isObject(value) && amountKinds.every((kind) => Number.isFinite(value[kind]) && Number(value[kind]) >= 0);
