import type { ThreadSummary } from '../../api/calls.ts';
import type { Json } from '../../ports/json.ts';
import type { ListedRun } from '../../runtime/runtime.ts';
import { isObject } from '../../util/is-object.ts';
import { shorten } from '../../util/shorten.ts';
import type { RouteHandlers } from '../route-handler.ts';
import { toRunDetails } from '../run-details.ts';
import type { ServedSpace } from '../served-space.ts';

const defaultLimit = 50;
const maxTitleChars = 120;

type ThreadRoutes = Pick<RouteHandlers, 'listThreads' | 'getThread' | 'deleteThread'>;

/** Conversations. */
export const threadRoutes: ThreadRoutes = {
  async listThreads({ query: { q, workflow, limit = defaultLimit, before }, space }) {
    const runs = await space.runtime.list({ ...(workflow === undefined ? {} : { workflow }), limit: Number.MAX_SAFE_INTEGER });
    const byThread = new Map<string, ListedRun[]>();
    for (const run of runs) {
      if (run.threadId === undefined) continue;
      const known = byThread.get(run.threadId);
      if (known) known.push(run);
      else byThread.set(run.threadId, [run]);
    }
    const latest = [...byThread.values()];
    const start = before === undefined ? 0 : latest.findIndex(([run]) => run?.threadId === before) + 1;
    const threads: ThreadSummary[] = [];
    for (const own of latest.slice(start)) {
      const thread = await toThreadSummary(space, own);
      if (q !== undefined && !thread.title.toLowerCase().includes(q.toLowerCase())) continue;
      threads.push(thread);
      if (threads.length > limit) break;
    }
    const shown = threads.slice(0, limit);
    const next = threads.length > limit ? shown.at(-1)?.id : undefined;
    return { threads: shown, ...(next === undefined ? {} : { next }) };
  },
  deleteThread: async ({ params, space: { store } }) => ({ deleted: await store.remove({ threadId: params.id }) }),
  async getThread({ params, space: { runtime } }) {
    const { id, workflow, revision, state, activeRun, turns } = await runtime.thread(params.id);
    const details = await Promise.all(turns.map(async (info) => toRunDetails(info, await runtime.history(info.id))));
    const title = titleOf(details[0]?.input ?? null);
    return { id, workflow, title, revision, state, ...(activeRun === undefined ? {} : { activeRun }), turns: details };
  },
};

async function toThreadSummary({ runtime }: ServedSpace, runs: readonly ListedRun[]): Promise<ThreadSummary> {
  const [newest] = runs;
  const first = runs.at(-1);
  if (!newest || !first) throw new RangeError('A thread has a run at least.');
  const { threadId = '', workflow, updatedAt, status } = newest;
  const title = titleOf((await runtime.get(first.id)).input);
  return { id: threadId, workflow, title, updatedAt, waiting: status === 'waiting' || status === 'in_doubt', status, runs: runs.length };
}

/** The text of an input, in one line. */
function titleOf(input: Json): string {
  const text = isObject(input) && typeof input.input === 'string' ? input.input : typeof input === 'string' ? input : JSON.stringify(input);
  return shorten(text.replace(/\s+/g, ' ').trim(), maxTitleChars);
}
