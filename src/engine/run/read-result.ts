import { WorkflowError } from '../../core/errors/errors.ts';
import type { JsonObject } from '../../core/ports/json.ts';
import type { AnyWorkflow } from '../define/define-workflow.ts';
import { toGraph } from '../define/graph.ts';
import { handlerOf, marksOf } from '../define/node.ts';
import { runPosition } from './run-position.ts';
import type { RuntimeCore } from './runtime-core.ts';
import type { StoredRun } from './stored-runs.ts';

/**
 * Checks a changed result of a node, as its own result was checked. A node without a schema takes any.
 *
 * @param before The run, with the journal up to the node.
 * @param entry The node's entry, with the changed result.
 * @throws {WorkflowError} `PATCH_INVALID`.
 */
export async function readResult(
  core: RuntimeCore,
  workflow: AnyWorkflow,
  before: StoredRun,
  { key, output }: { readonly key: string; readonly output: JsonObject },
): Promise<JsonObject> {
  const path = key.slice(0, key.lastIndexOf('#'));
  const node = toGraph(workflow.machine).states.find((state) => state.path === path)?.node ?? '';
  const handler = handlerOf(workflow.machine.implementations.actors[node]);
  const readPatch = handler && marksOf(handler).readPatch;
  if (!readPatch) return output;
  const { state } = await runPosition(core.store, core.clock, workflow, before);
  const strange = Object.keys(output).find((field) => !Object.hasOwn(state, field));
  if (strange === undefined) return readPatch(output, state);
  throw new WorkflowError({
    code: 'PATCH_INVALID',
    message: `The state of "${workflow.id}" has no field "${strange}".`,
    hint: `Its fields are ${Object.keys(state).join(', ')}.`,
    data: { field: strange },
  });
}
