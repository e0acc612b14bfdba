import type { RunRecord } from '../../core/ports/run-store.ts';
import type { ThreadList, ThreadSummary } from '../api/calls.ts';
import type { ServerSpace } from './served-space.ts';
import { titleOf } from './thread-title.ts';

export interface ThreadQuery {
  /** Part of the title, case-insensitive. */
  readonly q?: string | undefined;
  readonly workflow?: string | undefined;
  readonly limit: number;
  /** Cursor: id of the newest run of the last thread on the previous page. */
  readonly before?: string | undefined;
}

type Place = Pick<ServerSpace, 'runtime' | 'store'>;

/** Facts about a thread that stay valid until a run is added. */
interface ThreadFacts {
  /** Id and start time of its newest run: a removed thread may be recreated under the same names. */
  readonly newest: string;
  readonly runs: number;
  /** Title from the first input. */
  readonly title: string;
}

const pageRuns = 200;
/** Maximum number of threads that one search request examines. */
const maxExamined = 500;
const maxKnown = 10_000;
const known = new WeakMap<object, Map<string, ThreadFacts>>();

/** Lists conversations, newest first. Reads runs from the newest on, and stops when the page is full. */
export async function listThreads(place: Place, { q, workflow, limit, before }: ThreadQuery): Promise<ThreadList> {
  const threads: ThreadSummary[] = [];
  const wanted = q === undefined ? undefined : folded(q);
  let looked = 0;
  let last: string | undefined;
  for await (const page of newestRuns(place, workflow, before)) {
    const titles = await place.store.threadTitles(page.map(threadIdOf));
    for (const run of page) {
      if (threads.length === limit || looked === maxExamined) return { threads, ...(last === undefined ? {} : { next: last }) };
      looked++;
      last = run.id;
      const thread = await toThreadSummary(place, run, titles.get(threadIdOf(run)));
      if (wanted === undefined || folded(thread.title).includes(wanted)) threads.push(thread);
    }
  }
  return { threads };
}

/** Summary of one conversation; `undefined` for an unknown one. */
export async function summaryOfThread(place: Place, threadId: string): Promise<ThreadSummary | undefined> {
  const [newest] = await place.runtime.list({ threadId, limit: 1 });
  return newest && toThreadSummary(place, newest, (await place.store.threadTitles([threadId])).get(threadId));
}

async function* newestRuns(
  { runtime }: Place,
  workflow: string | undefined,
  before: string | undefined,
): AsyncGenerator<readonly RunRecord[], undefined, undefined> {
  const seen = new Set<string>();
  let cursor = before;
  for (;;) {
    const page = await runtime.list({
      ...(workflow === undefined ? {} : { workflow }),
      ...(cursor === undefined ? {} : { before: cursor }),
      limit: pageRuns,
    });
    const found: RunRecord[] = [];
    for (const run of page) {
      const { threadId } = run;
      if (threadId === undefined || seen.has(threadId)) continue;
      seen.add(threadId);
      // on later pages, an earlier page may have listed the thread already
      const isNewest = before === undefined || (await runtime.list({ threadId, limit: 1 })).at(0)?.id === run.id;
      if (isNewest) found.push(run);
    }
    if (found.length > 0) yield found;
    cursor = page.at(-1)?.id;
    if (page.length < pageRuns) return;
  }
}

async function toThreadSummary(place: Place, newest: RunRecord, title: string | undefined): Promise<ThreadSummary> {
  const { workflow, updatedAt, status } = newest;
  const { title: first, runs } = await threadFacts(place, newest);
  const waiting = status === 'waiting' || status === 'in_doubt';
  return { id: threadIdOf(newest), workflow, title: title ?? first, updatedAt, waiting, status, runs };
}

async function threadFacts({ runtime, store }: Place, { id, startedAt, ...run }: RunRecord): Promise<ThreadFacts> {
  const threadId = threadIdOf(run);
  const threads = known.get(store) ?? new Map<string, ThreadFacts>();
  known.set(store, threads);
  const newest = `${id} ${startedAt}`;
  const before = threads.get(threadId);
  if (before?.newest === newest) return before;
  const { total, turns } = await runtime.turns(threadId, { order: 'oldest', limit: 1 });
  const [first] = turns;
  const thread = { newest, runs: total, title: first !== undefined && 'entries' in first ? titleOf(first.run.input) : '' };
  threads.delete(threadId);
  threads.set(threadId, thread);
  const [oldest] = threads.keys();
  if (threads.size > maxKnown && oldest !== undefined) threads.delete(oldest);
  return thread;
}

const threadIdOf = ({ threadId = '' }: Pick<RunRecord, 'threadId'>): string => threadId;

/** Normalizes text for search: ignores case, and composes Korean syllables (NFC). */
const folded = (text: string): string => text.normalize('NFC').toLowerCase();
