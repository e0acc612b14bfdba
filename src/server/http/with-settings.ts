import type { JsonObject } from '../../core/ports/json.ts';
import { optionInvalid } from '../../core/util/check-options.ts';
import type { AnyWorkflow } from '../../engine/define/define-workflow.ts';
import type { ServedWorkflow } from './served-workflow.ts';

/** Makes a workflow with settings, and the metadata that its runs store. @throws {WorkflowError} `OPTION_INVALID` if it takes none. */
export async function withSettings(
  served: ServedWorkflow,
  settings: JsonObject,
): Promise<{ readonly workflow: AnyWorkflow; readonly metadata?: JsonObject | undefined }> {
  if (!served.create && Object.keys(settings).length > 0)
    throw optionInvalid(`The workflow "${served.id}" takes no settings.`, 'Remove settings.');
  return (await served.create?.(settings)) ?? { workflow: served.workflow };
}
