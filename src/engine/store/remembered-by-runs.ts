import type { JsonObject } from '../../core/ports/json.ts';
import type { JournalEntry, RunRecord, RunStore } from '../../core/ports/run-store.ts';
import { hasCode } from '../../core/util/has-code.ts';
import { isObject } from '../../core/util/is-object.ts';
import { type RunMemories, rememberedByRun, type StartedRun } from './remembered-by-run.ts';

/** Sources of runs: a `Runtime`, and its store. */
export interface RunReader<TRun extends StartedRun> {
  readonly store: Pick<RunStore, 'list' | 'journal'>;
  readonly runtime: { get(runId: string): Promise<TRun>; history(runId: string): Promise<readonly JournalEntry[]> };
}

type Journal = readonly JournalEntry[];

/**
 * Returns the ids of the memory records to delete together with `runs`, per run that wrote any. Omits ids that also appear in the journal
 * of the run's source or of a remaining fork.
 *
 * @example const remembered = await rememberedByRuns({ store, runtime }, runs);
 */
export async function rememberedByRuns<TRun extends StartedRun>(
  { store, runtime }: RunReader<TRun>,
  runs: readonly RunRecord[],
): Promise<readonly (RunMemories & { readonly run: TRun })[]> {
  const removed = new Set(runs.map(({ id }) => id));
  const writers: (RunMemories & { readonly run: TRun; readonly workflow: string; readonly source: string | undefined })[] = [];
  for (const { id, workflow } of runs) {
    const run = await runtime.get(id);
    const entries = await runtime.history(id);
    const remembered = rememberedByRun(run, entries);
    if (remembered.ids.length > 0) writers.push({ run, ...remembered, workflow, source: sourceOf(entries) });
  }
  const remaining: RunMemories[] = [];
  for (const workflow of new Set(writers.map((one) => one.workflow))) {
    const records = (await store.list({ workflow, limit: Number.MAX_SAFE_INTEGER })).filter(({ id }) => !removed.has(id));
    const sources = writers.filter((one) => one.workflow === workflow).flatMap(({ source }) => source ?? []);
    for (const entries of await relatives(store, records, new Set(sources)))
      remaining.push(rememberedByRun(startedRunOf(entries), entries));
  }
  return writers.map(({ run, userId, ids }) => {
    const others = new Set(remaining.filter((one) => one.userId === userId).flatMap((one) => one.ids));
    return { run, userId, ids: ids.filter((id) => !others.has(id)) };
  });
}

/**
 * Returns the remaining journals that may contain the same memories: those of the sources and of all forks, which have no thread. A removed
 * source no longer names its own source, so any run may be related.
 */
async function relatives(
  store: Pick<RunStore, 'journal'>,
  records: readonly RunRecord[],
  sources: ReadonlySet<string>,
): Promise<readonly Journal[]> {
  const known = new Set(records.map(({ id }) => id));
  const mayBeAny = [...sources].some((id) => !known.has(id));
  const found: Journal[] = [];
  for (const { id, threadId } of records) {
    const isSource = mayBeAny || sources.has(id);
    if (!isSource && threadId !== undefined) continue;
    const entries = await journalOf(store, id);
    if (isSource || sourceOf(entries) !== undefined) found.push(entries);
  }
  return found;
}

/** Treats an unreadable or removed journal as empty, so that it never blocks a deletion. */
async function journalOf(store: Pick<RunStore, 'journal'>, runId: string): Promise<Journal> {
  try {
    return await store.journal(runId);
  } catch (cause) {
    if (hasCode(cause, 'RUN_UNKNOWN', 'JOURNAL_MISSING', 'JOURNAL_CORRUPT')) return [];
    throw cause;
  }
}

/** Returns the run that a journal was forked from. */
function sourceOf(entries: Journal): string | undefined {
  const { forkOf } = startOf(entries);
  const runId = isObject(forkOf) ? forkOf.runId : undefined;
  return typeof runId === 'string' ? runId : undefined;
}

function startedRunOf(entries: Journal): StartedRun {
  const { input = null, metadata } = startOf(entries);
  return { input, ...(isObject(metadata) ? { metadata } : {}) };
}

const startOf = ([start]: Journal): JsonObject => (isObject(start?.outcome) ? start.outcome : {});
