import { toErrorInfo, WorkflowError } from '../../core/errors/errors.ts';
import type { ErrorInfo } from '../../core/ports/error-info.ts';
import type { RunRecord, RunStatus } from '../../core/ports/run-store.ts';
import { checkOptions } from '../../core/util/check-options.ts';
import { systemClock } from '../../core/util/system-clock.ts';
import { driveOf } from '../drive/drive-of.ts';
import { readStart } from '../drive/start-entry.ts';
import { KnownWorkflows } from '../run/known-workflows.ts';
import { runPosition } from '../run/run-position.ts';
import { readRun, type StoredRun } from '../run/stored-runs.ts';
import { type MigrateOptions, migrateOptions } from './migrate-runs.ts';
import { type MigrationSource, planMigration, successorOf, toMovedRun, waitsFor } from './plan-migration.ts';

export interface ForecastOptions extends Omit<MigrateOptions, 'dryRun' | 'leaseMs'> {}

/** Expected effect of the offered workflows on a run that has not ended. */
export interface Forecast {
  readonly runId: string;
  readonly threadId?: string;
  readonly workflow: string;
  readonly version: string;
  readonly status: RunStatus;
  /** `goes-on`: resumes as it is · `migrates`: `migrateRuns` moves it · `stranded`: cannot resume. */
  readonly verdict: 'goes-on' | 'migrates' | 'stranded';
  /** Version in which it resumes. */
  readonly to?: string;
  /** Reason why the run is stranded, or why it stays in its version although another version takes it over. */
  readonly error?: ErrorInfo;
}

/**
 * Forecasts, before deployment, the effect of these workflows on the runs that have not ended. Replays each run, executes no nodes and
 * writes nothing. Newest runs come first. A run that failed for a reason outside its machine counts as resumable.
 *
 * @throws {WorkflowError} `OPTION_INVALID`, `RUN_UNKNOWN`, `STORE_UNAVAILABLE`.
 * @example const stranded = (await forecastRuns({ store, workflows })).filter(({ verdict }) => verdict === 'stranded');
 */
export async function forecastRuns(options: ForecastOptions): Promise<readonly Forecast[]> {
  checkOptions('forecastRuns', options, migrateOptions);
  const { store, workflows = [], workflowFor, clock = systemClock, runId } = options;
  const known = new KnownWorkflows(store, workflows);
  const source: MigrationSource = {
    store,
    clock,
    workflows: known,
    async workflowOf({ record, entries }) {
      const { metadata } = readStart(record.id, entries);
      return known.of(record, await workflowFor?.({ ...record, ...(metadata ? { metadata } : {}) }));
    },
  };
  const records = runId === undefined ? await store.list({ limit: Number.MAX_SAFE_INTEGER }) : [(await readRun(store, runId)).record];
  const forecasts: Forecast[] = [];
  for (const record of records) {
    if (record.status !== 'done' && record.status !== 'cancelled') forecasts.push(await forecast(source, record));
  }
  return forecasts;
}

async function forecast(source: MigrationSource, { id, threadId, workflow, version, status }: RunRecord): Promise<Forecast> {
  const run = { runId: id, ...(threadId === undefined ? {} : { threadId }), workflow, version, status };
  let stored: StoredRun;
  try {
    stored = await readRun(source.store, id);
  } catch (cause) {
    return { ...run, verdict: 'stranded', error: errorOf(cause) };
  }
  const { moved, refusal } = await moveAsFarAsItGoes(source, stored);
  try {
    await assertGoesOn(source, moved);
    const to = moved.record.version;
    return { ...run, verdict: moved === stored ? 'goes-on' : 'migrates', to, ...(refusal ? { error: refusal } : {}) };
  } catch (cause) {
    return { ...run, verdict: 'stranded', error: refusal ?? errorOf(cause) };
  }
}

/** Moves a run through every version that takes it over. Returns the reason if the next version rejects it. */
async function moveAsFarAsItGoes(
  source: MigrationSource,
  stored: StoredRun,
): Promise<{ readonly moved: StoredRun; readonly refusal?: ErrorInfo }> {
  let moved = stored;
  for (let to = successorOf(source, moved.record); to && waitsFor(moved); to = successorOf(source, moved.record)) {
    try {
      moved = toMovedRun(moved, await planMigration(source, moved, to, moved.record.epoch));
    } catch (cause) {
      return { moved, refusal: errorOf(cause) };
    }
  }
  return { moved };
}

/** @throws {WorkflowError} `WORKFLOW_UNKNOWN`, `JOURNAL_OF_OTHER_MACHINE`, `JOURNAL_DIVERGED`. */
async function assertGoesOn(source: MigrationSource, stored: StoredRun): Promise<void> {
  const workflow = await source.workflowOf(stored);
  if (stored.record.status === 'queued') return; // it will see another thread state when it begins
  const { interrupts, where } = await runPosition(source.store, source.clock, workflow, stored);
  const open = new Set(interrupts.map(({ key }) => key));
  const missing = waitsFor(stored)?.find(({ key }) => driveOf(key) === '' && !open.has(key));
  if (!missing) return;
  throw new WorkflowError({
    code: 'JOURNAL_DIVERGED',
    message: `The run waits at "${missing.key}", but its journal leads to "${where.join('|')}".`,
    hint: 'Give the changed machine a new version, and keep offering the old one. A guard or a reducer returns another value than before.',
    data: { expected: missing.key, found: where.join('|') },
  });
}

/** @throws errors that say nothing about the run, such as `STORE_UNAVAILABLE`. */
function errorOf(cause: unknown): ErrorInfo {
  const error = toErrorInfo(cause);
  if (error.code === 'STORE_UNAVAILABLE') throw cause;
  return error;
}
