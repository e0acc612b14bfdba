import type { WorkflowSummary } from '../../api/calls.ts';
import { WorkflowError } from '../../errors.ts';
import { layoutMachine } from '../../inspect/drawing/layout-machine.ts';
import { toGraph } from '../../workflow/graph.ts';
import { lintWorkflow } from '../../workflow/lint.ts';
import { eventSchemas } from '../event-schemas.ts';
import type { RouteHandlers } from '../route-handler.ts';
import type { ServedSpace } from '../served-space.ts';
import type { ServedWorkflow } from '../served-workflow.ts';

type WorkflowRoutes = Pick<RouteHandlers, 'listWorkflows' | 'getWorkflow' | 'getDrawing'>;

/** What can be started, and what it looks like. */
export const workflowRoutes: WorkflowRoutes = {
  listWorkflows: ({ space: { workflows } }) => workflows.map(toWorkflowSummary),
  async getWorkflow({ params, space }) {
    const served = servedNamed(space, params.id);
    const { machine } = served.workflow;
    return {
      ...toWorkflowSummary(served),
      graph: toGraph(machine),
      lint: lintWorkflow(machine),
      invariants: (await served.invariants?.()) ?? [],
      events: eventSchemas(served.workflow),
    };
  },
  getDrawing: ({ params, space }) => layoutMachine(toGraph(servedNamed(space, params.id).workflow.machine)),
};

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

function servedNamed(space: ServedSpace, id: string): ServedWorkflow {
  const served = space.workflow(id);
  if (served) return served;
  throw new WorkflowError({
    code: 'WORKFLOW_UNKNOWN',
    message: 'There is no such workflow here.',
    hint: 'GET /api/workflows lists them.',
  });
}
