import { execFile } from 'node:child_process';
import type { PromiseReport } from 'agent-machines/testing';
import { z } from 'zod';
import { entries, type WorkflowEntry } from '../../machines/index.ts';
import { WorkflowError } from '../core/errors/errors.ts';
import { optionInvalid } from '../core/util/check-options.ts';
import type { JsonObject } from '../index.ts';
import type { ServedWorkflow } from '../server/http/served-workflow.ts';
import type { DocumentFolder } from '../server/node/document-folder.ts';
import { type Settings, toMetadata } from './settings.ts';
import { withConfigFile } from './with-config-file.ts';
import type { WorkflowMaker } from './workflow-maker.ts';

const documentId = z.string().regex(/^d_[A-Z0-9]{1,32}$/);

/** Settings that a client may choose. Files, addresses and permissions are set by the server only. */
const clientSettings = z.strictObject({
  timeZone: z.string().max(100).optional(),
  /** User of the memories. */
  user: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/)
    .optional(),
  /** Ids of uploaded documents. */
  contract: documentId.optional(),
  standard: documentId.optional(),
});

/** Workflows of the command line, for clients. */
export const servedWorkflows = (settings: Settings, maker: WorkflowMaker, documents: DocumentFolder): Promise<readonly ServedWorkflow[]> =>
  Promise.all(entries.map((workflow) => toServed(workflow, settings, maker, documents)));

async function toServed(
  workflow: WorkflowEntry,
  given: Settings,
  maker: WorkflowMaker,
  documents: DocumentFolder,
): Promise<ServedWorkflow> {
  const { draft: make, source, promises } = await workflow.load();
  const draft = make();
  return {
    id: draft.id,
    title: workflow.name,
    description: workflow.description,
    examples: workflow.examples,
    workflow: draft,
    invariants: async () => ((await promises?.())?.invariants ?? []).map(({ name }) => name),
    promises: () => verifyInChildProcess(workflow.name),
    source: { ...source, make },
    async create(asked) {
      const settings = { ...(await withConfigFile(given, workflow)), ...(await readSettings(asked, documents)) };
      const missing = workflow.missing?.(settings);
      if (missing !== undefined) throw new WorkflowError({ code: 'OPTION_INVALID', message: missing });
      return { workflow: await maker.make(workflow, settings), metadata: toMetadata(settings) };
    },
  };
}

async function readSettings(asked: JsonObject, documents: DocumentFolder): Promise<Settings> {
  const { success, data } = clientSettings.safeParse(asked);
  if (!success) {
    throw optionInvalid('A client cannot give all of these settings.', `Use only ${Object.keys(clientSettings.shape).join(', ')}.`);
  }
  const { contract, standard, ...rest } = data;
  return {
    ...rest,
    ...(contract === undefined ? {} : { contract: await pathOf(contract, documents) }),
    ...(standard === undefined ? {} : { standard: await pathOf(standard, documents) }),
  };
}

async function pathOf(id: string, documents: DocumentFolder): Promise<string> {
  const path = await documents.pathOf(id);
  if (path !== undefined) return path;
  throw new WorkflowError({
    code: 'FILE_NOT_FOUND',
    message: 'There is no such document here.',
    hint: 'List them with GET /api/documents.',
  });
}

const maxBytes = 64 * 1024 * 1024;

/** Result of `verify` for a workflow of this package, computed in a separate process. It takes seconds and would block the runs. */
async function verifyInChildProcess(name: string): Promise<PromiseReport> {
  const args = [...process.execArgv, process.argv[1] ?? '', 'verify', name, '--json'];
  const { complete, cutOff, places, promises } = JSON.parse(await outputOf(args)) as PromiseReport;
  return { complete, cutOff, places, promises };
}

/** Output of the process. A broken promise also sets a non-zero exit code, which is not an error here. */
const outputOf = (args: readonly string[]): Promise<string> =>
  new Promise((resolve, reject) => {
    execFile(process.execPath, args, { maxBuffer: maxBytes }, (error, stdout) => {
      if (error && (error.code !== 1 || stdout === '')) reject(error);
      else resolve(stdout);
    });
  });
