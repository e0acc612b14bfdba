import { entries } from '../../machines/index.ts';
import { type AnyWorkflow, createRuntime, engineOf, type ListedRun, type RunStore, WorkflowError } from '../index.ts';
import { notRunning } from '../models/local/local-servers.ts';
import { machineTimeZone } from '../tools/index.ts';
import { readConfigFile, withConfig } from './config-file.ts';
import { databaseMayExist, openDatabase, shownDatabase } from './database.ts';
import { hintOf } from './error-hints.ts';
import { exitCodes } from './exit-codes.ts';
import { type CommonFlags, toSettings } from './flags.ts';
import { localServers, modelOf } from './model-of.ts';
import { createOpenResources } from './open-resources.ts';
import type { Settings } from './settings.ts';
import { breakAt, escapeControls, printableJson, wrap } from './terminal.ts';
import { allTools, createWorkflow } from './workflows.ts';

interface Finding {
  readonly status: 'ok' | 'note' | 'problem';
  readonly subject: string;
  readonly detail: string;
}

/** Checks everything that a run depends on. Exit code 1 if a check fails. */
export async function doctor(flags: CommonFlags & Settings): Promise<number> {
  const { db, json = false } = flags;
  const { settings, finding: config } = await configuration(toSettings(flags));
  const { model: _, ...withoutModel } = settings; // the model is checked separately, so that the other checks run even if it is missing
  const opened = createOpenResources();
  let findings: readonly Finding[];
  try {
    const made = await Promise.all(
      entries.map(async (entry) => ({ name: entry.name, machine: await createWorkflow(entry, withoutModel, opened) })),
    );
    const machines = made.map(({ machine }) => machine);
    findings = [
      nodeVersion(),
      zone(settings.timeZone),
      ...made.map(toEngine),
      config,
      ...(await models(settings)),
      ...(await tools(settings)),
      ...optionalPackages(),
      ...(await database(db, machines)),
    ];
  } finally {
    await opened.close();
  }
  const columns = breakAt(process.stdout);
  for (const finding of findings) {
    const mark = { ok: '✓', note: '·', problem: '✗' }[finding.status];
    const lines = json ? [printableJson(finding)] : wrap(`${mark} ${finding.subject}: ${escapeControls(finding.detail)}`, columns, 2);
    process.stdout.write(`${lines.join('\n')}\n`);
  }
  return findings.some(({ status }) => status === 'problem') ? exitCodes.failed : exitCodes.done;
}

/** Time zone of new runs. */
const zone = (timeZone: string | undefined): Finding => ({
  status: 'ok',
  subject: 'time zone',
  detail: timeZone === undefined ? `${machineTimeZone()}, the machine's` : `${timeZone}, from the settings`,
});

const nodeVersion = (): Finding => ({ status: 'ok', subject: 'node', detail: `${process.version} (${process.execPath})` });

/** Engine of a machine: its compiled table, or XState. */
function toEngine({ name, machine }: { readonly name: string; readonly machine: AnyWorkflow }): Finding {
  const { engine, reason } = engineOf(machine);
  return {
    status: 'ok',
    subject: `workflow ${name}`,
    detail: engine === 'table' ? 'runs on its transition table' : `runs on XState (${reason})`,
  };
}

/** Merges the settings with the readable part of the config file. */
async function configuration(settings: Settings): Promise<{ readonly settings: Settings; readonly finding: Finding }> {
  try {
    const file = await readConfigFile(process.cwd());
    if (!file)
      return { settings, finding: { status: 'note', subject: 'config', detail: 'no agent-machines.config.json or .ts in this folder' } };
    const allNodes = entries.flatMap(({ modelNodes }) => modelNodes);
    const all = withConfig(settings, file, { env: process.env, nodes: allNodes, allNodes });
    return { settings: all, finding: { status: 'ok', subject: 'config', detail: file.path } };
  } catch (error) {
    return { settings, finding: { status: 'problem', subject: 'config', detail: messageOf(error) } };
  }
}

/** Checks the model, the key and the local model servers. */
async function models(settings: Settings): Promise<readonly Finding[]> {
  const key: Finding = process.env.OPENAI_API_KEY
    ? { status: 'ok', subject: 'key', detail: 'OPENAI_API_KEY is set' }
    : { status: 'note', subject: 'key', detail: 'OPENAI_API_KEY is not set' };
  const servers = await localServers();
  const usable = servers.filter(({ problem }) => problem === undefined);
  const local = servers.flatMap(({ name, baseURL, models, problem }): Finding[] => {
    if (problem === undefined) return [{ status: 'ok', subject: `local ${name}`, detail: `${baseURL} has ${shownList(models)}` }];
    return problem === notRunning ? [] : [{ status: 'note', subject: `local ${name}`, detail: `${baseURL} ${problem}` }];
  });
  const nobody: Finding = {
    status: 'note',
    subject: 'local models',
    detail: `none found (${servers.map(({ name, baseURL }) => `${name} at ${new URL(baseURL).host}`).join(', ')})`,
  };
  return [await model(settings, usable.length > 0), key, ...(local.length > 0 ? local : [nobody])];
}

async function model(settings: Settings, isLocalOne: boolean): Promise<Finding> {
  try {
    const found = await modelOf(settings);
    if (found) return { status: 'ok', subject: 'model', detail: found.name };
    const way = `set OPENAI_API_KEY or --base-url for a language model${isLocalOne ? ', or use one of this machine: --model local' : ''}`;
    return { status: 'note', subject: 'model', detail: `offline (rules); ${way}` };
  } catch (error) {
    return { status: 'problem', subject: 'model', detail: messageOf(error) };
  }
}

const shownList = (names: readonly string[]): string =>
  `${names.slice(0, 5).join(', ')}${names.length > 5 ? ` and ${names.length - 5} more` : ''}`;

/** Optional packages and their purpose. */
const packages: Readonly<Record<string, string>> = {
  chromadb: '--store chroma',
  'faiss-node': '--store faiss',
  pg: '--db postgres://…',
  '@opensearch-project/opensearch': '--store opensearch',
  'sqlite-vec': 'faster --store sqlite',
  '@huggingface/transformers': 'embeddings on this machine',
  '@opentelemetry/sdk-node': '--otel',
  '@pydantic/monty': '--allow-python',
};

const optionalPackages = (): readonly Finding[] =>
  Object.entries(packages).map(([name, use]) => {
    const found = isInstalled(name);
    return { status: found ? 'ok' : 'note', subject: `package ${name}`, detail: `${found ? 'is installed' : 'is not installed'} (${use})` };
  });

function isInstalled(name: string): boolean {
  try {
    import.meta.resolve(name);
    return true;
  } catch {
    return false;
  }
}

async function tools(settings: Settings): Promise<readonly Finding[]> {
  return (await allTools(settings)).map(({ name, unavailable }) => ({
    status: unavailable === undefined ? 'ok' : 'note',
    subject: `tool ${name}`,
    detail: unavailable ?? 'is available',
  }));
}

/** Finds every run that cannot be resumed now. */
async function database(path: string, machines: readonly AnyWorkflow[]): Promise<readonly Finding[]> {
  if (!databaseMayExist(path))
    return [{ status: 'note', subject: 'database', detail: `${path} does not exist yet; the first run creates it` }];
  let store: RunStore;
  try {
    store = await openDatabase(path);
  } catch (error) {
    return [{ status: 'problem', subject: 'database', detail: messageOf(error) }];
  }
  try {
    const runtime = createRuntime({ store, workflows: machines });
    const records = await runtime.list({ limit: 1_000_000 });
    const findings: Finding[] = [{ status: 'ok', subject: 'database', detail: `${shownDatabase(path)}: ${records.length} runs` }];
    for (const { id, workflow, version, status, resumable, missing } of records) {
      const detail = await unsound(() => runtime.history(id));
      if (detail !== undefined) findings.push({ status: 'problem', subject: `run ${id}`, detail });
      if (status === 'done' || status === 'cancelled' || resumable === false) continue;
      if (missing === undefined) findings.push({ status: 'note', subject: `run ${id}`, detail: `${status}; it can be resumed` });
      else findings.push({ status: 'problem', subject: `run ${id}`, detail: `${status}, but ${lacks(missing, workflow, version)}` });
    }
    return findings;
  } finally {
    await store.close();
  }
}

/** Reason why this program cannot resume a run. */
function lacks(missing: NonNullable<ListedRun['missing']>, workflow: string, version: string): string {
  if (missing === 'workflow') return `this program has no workflow ${workflow}; resume it with the program that started it`;
  if (missing === 'version') return `it waits for version ${version} of ${workflow}, which this program lacks: it cannot be resumed`;
  return `it belongs to another machine (${workflow} ${version}): it cannot be resumed`;
}

async function unsound(read: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await read();
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

const messageOf = (error: unknown): string =>
  WorkflowError.isInstance(error)
    ? `${error.code}: ${error.message} ${hintOf(error)}`
    : error instanceof Error
      ? error.message
      : String(error);
