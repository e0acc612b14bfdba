import { readAudit } from '../../engine/run/read-audit.ts';
import { threadUnknown } from '../../engine/store/store-errors.ts';
import { listWorkers } from '../../engine/workers/worker-notes.ts';
import { tenantMetrics } from '../http/metrics-answer.ts';
import { toOpenApi } from '../http/open-api.ts';
import type { RouteHandlers } from '../http/route-handler.ts';
import { toRunDetails } from '../http/run-details.ts';
import { listThreads, summaryOfThread } from '../http/thread-list.ts';
import { titleOf } from '../http/thread-title.ts';
import { turnWindow } from '../http/turn-window.ts';
import { libraryRoutes } from './library-routes.ts';
import { runRoutes } from './run-routes.ts';
import { scheduleRoutes } from './schedule-routes.ts';
import { workflowRoutes } from './workflow-routes.ts';

const defaultLimit = 50;

const threadRoutes = {
  listThreads: ({ query: { limit = defaultLimit, ...query }, space }) => listThreads(space, { ...query, limit }),
  async nameThread({ params, body: { title }, space }) {
    await space.store.nameThread(params.id, title ?? undefined);
    const thread = await summaryOfThread(space, params.id);
    if (thread) return thread;
    throw threadUnknown(params.id); // removed meanwhile
  },
  deleteThread: ({ params, space }) => space.remove({ threadId: params.id }),
  async getThread({ params, space: { runtime, store } }) {
    const { id, workflow, revision, state, activeRun, title, turns } = await runtime.thread(params.id);
    const ratings = await store.ratings?.(turns.map((turn) => turn.id));
    const details = await Promise.all(turns.map(async (info) => toRunDetails(info, await runtime.history(info.id), ratings?.get(info.id))));
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
  listTurns: ({ params, query, space }) => turnWindow(space, params.id, query),
} satisfies Partial<RouteHandlers>;

/** Routes for other services: metrics and the OpenAPI description. */
const serviceRoutes = {
  getMetrics: ({ space, streams, metrics }) => tenantMetrics(space, streams, metrics),
  listAudit: async ({ query: { since, limit = 200 }, space }) => ({ entries: await readAudit(space.store, { since, limit }) }),
  listWorkers: async ({ space }) => ({ workers: await listWorkers(space.store) }),
  getOpenApi: ({ space: { workflows } }) => toOpenApi(workflows),
} satisfies Partial<RouteHandlers>;

export const handlers: RouteHandlers = {
  ...workflowRoutes,
  ...runRoutes,
  ...threadRoutes,
  ...libraryRoutes,
  ...scheduleRoutes,
  ...serviceRoutes,
};
