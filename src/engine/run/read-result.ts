import { WorkflowError } from '../../core/errors/errors.ts';
import type { JsonObject } from '../../core/ports/json.ts';
import type { AnyWorkflow } from '../define/define-workflow.ts';
import { findMerger } from '../define/state.ts';
import { runPosition } from './run-position.ts';
import type { RuntimeCore } from './runtime-core.ts';
import type { StoredRun } from './stored-runs.ts';

/**
 * Checks a changed result of a node, as its own result was checked. A workflow without a schema takes any.
 *
 * @param before The run, with the journal up to the node.
 * @throws {WorkflowError} `PATCH_INVALID`.
 */
export async function readResult(core: RuntimeCore, workflow: AnyWorkflow, before: StoredRun, output: JsonObject): Promise<JsonObject> {
  const checks = findMerger(workflow.machine)?.checks;
  if (!checks) return output;
  const { state } = await runPosition(core.store, core.clock, workflow, before);
  const strange = Object.keys(output).find((field) => !Object.hasOwn(state, field)); // a schema gives each field an initial value
  if (strange === undefined) return checks.readPatch(output, state);
  throw new WorkflowError({
    code: 'PATCH_INVALID',
    message: `The state of "${workflow.id}" has no field "${strange}".`,
    hint: `Its fields are ${Object.keys(state).join(', ')}.`,
    data: { field: strange },
  });
}
