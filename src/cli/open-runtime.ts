import type { WorkflowEntry } from '../../machines/index.ts';
import { type AnyWorkflow, createRuntime, type Runtime, WorkflowError } from '../index.ts';
import { cliActor } from './cli-actor.ts';
import { databaseMayExist, openDatabase } from './database.ts';
import type { CommonFlags, ResumingFlags } from './flags.ts';
import { createOpenResources } from './open-resources.ts';
import { type Settings, withRemembered } from './settings.ts';
import { createWorkflow } from './workflows.ts';

/** Opens the database for the duration of `work`. */
export async function withRuntime<T>(
  { db, acceptChanges = false }: CommonFlags & ResumingFlags,
  machines: readonly AnyWorkflow[],
  work: (runtime: Runtime) => Promise<T>,
): Promise<T> {
  const store = await openDatabase(db);
  const runtime = createRuntime({ store, workflows: machines, acceptChanges });
  try {
    return await work(runtime.as(cliActor()));
  } finally {
    await runtime.close();
    await store.close();
  }
}

/**
 * Opens the database to read a run. A missing database is not created.
 *
 * @throws {WorkflowError} `RUN_UNKNOWN`.
 */
export async function withStoredRun<T>(flags: CommonFlags, runId: string, work: (runtime: Runtime) => Promise<T>): Promise<T> {
  if (databaseMayExist(flags.db)) return withRuntime(flags, [], work);
  throw new WorkflowError({ code: 'RUN_UNKNOWN', message: `There is no run ${runId}, because there is no database ${flags.db}.` });
}

/** Opens the database and the workflow for the duration of `work`. */
export async function withWorkflow<T>(
  flags: CommonFlags & ResumingFlags,
  workflow: WorkflowEntry,
  settings: Settings,
  work: (runtime: Runtime, machine: AnyWorkflow) => Promise<T>,
): Promise<T> {
  const opened = createOpenResources();
  try {
    const machine = await createWorkflow(workflow, settings, opened);
    return await withRuntime(flags, [machine], (runtime) => work(runtime, machine));
  } finally {
    await opened.close();
  }
}

/** A conversation keeps the contract that it started with, unless another one is given. */
export async function settingsOfThread({ db, thread }: CommonFlags & { readonly thread?: string }, settings: Settings): Promise<Settings> {
  if (thread === undefined || settings.contract !== undefined || !databaseMayExist(db)) return settings;
  return withRuntime({ db }, [], async (reader) => {
    const [last] = await reader.list({ threadId: thread, limit: 1 });
    const { contract, standard } = withRemembered(last && (await reader.get(last.id)).metadata, {});
    return { ...(contract === undefined ? {} : { contract }), ...(standard === undefined ? {} : { standard }), ...settings };
  });
}
