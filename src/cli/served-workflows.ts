import { z } from 'zod';
import { WorkflowError } from '../errors.ts';
import type { JsonObject } from '../index.ts';
import type { ServedWorkflow } from '../server/served-workflow.ts';
import { configured } from './configured.ts';
import { type Settings, toMetadata } from './settings.ts';
import type { WorkflowMaker } from './workflow-maker.ts';
import { type CliWorkflow, draftOf, workflows } from './workflows.ts';

/** What a client may say of how a workflow is made. Files, addresses and grants are the server's to say. */
const clientSettings = z.strictObject({
  timeZone: z.string().max(100).optional(),
});

/** The workflows of the command line, for clients. */
export const servedWorkflows = (settings: Settings, maker: WorkflowMaker): Promise<readonly ServedWorkflow[]> =>
  Promise.all(workflows.map((workflow) => toServed(workflow, settings, maker)));

async function toServed(workflow: CliWorkflow, given: Settings, maker: WorkflowMaker): Promise<ServedWorkflow> {
  const draft = await draftOf(workflow);
  return {
    id: draft.id,
    title: workflow.name,
    description: workflow.description,
    examples: workflow.examples,
    workflow: draft,
    invariants: async () => {
      const { promises } = await workflow.load();
      return ((await promises?.())?.invariants ?? []).map(({ name }) => name);
    },
    async create(asked) {
      const settings = { ...(await configured(given, workflow)), ...readSettings(asked) };
      const missing = workflow.missing?.(settings);
      if (missing !== undefined) throw new WorkflowError({ code: 'OPTION_INVALID', message: missing });
      return { workflow: await maker.make(workflow, settings), metadata: toMetadata(settings) };
    },
  };
}

function readSettings(asked: JsonObject): Settings {
  const { success, data } = clientSettings.safeParse(asked);
  if (success) return data;
  throw new WorkflowError({
    code: 'OPTION_INVALID',
    message: 'There are settings that a client cannot give.',
    hint: `It can give: ${Object.keys(clientSettings.shape).join(', ')}.`,
  });
}
