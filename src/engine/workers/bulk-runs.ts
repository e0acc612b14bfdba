import { fromErrorInfo, toErrorInfo, WorkflowError } from '../../core/errors/errors.ts';
import type { ErrorInfo } from '../../core/ports/error-info.ts';
import { type FleetState, fleetStateOf, fleetStates } from '../../core/ports/fleet-state.ts';
import { type RunQuery, type RunRecord, type RunStore, runStatuses, type StoreQuery } from '../../core/ports/run-store.ts';
import {
  checkOptions,
  flag,
  list,
  number,
  type OptionKind,
  object,
  objectWith,
  oneOf,
  optionInvalid,
  required,
  text,
} from '../../core/util/check-options.ts';
import { hasCode } from '../../core/util/has-code.ts';
import { actorOf } from '../run/create-runtime.ts';
import type { Runtime, RuntimeOptions } from '../run/runtime.ts';
import { matchesQuery } from '../store/matches-query.ts';
import { runUnknown } from '../store/store-errors.ts';
import { migrateRuns } from './migrate-runs.ts';

/** Actions on many runs. Each is that of `Runtime` for a single run, and `migrate` is `migrateRuns`. */
export const bulkActions = ['retry', 'cancel', 'release', 'migrate'] as const;
export type BulkAction = (typeof bulkActions)[number];

/** Conditions on the runs of a bulk action. */
export type BulkFilter = Pick<RunQuery, 'workflow' | 'threadId' | 'status' | 'state' | 'code' | 'updatedBefore'>;

export interface BulkOptions {
  readonly store: RunStore;
  /** Records each change if it is a runtime of `as`. */
  readonly runtime: Pick<Runtime, 'retry' | 'cancel' | 'release'>;
  /** Workflows that `migrate` moves runs to. @default [] */
  readonly workflows?: RuntimeOptions['workflows'];
  readonly action: BulkAction;
  /** An empty filter needs `all`. */
  readonly where: BulkFilter;
  /** Allows an empty filter. @default false */
  readonly all?: boolean;
  /** Finds the runs and changes none. @default true */
  readonly dryRun?: boolean;
  /** Maximum number of runs of this call. @default 1_000 */
  readonly limit?: number;
  /** `next` of the call before. */
  readonly before?: string;
  /** Id of the newest run to deal with; later ones are left alone. Without effect with `before`. */
  readonly from?: string;
  /** Receives each run that the action has dealt with. */
  readonly onRun?: (outcome: BulkOutcome) => void;
  /** Stops after the current run. */
  readonly signal?: AbortSignal;
}

/** What became of a run. `skipped`: another caller was faster, or the action does not fit any more. */
export interface BulkOutcome {
  readonly runId: string;
  readonly result: 'done' | 'skipped' | 'failed';
  readonly error?: ErrorInfo;
}

export interface BulkResult {
  readonly action: BulkAction;
  readonly dryRun: boolean;
  /** Ids of the matching runs, newest first. */
  readonly runIds: readonly string[];
  /** One for each run of `runIds`, in their order. Shorter after an abort. Empty for a dry run, except of `migrate`, which plans each move. */
  readonly outcomes: readonly BulkOutcome[];
  /** Value for `before`: there may be more. */
  readonly next?: string;
}

/** States of the runs that an action is for. `cancel` ends failed runs only if the filter names them. */
const statesOf: Readonly<Record<BulkAction, readonly FleetState[]>> = {
  retry: ['failed'],
  release: ['parked'],
  migrate: ['waiting', 'sleeping'],
  cancel: ['queued', 'running', 'parked', 'waiting', 'sleeping', 'in_doubt', 'paused', 'failed'],
};

const filterFields: Readonly<Record<string, OptionKind>> = {
  workflow: text,
  threadId: text,
  status: oneOf(...runStatuses),
  state: oneOf(...fleetStates),
  code: text,
  updatedBefore: number,
};

const bulkOptions: Readonly<Record<string, OptionKind>> = {
  store: required(objectWith('a RunStore', 'list')),
  runtime: required(objectWith('a Runtime', 'retry')),
  workflows: list,
  action: required(oneOf(...bulkActions)),
  where: required(object),
  all: flag,
  dryRun: flag,
  limit: { what: 'a whole number from 1 to 1000', is: (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 1_000 },
  before: text,
  from: text,
  onRun: { what: 'a function', is: (value) => typeof value === 'function' },
  signal: objectWith('an AbortSignal', 'addEventListener'),
};

/**
 * Retries, cancels, releases or migrates the runs that match a filter, newest first, one after another. Each call deals with one page;
 * call it again with `next` for the following one. Runs that are created meanwhile are never part of it, and no run is dealt with twice. A
 * run that cannot be changed does not stop the others. `retry` leaves the runs to the workers.
 *
 * @throws {WorkflowError} `OPTION_INVALID`, also for an empty filter without `all`, and for a state that the action is not for;
 * `RUN_UNKNOWN` when the run of `before` was removed; `STORE_UNAVAILABLE`.
 * @example
 * const { outcomes, next } = await bulkRuns({ store, runtime, action: 'retry', where: { code: 'MODEL_UNAVAILABLE' }, dryRun: false });
 */
export async function bulkRuns(options: BulkOptions): Promise<BulkResult> {
  checkOptions('bulkRuns', options, bulkOptions);
  const { store, action, dryRun = true, limit = 1_000, before, from, onRun, signal } = options;
  const query = toQuery(options);
  if (before !== undefined && !(await store.read(before))) throw runUnknown(before);
  const { found, next } = await findPage(store, action, query, { limit, before, from });
  const runIds = found.map(({ id }) => id);
  const outcomes: BulkOutcome[] = [];
  for (const { id } of dryRun && action !== 'migrate' ? [] : found) {
    if (signal?.aborted) break;
    const outcome = await outcomeOf(id, () => changeRun(options, id, query));
    outcomes.push(outcome);
    onRun?.(outcome);
  }
  return { action, dryRun, runIds, outcomes, ...(next === undefined ? {} : { next }) };
}

/** @throws {WorkflowError} `OPTION_INVALID`. */
function toQuery({ action, where, all = false }: BulkOptions): StoreQuery {
  checkOptions('where of bulkRuns', where, filterFields);
  const { status, ...conditions } = where;
  if (!all && Object.values(where).every((value) => value === undefined))
    throw optionInvalid('The filter of the bulk action is empty.', 'Give a condition, or all: true for every run.', 'where');
  const { state } = conditions;
  const states = statesOf[action];
  if (state !== undefined && !states.includes(state))
    throw optionInvalid(`The action "${action}" is not for runs that are ${state}.`, `It is for these: ${states.join(', ')}.`, 'where');
  return {
    ...conditions,
    ...(status === undefined ? {} : { resultStatus: status }),
    // the one state of the action uses its index
    ...(states.length === 1 && states[0] ? { state: states[0] } : {}),
  };
}

/** True when the action is for the run as it is stored. */
function isFor(action: BulkAction, record: RunRecord, query: StoreQuery): boolean {
  const state = fleetStateOf(record);
  const named =
    state !== 'failed' || action !== 'cancel' || query.state === state || query.resultStatus === state || query.code !== undefined;
  return named && statesOf[action].includes(state) && matchesQuery(record, query);
}

interface Page {
  readonly limit: number;
  readonly before: string | undefined;
  readonly from: string | undefined;
}

async function findPage(
  store: RunStore,
  action: BulkAction,
  query: StoreQuery,
  { limit, before, from }: Page,
): Promise<{ readonly found: readonly RunRecord[]; readonly next?: string }> {
  const start = before ?? from;
  const older = await store.list({ ...query, limit: limit + 1, ...(start === undefined ? {} : { before: start }) });
  const newest = before === undefined && from !== undefined ? await store.read(from) : undefined;
  const records = newest && matchesQuery(newest, query) ? [newest, ...older] : older;
  const page = records.slice(0, limit);
  const last = records.length > limit ? page.at(-1)?.id : undefined;
  return { found: page.filter((record) => isFor(action, record, query)), ...(last === undefined ? {} : { next: last }) };
}

/** Codes of runs that another caller has changed since they were listed. */
const skipCodes = ['RUN_UNKNOWN', 'RUN_ENDED', 'RUN_NOT_FAILED', 'RUN_BUSY', 'RUN_FENCED', 'THREAD_BUSY', 'THREAD_MOVED_ON'] as const;
/** Codes that would meet every further run. */
const fatalCodes = ['STORE_UNAVAILABLE', 'STORE_LOST', 'RUNTIME_CLOSED'] as const;

async function outcomeOf(runId: string, change: () => Promise<void>): Promise<BulkOutcome> {
  try {
    await change();
    return { runId, result: 'done' };
  } catch (cause) {
    if (hasCode(cause, ...fatalCodes)) throw cause;
    return { runId, result: hasCode(cause, ...skipCodes) ? 'skipped' : 'failed', error: toErrorInfo(cause) };
  }
}

/** Changes one run. All bulk actions, of the command line and of the API, change runs here only. */
async function changeRun(options: BulkOptions, runId: string, query: StoreQuery): Promise<void> {
  const { store, runtime, action, workflows = [], dryRun = true } = options;
  const record = await store.read(runId);
  if (!record) throw runUnknown(runId);
  if (!isFor(action, record, query)) throw runMoved(record);
  switch (action) {
    case 'retry':
      await runtime.retry(runId, { drive: false });
      return;
    case 'cancel':
      return runtime.cancel(runId);
    case 'release':
      return runtime.release(runId);
    case 'migrate': {
      const by = actorOf(runtime);
      const { moved, refused } = await migrateRuns({ store, workflows, runId, dryRun, ...(by ? { by } : {}) });
      const [first] = refused;
      if (first) throw fromErrorInfo(first.error);
      if (moved.length === 0) throw nothingToMigrate(record);
    }
  }
}

const runMoved = (record: RunRecord): WorkflowError =>
  new WorkflowError({
    code: 'RUN_FENCED',
    message: `The run ${record.id} has changed since it was listed: it is ${fleetStateOf(record)}.`,
    hint: 'Nothing is to be done, or list the runs again.',
    data: { runId: record.id, state: fleetStateOf(record) },
  });

const nothingToMigrate = ({ id, workflow, version }: RunRecord): WorkflowError =>
  new WorkflowError({
    code: 'RUN_FENCED',
    message: `No newer version of "${workflow}" accepts the run ${id} of version "${version}", or another process has it.`,
    hint: 'Declare the migration in the new version of the workflow.',
    data: { runId: id, workflow, version },
  });
