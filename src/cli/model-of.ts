import type { ChatModel } from '../index.ts';
import type { LocalModel, LocalPort, LocalServer } from '../models/local/local-model.ts';
import { namedPorts } from './local-ports.ts';
import { remoteOptionsOf } from './model-flags.ts';
import { parseModelNames } from './model-names.ts';
import type { Settings } from './settings.ts';
import { escapeControls } from './terminal.ts';
import { UsageError } from './usage-error.ts';

/** Model options of a workflow. */
export interface ChosenModels {
  /** Absent: no key and no server is configured, so the workflow's own rules answer. */
  readonly model?: ChatModel;
  readonly models?: Readonly<Record<string, ChatModel>>;
}

export async function modelsOf(settings: Settings, env: NodeJS.ProcessEnv = process.env): Promise<ChosenModels> {
  const names = parseModelNames(settings.model);
  const known = new Map<string, Promise<ChatModel | undefined>>();
  const modelNamed = (name: string | undefined): Promise<ChatModel | undefined> => {
    const key = name ?? '';
    const made = known.get(key) ?? (isLocal(name) ? findLocal(name, settings, env) : remoteModel(name, settings, env));
    known.set(key, made);
    return made;
  };
  const model = await modelNamed(names.default);
  const nodes: [string, ChatModel][] = [];
  for (const [node, name] of Object.entries(names.nodes)) {
    const made = await modelNamed(name);
    if (made) nodes.push([node, made]);
  }
  return { ...(model ? { model } : {}), ...(nodes.length > 0 ? { models: Object.fromEntries(nodes) } : {}) };
}

/** Returns only the default model. */
export async function modelOf(settings: Settings, env?: NodeJS.ProcessEnv): Promise<ChatModel | undefined> {
  const { default: name } = parseModelNames(settings.model);
  const { model: _, ...rest } = settings;
  return (await modelsOf({ ...rest, ...(name === undefined ? {} : { model: name }) }, env)).model;
}

async function remoteModel(name: string | undefined, settings: Settings, env: NodeJS.ProcessEnv): Promise<ChatModel | undefined> {
  const { baseUrl, keyless = false } = settings;
  const server = baseUrl ?? env.OPENAI_BASE_URL;
  // Decision 227: a config file comes with a cloned folder and must not redirect the key.
  const key = keyless && !isTrusted(baseUrl, env) ? '' : (env.OPENAI_API_KEY ?? '');
  if (key === '' && env.OPENAI_API_KEY) {
    process.stderr.write(
      `OPENAI_API_KEY is not sent to ${escapeControls(baseUrl ?? '')}, which only a file names. Confirm it with --base-url or OPENAI_BASE_URL.\n`,
    );
  }
  if (key === '' && !server) {
    if (name === undefined) return undefined;
    throw new UsageError(
      `--model ${name} needs OPENAI_API_KEY, or --base-url of a compatible server. --model local finds one on this machine.`,
    );
  }
  const options = {
    model: name ?? env.OPENAI_MODEL ?? 'gpt-5-mini',
    apiKey: key || 'none', // local servers need no key, but the client requires one
    ...(server ? { baseURL: server } : {}),
    ...remoteOptionsOf(settings),
  };
  // imported on demand: loading takes longer than everything else
  if (settings.api === 'responses') {
    const { openaiResponsesModel } = await import('../models/openai-responses/openai-responses-model.ts');
    return openaiResponsesModel(options);
  }
  const { openaiModel } = await import('../models/openai/openai-model.ts');
  return openaiModel(options);
}

/** True if the key of the environment may be sent to a URL from a file: its origin is that of `OPENAI_BASE_URL`, by default OpenAI's. */
function isTrusted(baseUrl: string | undefined, { OPENAI_BASE_URL: named = 'https://api.openai.com' }: NodeJS.ProcessEnv): boolean {
  if (baseUrl === undefined) return true;
  return URL.canParse(baseUrl) && URL.canParse(named) && new URL(baseUrl).origin === new URL(named).origin;
}

const isLocal = (name: string | undefined): name is string => name === 'local' || name?.startsWith('local/') === true;

/** Finds the model of `local` or `local/NAME`, and prints the selected one. */
async function findLocal(name: string, settings: Settings, env: NodeJS.ProcessEnv): Promise<LocalModel> {
  const { baseUrl, keyless = false } = settings;
  if (baseUrl !== undefined && !keyless) throw new UsageError(`--model ${name} finds a server on this machine. Remove --base-url.`);
  if (settings.api === 'responses') throw new UsageError(`--model ${name} uses --api chat. Remove --api responses.`);
  const { localModel } = await import('../models/local/local-model.ts');
  const model = name.slice('local/'.length);
  const found = await localModel({ ...localSearch(env), ...(model === '' ? {} : { model }), options: remoteOptionsOf(settings) });
  const { choice } = found;
  process.stderr.write(`Model: ${escapeControls(choice.model)} of ${choice.server} (${choice.baseURL}).\n`);
  return found;
}

const localSearch = (env: NodeJS.ProcessEnv): { readonly ports?: readonly LocalPort[] } => {
  const ports = namedPorts(env);
  return ports ? { ports } : {};
};

/** Usable model servers on this machine. */
export async function localServers(env: NodeJS.ProcessEnv = process.env): Promise<readonly LocalServer[]> {
  const { findLocalServers } = await import('../models/local/local-model.ts');
  return findLocalServers(localSearch(env));
}
