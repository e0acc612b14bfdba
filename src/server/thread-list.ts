import type { ThreadList, ThreadSummary } from '../api/calls.ts';
import type { RunRecord } from '../ports/run-store.ts';
import type { ServerSpace } from './served-space.ts';
import { titleOf } from './thread-title.ts';

export interface ThreadQuery {
  /** A part of the title, in any case. */
  readonly q?: string | undefined;
  readonly workflow?: string | undefined;
  readonly limit: number;
  /** Where a list has ended: id of the newest run of its last thread. */
  readonly before?: string | undefined;
}

type Place = Pick<ServerSpace, 'runtime' | 'store'>;

/** What stays as it is while nothing is added to a thread. */
interface KnownThread {
  /** Its newest run, and when that was begun: a thread that was removed may begin anew under the same names. */
  readonly newest: string;
  readonly runs: number;
  /** Of its first input. */
  readonly title: string;
}

/** Runs that are read at a time. */
const pageRuns = 200;
/** Threads that a search looks at before it hands on to the next request. */
const maxLooked = 500;
const maxKnown = 10_000;
const known = new WeakMap<object, Map<string, KnownThread>>();

/** Conversations, the latest first. Runs are read from the newest on, only until there are enough threads. */
export async function listThreads(place: Place, { q, workflow, limit, before }: ThreadQuery): Promise<ThreadList> {
  const threads: ThreadSummary[] = [];
  const wanted = q === undefined ? undefined : folded(q);
  let looked = 0;
  let last: string | undefined;
  for await (const page of newestRuns(place, workflow, before)) {
    const titles = await place.store.threadTitles(page.map(threadIdOf));
    for (const run of page) {
      if (threads.length === limit || looked === maxLooked) return { threads, ...(last === undefined ? {} : { next: last }) };
      looked++;
      last = run.id;
      const thread = await toThreadSummary(place, run, titles.get(threadIdOf(run)));
      if (wanted === undefined || folded(thread.title).includes(wanted)) threads.push(thread);
    }
  }
  return { threads };
}

/** One conversation as lists show it; `undefined` for an unknown one. */
export async function summaryOfThread(place: Place, threadId: string): Promise<ThreadSummary | undefined> {
  const [newest] = await place.runtime.list({ threadId, limit: 1 });
  return newest && toThreadSummary(place, newest, (await place.store.threadTitles([threadId])).get(threadId));
}

/** The newest run of each thread, in pages. */
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
      // behind a page, a thread may have been shown already
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
  const { title: first, runs } = await knownThread(place, newest);
  const waiting = status === 'waiting' || status === 'in_doubt';
  return { id: threadIdOf(newest), workflow, title: title ?? first, updatedAt, waiting, status, runs };
}

async function knownThread({ runtime, store }: Place, { id, startedAt, ...run }: RunRecord): Promise<KnownThread> {
  const threadId = threadIdOf(run);
  const threads = known.get(store) ?? new Map<string, KnownThread>();
  known.set(store, threads);
  const newest = `${id} ${startedAt}`;
  const before = threads.get(threadId);
  if (before?.newest === newest) return before;
  const runs = await runtime.list({ threadId, limit: Number.MAX_SAFE_INTEGER });
  const thread = { newest, runs: runs.length, title: titleOf((await runtime.get(runs.at(-1)?.id ?? id)).input) };
  threads.delete(threadId);
  threads.set(threadId, thread);
  const [oldest] = threads.keys();
  if (threads.size > maxKnown && oldest !== undefined) threads.delete(oldest);
  return thread;
}

const threadIdOf = ({ threadId = '' }: Pick<RunRecord, 'threadId'>): string => threadId;

/** As a reader searches: capitals are as good as small letters, and Korean is Korean however it was put together. */
const folded = (text: string): string => text.normalize('NFC').toLowerCase();
