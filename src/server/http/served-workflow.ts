import type { JsonObject } from '../../core/ports/json.ts';
import type { PromiseReport } from '../../core/ports/promise-report.ts';
import type { Awaitable } from '../../core/ports/run-store.ts';
import { compareVersions } from '../../core/util/compare-versions.ts';
import type { AnyWorkflow } from '../../engine/define/define-workflow.ts';
import { workflowDuplicate } from '../../engine/run/known-workflows.ts';

/** A workflow that the server offers to clients. */
export interface ServedWorkflow {
  /** Public id of the workflow. */
  readonly id: string;
  readonly title: string;
  readonly description: string;
  /** Example inputs. */
  readonly examples: readonly string[];
  /** The workflow to display. It also runs when the workflow has no settings. */
  readonly workflow: AnyWorkflow;
  /** JSON Schema of the input. */
  readonly inputSchema?: JsonObject;
  /** Promises of the machine. Default: none are shown. */
  readonly invariants?: () => Awaitable<readonly string[]>;
  /** Checks the promises, for example with `verifyPromises` of `agent-machines/testing`. Called once per workflow. Default: not checked. */
  readonly promises?: () => Awaitable<PromiseReport>;
  /** Code that creates the workflow in a test, for "copy as test". Default: the reader of the test fills it in. */
  readonly source?: WorkflowSource;
  /**
   * Creates the workflow with the settings of a start. Absent: a start takes no settings.
   * @throws {WorkflowError} `OPTION_INVALID` for unknown or invalid settings.
   */
  readonly create?: (settings: JsonObject) => Awaitable<MadeWorkflow>;
}

/** A workflow as source code for a test. */
export interface WorkflowSource {
  /** Import lines that `expression` needs. */
  readonly imports: readonly string[];
  /** Expression that creates the workflow: `planExecute()`. */
  readonly expression: string;
  /** Runs the same code. */
  readonly make: () => Awaitable<AnyWorkflow>;
}

export interface MadeWorkflow {
  readonly workflow: AnyWorkflow;
  /** Stored with the run: the data needed to create the workflow again. */
  readonly metadata?: JsonObject;
}

/**
 * Converts workflows to their served form, each with a unique id. Of several versions of a workflow, the newest one is served; runs of the
 * others finish in their version.
 *
 * @throws {WorkflowError} `WORKFLOW_DUPLICATE` for two workflows with the same id, and for two different workflows with the same id and
 * version.
 */
export function toServedWorkflows(given: readonly (AnyWorkflow | ServedWorkflow)[]): readonly ServedWorkflow[] {
  const served = given.map(toServedWorkflow);
  for (const [index, { id, workflow, create }] of served.entries()) {
    for (const other of served.slice(0, index)) {
      const known = other.workflow;
      const isOther = known !== workflow && known.id === workflow.id && known.version === workflow.version;
      const isVersion = known.id === workflow.id && known.version !== workflow.version;
      if ((other.id === id && !isVersion) || (isOther && !create && !other.create)) throw workflowDuplicate(known, workflow);
    }
  }
  return served.filter(({ id, workflow }) =>
    served.every((other) => other.id !== id || compareVersions(other.workflow.version, workflow.version) <= 0),
  );
}

export const toWorkflow = (given: AnyWorkflow | ServedWorkflow): AnyWorkflow => ('workflow' in given ? given.workflow : given);

const toServedWorkflow = (given: AnyWorkflow | ServedWorkflow): ServedWorkflow => {
  if ('workflow' in given) return given;
  const { id, machine } = given;
  return { id, title: id, description: machine.root.description ?? '', examples: [], workflow: given };
};
