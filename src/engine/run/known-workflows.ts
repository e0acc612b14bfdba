import { WorkflowError } from '../../core/errors/errors.ts';
import { hasEndedForGood, type RunRecord, type RunStore } from '../../core/ports/run-store.ts';
import { optionInvalid } from '../../core/util/check-options.ts';
import { compareVersions } from '../../core/util/compare-versions.ts';
import { idAmong } from '../../core/util/id-among.ts';
import type { AnyWorkflow } from '../define/define-workflow.ts';
import { structureDifferences, structureHash } from '../define/graph.ts';
import { structureCorrupt } from '../store/store-errors.ts';
import type { ListedRun } from './runtime.ts';

/** Workflows whose runs one runtime can drive, each version separately. */
export class KnownWorkflows {
  readonly #store: RunStore;
  /** Workflows by id, then by version. */
  readonly #workflows = new Map<string, Map<string, AnyWorkflow>>();
  readonly #saved = new Set<string>();

  /** @throws {WorkflowError} see `add`. */
  constructor(store: RunStore, workflows: readonly AnyWorkflow[]) {
    this.#store = store;
    for (const workflow of workflows) this.add(workflow);
  }

  /**
   * @param keepsFirst ignores another implementation of a known structure, because `workflowFor` makes a workflow for each run.
   * @throws {WorkflowError} `OPTION_INVALID` for a value that is not a workflow; `WORKFLOW_DUPLICATE` for another workflow of a known id
   * and version.
   */
  add(workflow: AnyWorkflow, keepsFirst = false): void {
    if (typeof workflow?.structureHash !== 'string')
      throw optionInvalid('The value is not a workflow.', 'Pass a workflow from defineWorkflow.');
    const { id, version, structureHash } = workflow;
    const versions = this.#workflows.get(id) ?? new Map<string, AnyWorkflow>();
    const known = versions.get(version);
    if (known === workflow) return;
    if (known && keepsFirst && known.structureHash === structureHash) return;
    // Decision 437: even an equal machine is refused, because its handlers cannot be compared.
    if (known) throw workflowDuplicate(known, workflow);
    versions.set(version, workflow);
    this.#workflows.set(id, versions);
  }

  /**
   * Returns the last version in the order of `compareVersions`. Accepts an id in either spelling, see `idAmong`. @throws {WorkflowError}
   * `WORKFLOW_UNKNOWN`.
   */
  newest(id: string): AnyWorkflow {
    const newest = this.versionsOf(idAmong(id, this.#workflows.keys()) ?? id)
      .sort((a, b) => compareVersions(a.version, b.version))
      .at(-1);
    if (newest) return newest;
    throw new WorkflowError({
      code: 'WORKFLOW_UNKNOWN',
      message: `This runtime has no workflow "${id}".`,
      hint: 'Add it to createRuntime({ workflows: [ … ] }), or pass the workflow itself.',
      data: { workflow: id },
    });
  }

  /** Every version of a workflow, in no particular order. */
  versionsOf(id: string): AnyWorkflow[] {
    return [...(this.#workflows.get(id)?.values() ?? [])];
  }

  /** Every version of every workflow, as `id version`. */
  names(): readonly string[] {
    return [...this.#workflows].flatMap(([id, versions]) => [...versions.keys()].map((version) => `${id} ${version}`));
  }

  async save({ structureHash, structure }: AnyWorkflow): Promise<void> {
    await this.#store.saveStructure(structureHash, structure);
    this.#saved.add(structureHash);
  }

  isSaved({ structureHash }: AnyWorkflow): boolean {
    return this.#saved.has(structureHash);
  }

  /** Part of the workflow that is missing for this run to resume. `undefined` when nothing is missing, or the run has ended for good. */
  missing({ workflow, version, structure, status }: RunRecord): ListedRun['missing'] {
    if (hasEndedForGood(status)) return undefined;
    const versions = this.#workflows.get(workflow);
    if (!versions) return 'workflow';
    const known = versions.get(version);
    if (!known) return 'version';
    return known.structureHash === structure ? undefined : 'structure';
  }

  /**
   * Returns the workflow that a run was started with.
   * @param made Workflow that `workflowFor` made for this run.
   * @throws {WorkflowError} `WORKFLOW_UNKNOWN`, `JOURNAL_OF_OTHER_MACHINE`, `JOURNAL_CORRUPT`.
   */
  async of({ id, workflow: name, version, structure }: RunRecord, made?: AnyWorkflow): Promise<AnyWorkflow> {
    const versions = this.#workflows.get(name);
    if (!versions && !made) throw workflowUnknown(id, name);
    const workflow = made ?? versions?.get(version) ?? this.newest(name);
    if (structure === workflow.structureHash && version === workflow.version) return workflow;
    const before = await this.#store.readStructure(structure);
    if (before && structureHash(before) !== structure) throw structureCorrupt(structure);
    const differences = before ? structureDifferences(before, workflow.structure) : [`its structure ${structure} is not in the store`];
    if (version !== workflow.version) throw versionUnknown({ id, workflow: name, version }, workflow, versions, differences);
    throw new WorkflowError({
      code: 'JOURNAL_OF_OTHER_MACHINE',
      message: `The run ${id} was started on a different machine "${name}": ${differences.join('; ')}.`,
      hint: 'Offer the original machine, and give the changed one a new version.',
      data: { runId: id, workflow: name, version, currentVersion: workflow.version, differences },
    });
  }
}

const workflowUnknown = (runId: string, workflow: string): WorkflowError =>
  new WorkflowError({
    code: 'WORKFLOW_UNKNOWN',
    message: `The run ${runId} belongs to the workflow "${workflow}", which this runtime does not have.`,
    hint: 'Add it to createRuntime({ workflows: [ … ] }).',
    data: { runId, workflow },
  });

function versionUnknown(
  { id, workflow, version }: Pick<RunRecord, 'id' | 'workflow' | 'version'>,
  current: AnyWorkflow,
  versions: ReadonlyMap<string, AnyWorkflow> | undefined,
  differences: readonly string[],
): WorkflowError {
  const known = [...(versions?.keys() ?? [current.version])].sort(compareVersions);
  return new WorkflowError({
    code: 'JOURNAL_OF_OTHER_MACHINE',
    message: `The run ${id} has version "${version}" of "${workflow}", but this runtime offers ${known.map((one) => `"${one}"`).join(', ')}.`,
    hint:
      compareVersions(version, current.version) > 0
        ? `Use a process that offers version "${version}". An older version cannot continue the run.`
        : `Offer version "${version}" as well, or move the run with migrateRuns.`,
    data: { runId: id, workflow, version, currentVersion: current.version, differences: [...differences] },
  });
}

export function workflowDuplicate(known: AnyWorkflow, { id, version, structure, structureHash }: AnyWorkflow): WorkflowError {
  const isSame = known.structureHash === structureHash;
  return new WorkflowError({
    code: 'WORKFLOW_DUPLICATE',
    message: isSame
      ? `Two different workflows have the id "${id}" and the version "${version}", so their runs cannot be distinguished.`
      : `Two workflows "${id}" have the version "${version}" but differ: ${structureDifferences(known.structure, structure).join('; ')}.`,
    hint: isSame
      ? 'Give one of them another id: toolAgent({ id: … }), planExecute({ id: … }), defineWorkflow({ id: … }). If they are the same, pass one object.'
      : 'Give the changed machine another version, or the workflow another id.',
    data: { workflow: id, version },
  });
}
