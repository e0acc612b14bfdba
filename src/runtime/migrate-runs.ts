import { toErrorInfo } from '../errors.ts';
import type { ErrorInfo } from '../ports/error-info.ts';
import type { RunRecord } from '../ports/run-store.ts';
import { hasCode } from '../util/has-code.ts';
import { systemClock } from '../util/system-clock.ts';
import { acquireRun } from './acquire-run.ts';
import { checkOptions, flag, type OptionKind, required, text } from './check-options.ts';
import { parseLimits } from './limits.ts';
import { asMoved, planMigration, successorOf, waitsFor } from './plan-migration.ts';
import type { RuntimeOptions } from './runtime.ts';
import { RuntimeCore } from './runtime-core.ts';
import { runtimeOptions } from './runtime-options.ts';
import { readRun, type StoredRun } from './stored-runs.ts';

export interface MigrateOptions extends Pick<RuntimeOptions, 'workflows' | 'workflowFor' | 'leaseMs' | 'clock'> {
  readonly store: NonNullable<RuntimeOptions['store']>;
  /** This run alone. @default all */
  readonly runId?: string;
  /** Say what would be done, and write nothing. @default false */
  readonly dryRun?: boolean;
}

/** A run and the versions that it goes between. */
export interface MigratedRun {
  readonly runId: string;
  readonly threadId?: string;
  readonly from: string;
  readonly to: string;
}

/** What became of the runs that a version takes over. */
export interface Migrations {
  /** In their order; one that goes through several versions stands there several times. */
  readonly moved: readonly MigratedRun[];
  /** They are as they were. */
  readonly refused: readonly (MigratedRun & { readonly error: ErrorInfo })[];
}

const { store, ...others } = runtimeOptions;
export const migrateOptions: Readonly<Record<string, OptionKind>> = {
  ...others,
  ...(store ? { store: required(store) } : {}),
  runId: text,
  dryRun: flag,
};

/**
 * Moves runs that wait, for a human or a timer, to the newest version of their workflow whose `migrate` takes them over. A run's journal is
 * replayed on the version that it is in, if that is offered beside the new one, and on the new one otherwise; where it then is to wait must
 * be a place to wait in, and its state must fit the new schema. A run is moved by one write, or stays as it is. Runs that are at work, in
 * doubt, paused or queued are left. A question that is the same in a state of the same name keeps its id; an answer to any other one is
 * refused as `INTERRUPT_MOVED`.
 *
 * @throws {WorkflowError} `OPTION_INVALID`, `RUN_UNKNOWN`, `STORE_UNAVAILABLE`. What is refused is reported, as `MIGRATION_REFUSED`.
 * @example const { moved, refused } = await migrateRuns({ store, workflows: [before, now] });
 */
export async function migrateRuns(options: MigrateOptions): Promise<Migrations> {
  checkOptions('migrateRuns', options, migrateOptions);
  const { store, workflows = [], workflowFor, leaseMs = 30_000, clock = systemClock } = options;
  const core = new RuntimeCore({
    store,
    clock,
    leaseMs,
    workflows,
    workflowFor,
    acceptChanges: false,
    limits: parseLimits(),
    inspection: undefined,
  });
  try {
    return await migrate(core, options);
  } finally {
    await core.close();
  }
}

async function migrate(core: RuntimeCore, { workflows = [], runId, dryRun = false }: MigrateOptions): Promise<Migrations> {
  const { store } = core;
  const moved: MigratedRun[] = [];
  const refused: (MigratedRun & { readonly error: ErrorInfo })[] = [];
  for (const { id } of await candidates(core, workflows, runId)) {
    let stored: StoredRun | undefined = await orGone(() => readRun(store, id), runId !== undefined);
    for (
      let to = stored && successorOf(core, stored.record);
      stored && to && waitsFor(stored);
      to = stored && successorOf(core, stored.record)
    ) {
      const { threadId, version } = stored.record;
      const one = { runId: id, ...(threadId === undefined ? {} : { threadId }), from: version, to: to.version };
      try {
        const plan = await planMigration(core, stored, to, stored.record.epoch);
        stored = dryRun ? asMoved(stored, plan) : await move(core, stored);
        if (stored) moved.push(one);
      } catch (cause) {
        if (!hasCode(cause, 'MIGRATION_REFUSED', 'JOURNAL_CORRUPT', 'JOURNAL_MISSING')) throw cause;
        refused.push({ ...one, error: toErrorInfo(cause) });
        break;
      }
    }
  }
  return { moved, refused };
}

async function candidates(
  { store }: RuntimeCore,
  workflows: readonly { readonly migrate?: unknown }[],
  runId?: string,
): Promise<readonly Pick<RunRecord, 'id'>[]> {
  if (runId !== undefined) return [{ id: runId }];
  if (!workflows.some(({ migrate }) => migrate)) return [];
  const limit = Number.MAX_SAFE_INTEGER;
  const lists = [await store.list({ status: 'waiting', limit }), await store.list({ status: 'running', limit })];
  return lists.flatMap((records) => [...records].reverse());
}

/** Takes the run and writes where it is now, in one transaction. `undefined` when somebody else has it, or was faster: it is at rest no more. */
async function move(core: RuntimeCore, looked: StoredRun): Promise<StoredRun | undefined> {
  const { id, structure } = looked.record;
  const to = successorOf(core, looked.record);
  if (!to) return undefined;
  await core.workflows.save(to);
  return orGone(async () => {
    const acquired = await acquireRun(core, id, { watch: false });
    try {
      const stored = await readRun(core.store, id);
      if (stored.record.structure !== structure || stored.entries.length !== looked.entries.length) throw changed;
      const { settlement } = await planMigration(core, stored, to, acquired.lease.epoch);
      await core.store.settle(acquired.lease, settlement);
    } catch (cause) {
      await core.putBack(acquired, looked);
      throw cause;
    }
    return readRun(core.store, id);
  });
}

/** Somebody has written between the look and the lease. */
const changed = new Error('The run has changed.');

async function orGone<T>(work: () => Promise<T>, mustBe = false): Promise<T | undefined> {
  try {
    return await work();
  } catch (cause) {
    const isGone = hasCode(cause, 'RUN_BUSY', 'RUN_FENCED', 'RUN_ENDED', 'RUN_UNKNOWN', 'THREAD_BUSY', 'THREAD_MOVED_ON');
    if (!mustBe && (cause === changed || isGone)) return undefined;
    throw cause;
  }
}
