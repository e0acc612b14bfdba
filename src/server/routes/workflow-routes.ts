import { WorkflowError } from '../../core/errors/errors.ts';
import type { PromiseReport } from '../../core/ports/promise-report.ts';
import { loadedOnce } from '../../core/util/loaded-once.ts';
import { toGraph } from '../../engine/define/graph.ts';
import { lintWorkflow } from '../../engine/define/lint.ts';
import { layoutMachine } from '../../inspect/drawing/layout-machine.ts';
import type { WorkflowSummary } from '../api/calls.ts';
import { eventSchemas } from '../http/event-schemas.ts';
import type { RouteHandlers } from '../http/route-handler.ts';
import type { ServedSpace } from '../http/served-space.ts';
import type { ServedWorkflow } from '../http/served-workflow.ts';

type WorkflowRoutes = Pick<RouteHandlers, 'listWorkflows' | 'getWorkflow' | 'getDrawing' | 'getPromises'>;

export const workflowRoutes: WorkflowRoutes = {
  listWorkflows: ({ space: { workflows } }) => workflows.map(toWorkflowSummary),
  async getWorkflow({ params, space }) {
    const served = findServed(space, params.id);
    const { machine } = served.workflow;
    return {
      ...toWorkflowSummary(served),
      graph: toGraph(machine),
      lint: lintWorkflow(machine),
      invariants: (await served.invariants?.()) ?? [],
      events: eventSchemas(served.workflow),
    };
  },
  getPromises: ({ params, space }) => reportOf(findServed(space, params.id)),
  getDrawing: ({ params, space }) => layoutMachine(toGraph(findServed(space, params.id).workflow.machine)),
};

const reports = new WeakMap<ServedWorkflow, () => Promise<PromiseReport>>();

/** Cached per workflow: the check visits every reachable state of the machine. */
function reportOf(served: ServedWorkflow): Promise<PromiseReport> {
  const report =
    reports.get(served) ?? loadedOnce(async () => (await served.promises?.()) ?? uncheckedReport((await served.invariants?.()) ?? []));
  reports.set(served, report);
  return report();
}

const uncheckedReport = (names: readonly string[]): PromiseReport => ({
  complete: false,
  cutOff: [],
  places: 0,
  promises: names.map((name) => ({ name })),
});

function toWorkflowSummary({
  id,
  title,
  description,
  examples,
  inputSchema,
  workflow: { version, model },
}: ServedWorkflow): WorkflowSummary {
  const more = { ...(inputSchema ? { inputSchema } : {}), ...(model === undefined ? {} : { model }) };
  return { id, version, title, description, examples, ...more };
}

function findServed(space: ServedSpace, id: string): ServedWorkflow {
  const served = space.workflow(id);
  if (served) return served;
  throw new WorkflowError({
    code: 'WORKFLOW_UNKNOWN',
    message: 'There is no such workflow here.',
    hint: 'List them with GET /api/workflows.',
  });
}
