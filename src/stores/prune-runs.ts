import { WorkflowError } from '../errors.ts';
import { hasEnded, type RemovedPlace, type RunRecord, type RunStatus, type RunStore, runStatuses } from '../ports/run-store.ts';
import { checkInteger } from '../util/check-integer.ts';
import { hasCode } from '../util/has-code.ts';
import { storageOf } from './storage-of.ts';

/** `failed` may be resumed as long as it is there. */
export type EndedStatus = Extract<RunStatus, 'done' | 'failed' | 'cancelled'>;

export interface PruneOptions {
  /** How long ago a run has to have ended, in milliseconds. */
  readonly olderThanMs: number;
  /** How many ended runs of each workflow stay, the newest, however old they are. @default 0 */
  readonly keep?: number;
  /** How the runs have ended. @default all three */
  readonly statuses?: readonly EndedStatus[];
  /** Remove a thread with its state and name when all of its runs could go. Otherwise its newest run stays. @default false */
  readonly threads?: boolean;
  /** Say what would be removed, and remove nothing. @default false */
  readonly dryRun?: boolean;
  /** The time that ages are counted to, in milliseconds since 1970. @default now */
  readonly now?: number;
}

/** What was removed, or would be. */
export interface Pruned {
  readonly runs: number;
  /** How many of the threads went whole. */
  readonly threads: number;
  /** The runs that went alone, oldest first, and the threads. */
  readonly places: readonly RemovedPlace[];
}

const ended: readonly EndedStatus[] = ['done', 'failed', 'cancelled'];

/** How many runs are listed at a time. */
const page = 500;
/** How often it is looked again when somebody has gone on with one of the runs meanwhile. */
const maxLooks = 10;

/**
 * Removes runs that have ended long ago, all of them or none, so that their text is in no file of the store any more. One that waits, is
 * paused or in doubt stays: cancel it first. A thread keeps its state, its name and its newest run, by which it is found; runs of it whose
 * earlier ones are gone can no longer be forked (`JOURNAL_MISSING`). A schedule keeps the run of its last time as long as one of an earlier
 * time stays: what came after that would be taken for missed, and started again.
 *
 * @throws {WorkflowError} `OPTION_INVALID`; `RUN_BUSY` (retryable) when runs go on faster than it can look.
 * @example await pruneRuns(store, { olderThanMs: 30 * 24 * 60 * 60 * 1000, keep: 100 });
 */
export async function pruneRuns(store: RunStore, options: PruneOptions): Promise<Pruned> {
  const storage = storageOf(store);
  const settings = checked(options);
  for (let look = 1; ; look++) {
    const found = await findOld(store, settings);
    if (options.dryRun === true || found.places.length === 0) return found;
    try {
      const isOld = (record: RunRecord): boolean => hasEnded(record.status) && record.updatedAt <= settings.endedBefore;
      const runs = await storage.remove(found.places, (_place, records) => {
        const other = records.find((record) => !isOld(record));
        if (other) throw goesOn(other.id);
      });
      return { ...found, runs };
    } catch (cause) {
      if (!hasCode(cause, 'RUN_BUSY') || look === maxLooks) throw cause;
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
    throw new WorkflowError({
      code: 'OPTION_INVALID',
      message: isStatus ? `A run that is ${String(wrong)} has not ended.` : `${String(wrong)} is no status.`,
      hint: `Give some of ${ended.join(', ')}. A run that waits is cancelled first.`,
      data: { option: 'statuses' },
    });
  }
  return { endedBefore: now - age, keep: checkInteger('keep', keep, { min: 0 }), statuses, threads };
}

/** What may go. */
async function findOld(store: RunStore, settings: Settings): Promise<Pruned> {
  const { old, scheduled } = await listOld(store, settings);
  for (;;) {
    const { pruned, goes } = await withoutThreads(store, settings, old);
    const needed = new Set([...scheduled.values()].flatMap((runs) => lastOf(runs, goes)));
    if (needed.size === 0) return pruned;
    old.splice(0, old.length, ...old.filter(({ id }) => !needed.has(id)));
  }
}

/** The run of the last time of a schedule, when it would go and another one stays. */
function lastOf(runs: readonly string[], goes: ReadonlySet<string>): readonly string[] {
  const last = runs.reduce((latest, id) => (id > latest ? id : latest)); // of one schedule, a later time is a greater id
  return goes.has(last) && runs.some((id) => !goes.has(id)) ? [last] : [];
}

/** What may go but for the newest runs of threads. */
async function withoutThreads(
  store: RunStore,
  settings: Settings,
  old: readonly RunRecord[],
): Promise<{ readonly pruned: Pruned; readonly goes: ReadonlySet<string> }> {
  const ids = new Set(old.map(({ id }) => id));
  const wholeThreads = new Set<string>();
  const spared = new Set<string>();
  for (const threadId of new Set(old.flatMap(({ threadId }) => threadId ?? []))) {
    const members = await store.list({ threadId, limit: Number.MAX_SAFE_INTEGER });
    const newest = members[0]?.id ?? '';
    if (settings.threads && members.every(({ id }) => ids.has(id))) wholeThreads.add(threadId);
    else spared.add(newest);
  }
  const going = old.filter(({ id }) => !spared.has(id));
  const alone = going.filter(({ threadId }) => threadId === undefined || !wholeThreads.has(threadId));
  const places = [
    ...alone.reverse().map(({ id }): RemovedPlace => ({ runId: id })),
    ...[...wholeThreads].map((threadId): RemovedPlace => ({ threadId })),
  ];
  return { pruned: { runs: going.length, threads: wholeThreads.size, places }, goes: new Set(going.map(({ id }) => id)) };
}

interface OldRuns {
  /** Ended runs that are old enough and not among those that stay, newest first. */
  readonly old: RunRecord[];
  /** All runs of schedules, by their schedule. */
  readonly scheduled: ReadonlyMap<string, readonly string[]>;
}

async function listOld(store: RunStore, { endedBefore, keep, statuses }: Settings): Promise<OldRuns> {
  const seen = new Map<string, number>();
  const old: RunRecord[] = [];
  const scheduled: string[] = [];
  for (let before: string | undefined; ; ) {
    const records = await store.list({ limit: page, ...(before === undefined ? {} : { before }) });
    for (const record of records) {
      const { id, workflow, status, updatedAt } = record;
      if (scheduledId.test(id)) scheduled.push(id);
      if (!hasEnded(record.status)) continue;
      const newer = seen.get(workflow) ?? 0;
      seen.set(workflow, newer + 1);
      if (newer >= keep && updatedAt <= endedBefore && (statuses as readonly RunStatus[]).includes(status)) old.push(record);
    }
    before = records.at(-1)?.id;
    if (records.length < page) return { old, scheduled: Map.groupBy(scheduled, (id) => id.replace(scheduledId, '')) };
  }
}

/** The time in the id of a run of a schedule, behind its name. */
const scheduledId = /_\d{8}T\d{6}Z$/;

const goesOn = (runId: string): WorkflowError =>
  new WorkflowError({
    code: 'RUN_BUSY',
    message: `The run ${runId} was gone on with.`,
    hint: 'Ask again.',
    retryable: true,
    data: { runId },
  });
