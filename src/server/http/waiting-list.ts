import type { Runtime } from '../../engine/run/runtime.ts';
import type { WaitingList } from '../api/calls.ts';
import { toWaitingRun } from './run-details.ts';

interface WaitingQuery {
  readonly limit?: number;
  /** Cursor: ids of the last waiting run and of the last run in doubt, each empty when there was none. */
  readonly before?: string;
}

const defaultLimit = 50;

/** Lists the runs that wait for a human, in pages, newest start first. */
export async function listWaiting(
  runtime: Pick<Runtime, 'list' | 'get'>,
  { limit = defaultLimit, before = '.' }: WaitingQuery,
): Promise<WaitingList> {
  const [lastWaiting = '', lastInDoubt = ''] = before.split('.');
  const listed = (status: 'waiting' | 'in_doubt', last: string) =>
    runtime.list({ status, limit: limit + 1, ...(last === '' ? {} : { before: last }) });
  const [waiting, inDoubt] = await Promise.all([listed('waiting', lastWaiting), listed('in_doubt', lastInDoubt)]);
  // one position per list, so that no run is skipped however their times compare
  const taken = { waiting: 0, inDoubt: 0 };
  const ids: string[] = [];
  while (ids.length < limit) {
    const [a, b] = [waiting[taken.waiting], inDoubt[taken.inDoubt]];
    const next = a && (!b || a.startedAt >= b.startedAt) ? a : b;
    if (!next) break;
    taken[next === a ? 'waiting' : 'inDoubt']++;
    ids.push(next.id);
  }
  const runs = (await Promise.all(ids.map((id) => runtime.get(id)))).map(toWaitingRun);
  if (taken.waiting === waiting.length && taken.inDoubt === inDoubt.length) return { runs };
  const places = [waiting[taken.waiting - 1]?.id ?? lastWaiting, inDoubt[taken.inDoubt - 1]?.id ?? lastInDoubt];
  return { runs, next: places.join('.') };
}
