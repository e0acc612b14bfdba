import type { JsonObject } from '../ports/json.ts';
import type { PromiseReport } from '../ports/promise-report.ts';
import type { Awaitable } from '../ports/run-store.ts';
import { workflowDuplicate } from '../runtime/known-workflows.ts';
import type { AnyWorkflow } from '../workflow/define-workflow.ts';

/** A workflow as it is offered to clients. */
export interface ServedWorkflow {
  /** What clients call it. */
  readonly id: string;
  readonly title: string;
  readonly description: string;
  /** Inputs to try. */
  readonly examples: readonly string[];
  /** To be shown; and to be run, where it is made without settings. */
  readonly workflow: AnyWorkflow;
  /** JSON Schema of the input. */
  readonly inputSchema?: JsonObject;
  /** What its machine promises. Default: nothing is told. */
  readonly invariants?: () => Awaitable<readonly string[]>;
  /** Whether it holds: what `verifyPromises` of `agent-machines/testing` makes. Asked once for a workflow. Default: nobody looks. */
  readonly promises?: () => Awaitable<PromiseReport>;
  /** How a test of one's own makes it, for "copy as test". Default: the test's reader says it. */
  readonly source?: WorkflowSource;
  /**
   * Makes the workflow with the settings of a start. Absent: a start has none.
   * @throws {WorkflowError} `OPTION_INVALID` for settings that it does not take.
   */
  readonly create?: (settings: JsonObject) => Awaitable<MadeWorkflow>;
}

/** A workflow as the code of a test: */
export interface WorkflowSource {
  /** Lines that import what `expression` needs. */
  readonly imports: readonly string[];
  /** What makes the workflow: `planExecute()`. */
  readonly expression: string;
  /** Does what the code says. */
  readonly make: () => Awaitable<AnyWorkflow>;
}

export interface MadeWorkflow {
  readonly workflow: AnyWorkflow;
  /** Kept with the run: what is needed to make the workflow again. */
  readonly metadata?: JsonObject;
}

/**
 * What is offered to clients, each under an id of its own.
 *
 * @throws {WorkflowError} `WORKFLOW_DUPLICATE` for two of one id, and for two different workflows of one id and version.
 */
export function toServedWorkflows(given: readonly (AnyWorkflow | ServedWorkflow)[]): readonly ServedWorkflow[] {
  const served = given.map(toServedWorkflow);
  for (const [index, { id, workflow, create }] of served.entries()) {
    for (const other of served.slice(0, index)) {
      const known = other.workflow;
      const isOther = known !== workflow && known.id === workflow.id && known.version === workflow.version;
      if (other.id === id || (isOther && !create && !other.create)) throw workflowDuplicate(known, workflow);
    }
  }
  return served;
}

/** A workflow of which nothing more is said. */
const toServedWorkflow = (given: AnyWorkflow | ServedWorkflow): ServedWorkflow => {
  if ('workflow' in given) return given;
  const { id, machine } = given;
  return { id, title: id, description: machine.root.description ?? '', examples: [], workflow: given };
};
