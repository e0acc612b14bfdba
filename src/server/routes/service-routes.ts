import { runStatuses } from '../../core/ports/run-store.ts';
import { toOpenApi } from '../http/open-api.ts';
import type { RouteHandlers } from '../http/route-handler.ts';

type ServiceRoutes = Pick<RouteHandlers, 'getMetrics' | 'getOpenApi'>;

/** Routes for other services: metrics and the OpenAPI description. */
export const serviceRoutes: ServiceRoutes = {
  async getMetrics({ space, streams }) {
    const { runs, threads } = await space.store.tally();
    const countOf = new Map(runs.map(({ workflow, status, count }) => [`${status} ${workflow}`, count]));
    const lines = [
      '# HELP agent_machines_runs Runs in the store, by workflow and status.',
      '# TYPE agent_machines_runs gauge',
      ...space.workflows.flatMap(({ workflow: { id } }) =>
        runStatuses.map((status) => `agent_machines_runs{workflow="${id}",status="${status}"} ${countOf.get(`${status} ${id}`) ?? 0}`),
      ),
      '# HELP agent_machines_threads Conversations in the store.',
      '# TYPE agent_machines_threads gauge',
      `agent_machines_threads ${threads}`,
      '# HELP agent_machines_streams Streams of events that are open.',
      '# TYPE agent_machines_streams gauge',
      `agent_machines_streams ${streams.size}`,
      '',
    ];
    return new Response(lines.join('\n'), { headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' } });
  },
  getOpenApi: ({ space: { workflows } }) => toOpenApi(workflows),
};
