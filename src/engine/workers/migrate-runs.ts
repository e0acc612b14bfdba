import { toErrorInfo } from '../../core/errors/errors.ts';
import type { Actor } from '../../core/ports/actor.ts';
import type { ErrorInfo } from '../../core/ports/error-info.ts';
import type { RunRecord } from '../../core/ports/run-store.ts';
import { checkOptions, flag, type OptionKind, object, required, text } from '../../core/util/check-options.ts';
import { hasCode } from '../../core/util/has-code.ts';
import { systemClock } from '../../core/util/system-clock.ts';
import { parseLimits } from '../journal/limits.ts';
import { acquireRun } from '../run/acquire-run.ts';
import { audited, parseActor } from '../run/audit-log.ts';
import type { RuntimeOptions } from '../run/runtime.ts';
import { RuntimeCore } from '../run/runtime-core.ts';
import { runtimeOptions } from '../run/runtime-options.ts';
import { readRun, type StoredRun } from '../run/stored-runs.ts';
import { planMigration, successorOf, toMovedRun, waitsFor } from './plan-migration.ts';

export interface MigrateOptions extends Pick<RuntimeOptions, 'workflows' | 'workflowFor' | 'leaseMs' | 'clock'> {
  readonly store: NonNullable<RuntimeOptions['store']>;
  /** Id of the only run to move. @default all */
  readonly runId?: string;
  /** Reports the changes without writing them. @default false */
  readonly dryRun?: boolean;
  /** Recorded with each moved run, as by `Runtime.as`. @default nothing is recorded */
  readonly by?: Actor;
}

/** A run, and the versions that it moves from and to. */
export interface MigratedRun {
  readonly runId: string;
  readonly threadId?: string;
  readonly from: string;
  readonly to: string;
}

/** Result of a migration, by run. */
export interface Migrations {
  /** Moved runs in order. A run that moves through several versions appears several times. */
  readonly moved: readonly MigratedRun[];
  /** Runs that could not be moved. They are unchanged. */
  readonly refused: readonly (MigratedRun & { readonly error: ErrorInfo })[];
}

const { store, ...others } = runtimeOptions;
export const migrateOptions: Readonly<Record<string, OptionKind>> = {
  ...others,
  ...(store ? { store: required(store) } : {}),
  runId: text,
  dryRun: flag,
  by: object,
};

/**
 * Moves runs that wait for a human or a timer to the newest version of their workflow whose `migrate` accepts them. Replays a run's journal
 * on its own version if that is offered, otherwise on the new version. The new position must be one to wait in, and the state must fit the
 * new schema. One write moves a run; otherwise it stays unchanged. Runs that are at work, in doubt, paused or queued are skipped. A
 * question that is the same in a state of the same name keeps its id. An answer to any other question fails with `INTERRUPT_MOVED`.
 *
 * @throws {WorkflowError} `OPTION_INVALID`, `RUN_UNKNOWN`, `STORE_UNAVAILABLE`. A run that cannot be moved is reported in `refused`, with
 * `MIGRATION_REFUSED`.
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

async function migrate(core: RuntimeCore, { workflows = [], runId, dryRun = false, by }: MigrateOptions): Promise<Migrations> {
  const { store } = core;
  const actor = by && parseActor(by);
  const moved: MigratedRun[] = [];
  const refused: (MigratedRun & { readonly error: ErrorInfo })[] = [];
  for (const { id } of await candidates(core, workflows, runId)) {
    let stored: StoredRun | undefined = await orRemoved(() => readRun(store, id), runId !== undefined);
    for (
      let to = stored && successorOf(core, stored.record);
      stored && to && waitsFor(stored);
      to = stored && successorOf(core, stored.record)
    ) {
      const { threadId, version } = stored.record;
      const one = { runId: id, ...(threadId === undefined ? {} : { threadId }), from: version, to: to.version };
      try {
        const found: StoredRun = stored;
        const plan = await planMigration(core, found, to, found.record.epoch);
        stored = dryRun
          ? toMovedRun(found, plan)
          : await audited(core, actor, { action: 'migrate', runId: id }, () => move(core, found), isMoved);
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

const isMoved = (moved: StoredRun | undefined): boolean => moved !== undefined;

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

/**
 * Acquires the run and writes its new position with one `settle`. Returns `undefined` when another process has the run or was faster,
 * because the run is then no longer at rest.
 */
async function move(core: RuntimeCore, snapshot: StoredRun): Promise<StoredRun | undefined> {
  const { id, structure } = snapshot.record;
  const to = successorOf(core, snapshot.record);
  if (!to) return undefined;
  await core.workflows.save(to);
  return orRemoved(async () => {
    const acquired = await acquireRun(core, id, { watch: false });
    try {
      const stored = await readRun(core.store, id);
      if (stored.record.structure !== structure || stored.entries.length !== snapshot.entries.length) throw changed;
      const { settlement } = await planMigration(core, stored, to, acquired.lease.epoch);
      await core.store.settle(acquired.lease, settlement);
    } catch (cause) {
      await core.putBack(acquired, snapshot);
      throw cause;
    }
    return readRun(core.store, id);
  });
}

/** Another process has written between the read and the lease. */
const changed = new Error('The run has changed.');

async function orRemoved<T>(work: () => Promise<T>, mustBe = false): Promise<T | undefined> {
  try {
    return await work();
  } catch (cause) {
    const isGone = hasCode(cause, 'RUN_BUSY', 'RUN_FENCED', 'RUN_ENDED', 'RUN_UNKNOWN', 'THREAD_BUSY', 'THREAD_MOVED_ON');
    if (!mustBe && (cause === changed || isGone)) return undefined;
    throw cause;
  }
}
