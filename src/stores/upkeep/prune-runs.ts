import { WorkflowError } from '../../core/errors/errors.ts';
import {
  hasEnded,
  type RemovedPlace,
  type RunRecord,
  type RunStatus,
  type RunStore,
  resultStatus,
  runStatuses,
} from '../../core/ports/run-store.ts';
import { checkInteger } from '../../core/util/check-integer.ts';
import { optionInvalid } from '../../core/util/check-options.ts';
import { hasCode } from '../../core/util/has-code.ts';
import { pruneAudit } from '../../engine/run/read-audit.ts';
import { storageOf } from './storage-of.ts';

/** Final statuses, as users see them. */
export type EndedStatus = Extract<RunStatus, 'done' | 'failed' | 'cancelled'>;

export interface PruneOptions {
  /** Minimum time since a run ended, in milliseconds. */
  readonly olderThanMs: number;
  /** Number of ended runs to keep per workflow, newest first, whatever their age. @default 0 */
  readonly keep?: number;
  /** Final statuses to remove. @default all three */
  readonly statuses?: readonly EndedStatus[];
  /** Removes a thread with its state and name if all of its runs can be removed. Otherwise its newest run stays. @default false */
  readonly threads?: boolean;
  /** Returns the runs to remove without removing them. @default false */
  readonly dryRun?: boolean;
  /** Time from which ages are measured, in milliseconds since 1970. @default now */
  readonly now?: number;
}

/** Removed runs and threads, or those that a dry run would remove. */
export interface PruneReport {
  readonly runs: number;
  /** Number of threads that were removed completely. */
  readonly threads: number;
  /** Runs that were removed without their thread, oldest first, then the threads. */
  readonly places: readonly RemovedPlace[];
}

const ended: readonly EndedStatus[] = ['done', 'failed', 'cancelled'];

/** Number of runs per page of a list. */
const page = 500;
/** Maximum number of attempts when a run to remove is resumed meanwhile. */
const maxAttempts = 10;

/**
 * Removes runs that ended long ago, all or none, and clears their text from every file of the store. A run that is waiting, paused or in
 * doubt stays; cancel it first. A thread keeps its state, its name and its newest run, which finds it. Its later runs can no longer be
 * forked once earlier ones are gone (`JOURNAL_MISSING`). A schedule keeps the run of its last time while an earlier one stays. Without it,
 * later times would count as missed and start again.
 *
 * Entries of the log of actions of that age are removed, too.
 *
 * @throws {WorkflowError} `OPTION_INVALID`; `RUN_BUSY` (retryable) after 10 attempts during which runs were resumed.
 * @example await pruneRuns(store, { olderThanMs: 30 * 24 * 60 * 60 * 1000, keep: 100 });
 */
export async function pruneRuns(store: RunStore, options: PruneOptions): Promise<PruneReport> {
  const storage = storageOf(store);
  const settings = checked(options);
  for (let attempt = 1; ; attempt++) {
    const found = await findOld(store, settings);
    if (options.dryRun === true) return found;
    await pruneAudit(store, settings.endedBefore);
    if (found.places.length === 0) return found;
    try {
      const isOld = (record: RunRecord): boolean => hasEnded(record.status) && record.updatedAt <= settings.endedBefore;
      const runs = await storage.remove(found.places, (_place, records) => {
        const other = records.find((record) => !isOld(record));
        if (other) throw runResumed(other.id);
      });
      return { ...found, runs };
    } catch (cause) {
      if (!hasCode(cause, 'RUN_BUSY') || attempt === maxAttempts) throw cause;
    }
  }
}

interface Settings {
  readonly endedBefore: number;
  readonly keep: number;
  readonly statuses: readonly EndedStatus[];
  readonly threads: boolean;
}

function checked({ olderThanMs, keep = 0, statuses = ended, threads = false, now = Date.now() }: PruneOptions): Settings {
  const age = checkInteger('olderThanMs', olderThanMs, { min: 0 });
  const wrong = statuses.find((status) => !ended.includes(status));
  if (wrong !== undefined) {
    const isStatus = (runStatuses as readonly string[]).includes(wrong);
    throw optionInvalid(
      isStatus ? `The status ${String(wrong)} does not end a run.` : `The status ${String(wrong)} is unknown.`,
      `Use one or more of ${ended.join(', ')}. Cancel a suspended run first.`,
      'statuses',
    );
  }
  return { endedBefore: now - age, keep: checkInteger('keep', keep, { min: 0 }), statuses, threads };
}

async function findOld(store: RunStore, settings: Settings): Promise<PruneReport> {
  const { old, scheduled } = await listOld(store, settings);
  for (;;) {
    const { pruned, goes } = await withoutThreads(store, settings, old);
    const needed = new Set([...scheduled.values()].flatMap((runs) => lastOf(runs, goes)));
    if (needed.size === 0) return pruned;
    old.splice(0, old.length, ...old.filter(({ id }) => !needed.has(id)));
  }
}

/** Returns the run of a schedule's last time, if it would be removed while another one stays. */
function lastOf(runs: readonly string[], goes: ReadonlySet<string>): readonly string[] {
  const last = runs.reduce((latest, id) => (id > latest ? id : latest)); // within a schedule, a later time gives a greater id
  return goes.has(last) && runs.some((id) => !goes.has(id)) ? [last] : [];
}

/** Excludes the newest run of each thread that stays. */
async function withoutThreads(
  store: RunStore,
  settings: Settings,
  old: readonly RunRecord[],
): Promise<{ readonly pruned: PruneReport; readonly goes: ReadonlySet<string> }> {
  const ids = new Set(old.map(({ id }) => id));
  const wholeThreads = new Set<string>();
  const newestIds = new Set<string>();
  for (const threadId of new Set(old.flatMap(({ threadId }) => threadId ?? []))) {
    const members = await store.list({ threadId, limit: Number.MAX_SAFE_INTEGER });
    // Decision 384: without its newest run, a thread could not be found or removed.
    const newest = members[0]?.id ?? '';
    if (settings.threads && members.every(({ id }) => ids.has(id))) wholeThreads.add(threadId);
    else newestIds.add(newest);
  }
  const removable = old.filter(({ id }) => !newestIds.has(id));
  const single = removable.filter(({ threadId }) => threadId === undefined || !wholeThreads.has(threadId));
  const places = [
    ...single.reverse().map(({ id }): RemovedPlace => ({ runId: id })),
    ...[...wholeThreads].map((threadId): RemovedPlace => ({ threadId })),
  ];
  return { pruned: { runs: removable.length, threads: wholeThreads.size, places }, goes: new Set(removable.map(({ id }) => id)) };
}

interface OldRuns {
  /** Ended runs that are old enough and not kept, newest first. */
  readonly old: RunRecord[];
  /** Runs per schedule. */
  readonly scheduled: ReadonlyMap<string, readonly string[]>;
}

async function listOld(store: RunStore, { endedBefore, keep, statuses }: Settings): Promise<OldRuns> {
  const seen = new Map<string, number>();
  const old: RunRecord[] = [];
  const scheduled: string[] = [];
  for (let before: string | undefined; ; ) {
    const records = await store.list({ limit: page, ...(before === undefined ? {} : { before }) });
    for (const record of records) {
      const { id, workflow, updatedAt } = record;
      if (scheduledId.test(id)) scheduled.push(id);
      if (!hasEnded(record.status)) continue;
      const newer = seen.get(workflow) ?? 0;
      seen.set(workflow, newer + 1);
      if (newer >= keep && updatedAt <= endedBefore && (statuses as readonly RunStatus[]).includes(resultStatus(record))) old.push(record);
    }
    before = records.at(-1)?.id;
    if (records.length < page) return { old, scheduled: Map.groupBy(scheduled, (id) => id.replace(scheduledId, '')) };
  }
}

/** Time in the id of a scheduled run, after the name of the schedule. */
const scheduledId = /_\d{8}T\d{6}Z$/;

const runResumed = (runId: string): WorkflowError =>
  new WorkflowError({
    code: 'RUN_BUSY',
    message: `The run ${runId} was resumed during the removal.`,
    hint: 'Try again.',
    retryable: true,
    data: { runId },
  });
