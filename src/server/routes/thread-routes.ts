import { threadUnknown } from '../../engine/store/store-errors.ts';
import { removeRuns } from '../http/remove-runs.ts';
import type { RouteHandlers } from '../http/route-handler.ts';
import { toRunDetails } from '../http/run-details.ts';
import { listThreads, summaryOfThread } from '../http/thread-list.ts';
import { titleOf } from '../http/thread-title.ts';

const defaultLimit = 50;

type ThreadRoutes = Pick<RouteHandlers, 'listThreads' | 'getThread' | 'nameThread' | 'deleteThread'>;

/** Routes for conversations. */
export const threadRoutes: ThreadRoutes = {
  listThreads: ({ query: { limit = defaultLimit, ...query }, space }) => listThreads(space, { ...query, limit }),
  async nameThread({ params, body: { title }, space }) {
    await space.store.nameThread(params.id, title ?? undefined);
    const thread = await summaryOfThread(space, params.id);
    if (thread) return thread;
    throw threadUnknown(params.id); // removed meanwhile
  },
  deleteThread: ({ params, space }) => removeRuns(space, { threadId: params.id }),
  async getThread({ params, space: { runtime } }) {
    const { id, workflow, revision, state, activeRun, title, turns } = await runtime.thread(params.id);
    const details = await Promise.all(turns.map(async (info) => toRunDetails(info, await runtime.history(info.id))));
    return {
      id,
      workflow,
      title: title ?? titleOf(details[0]?.input ?? null),
      revision,
      state,
      ...(activeRun === undefined ? {} : { activeRun }),
      turns: details,
    };
  },
};
