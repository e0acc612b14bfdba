import type { RunQuery } from '../../core/ports/run-store.ts';
import { parseAge } from '../../core/util/age.ts';
import { hasCode } from '../../core/util/has-code.ts';
import type { ListedRun as StoredListedRun } from '../../engine/run/runtime.ts';
import { type BulkResult, bulkRuns } from '../../engine/workers/bulk-runs.ts';
import type { BulkRuns, ListedRun, RunFilter, RunList } from '../api/calls.ts';
import { toRunSummary } from './run-details.ts';
import type { ServedSpace } from './served-space.ts';

const defaultLimit = 50;
/** Maximum number of questions of one run in a list. */
const maxWaits = 10;

interface ListQuery extends RunFilter {
  readonly limit?: number;
  readonly before?: string;
}

/** Converts a filter of the API to a query. */
function toRunQuery({ older, ...filter }: RunFilter, now: number): RunQuery {
  const age = older === undefined ? undefined : parseAge(older);
  return { ...filter, ...(age === undefined ? {} : { updatedBefore: now - age }) };
}

/** Lists runs in pages, newest first. Reads the journals of the page's waiting runs only. */
export async function listRuns(
  { runtime, clock }: Pick<ServedSpace, 'runtime' | 'clock'>,
  { limit = defaultLimit, before, ...filter }: ListQuery,
): Promise<RunList> {
  const page = { ...(before === undefined ? {} : { before }), limit: limit + 1 };
  const runs = await runtime.list({ ...toRunQuery(filter, clock.now()), ...page });
  const shown = runs.slice(0, limit);
  const next = runs.length > limit ? shown.at(-1)?.id : undefined;
  const listed = await Promise.all(shown.map(async (run) => ({ ...toRunSummary(run), ...(await waitsOf(runtime, run)) })));
  return { runs: listed, ...(next === undefined ? {} : { next }) };
}

/** Damage of a journal does not hide the others of the list. */
async function waitsOf(runtime: ServedSpace['runtime'], run: StoredListedRun): Promise<Pick<ListedRun, 'waits'>> {
  if (run.state !== 'waiting' && run.state !== 'in_doubt') return {};
  try {
    const { result, updatedAt } = await runtime.get(run.id);
    const interrupts = result?.status === 'waiting' ? result.interrupts.map(({ key }) => key.slice(0, key.lastIndexOf('#'))) : [];
    const calls = result?.status === 'in_doubt' ? result.calls.map(({ callId }) => callId) : [];
    const names = [...interrupts, ...calls].slice(0, maxWaits);
    return names.length === 0 ? {} : { waits: { for: names, since: updatedAt } };
  } catch (cause) {
    if (hasCode(cause, 'JOURNAL_CORRUPT', 'JOURNAL_MISSING', 'RUN_UNKNOWN')) return {};
    throw cause;
  }
}

/** Deals with one page of a bulk action. */
export function changeRuns({ runtime, store, workflows, clock }: ServedSpace, { where, ...given }: BulkRuns): Promise<BulkResult> {
  const served = workflows.map(({ workflow }) => workflow);
  return bulkRuns({ ...given, store, runtime, workflows: served, where: toRunQuery(where, clock.now()) });
}
