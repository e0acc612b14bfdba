import { WorkflowError } from '../errors.ts';
import type { RunRecord, RunStore } from '../ports/run-store.ts';
import type { AnyWorkflow } from '../workflow/define-workflow.ts';
import { structureDifferences } from '../workflow/graph.ts';

/** The workflows whose runs one runtime can drive. */
export class KnownWorkflows {
  readonly #store: RunStore;
  readonly #workflows: Map<string, AnyWorkflow>;
  readonly #saved = new Set<string>();

  constructor(store: RunStore, workflows: readonly AnyWorkflow[]) {
    this.#store = store;
    this.#workflows = new Map(workflows.map((workflow) => [workflow.id, workflow]));
  }

  add(workflow: AnyWorkflow): void {
    this.#workflows.set(workflow.id, workflow);
  }

  /** Keeps the workflow's structure in the store, once. */
  async save({ structureHash, structure }: AnyWorkflow): Promise<void> {
    if (this.#saved.has(structureHash)) return;
    await this.#store.saveStructure(structureHash, structure);
    this.#saved.add(structureHash);
  }

  /**
   * The workflow that a run was started with.
   * @throws {WorkflowError} `WORKFLOW_UNKNOWN`, `JOURNAL_OF_OTHER_MACHINE`.
   */
  async of({ id, workflow: name, version, structure }: RunRecord): Promise<AnyWorkflow> {
    const workflow = this.#workflows.get(name);
    if (!workflow) throw workflowUnknown(id, name);
    if (structure === workflow.structureHash && version === workflow.version) return workflow;
    const before = await this.#store.readStructure(structure);
    const differences = before ? structureDifferences(before, workflow.structure) : [`its structure ${structure} is not in the store`];
    throw new WorkflowError({
      code: 'JOURNAL_OF_OTHER_MACHINE',
      message: `The run ${id} was started on another machine "${name}": ${differences.join('; ')}.`,
      hint: 'Resume it with the version that it was started with, or start a new run.',
      data: { runId: id, workflow: name, version, currentVersion: workflow.version, differences },
    });
  }
}

const workflowUnknown = (runId: string, workflow: string): WorkflowError =>
  new WorkflowError({
    code: 'WORKFLOW_UNKNOWN',
    message: `The run ${runId} belongs to the workflow "${workflow}", which this runtime does not know.`,
    hint: 'Name it in createRuntime({ workflows: [ … ] }).',
    data: { runId, workflow },
  });
