import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { WorkflowError } from '../core/errors/errors.ts';
import { messageOf } from '../core/errors/message-of.ts';
import { readRegularFile, withOpenFile } from '../core/node/files/read-regular-file.ts';
import { isObject } from '../core/util/is-object.ts';
import { mergeJson } from '../core/util/merge-json.ts';
import { didYouMean } from '../core/util/nearest-name.ts';
import { parseServerLimits, type ServerLimitOptions } from '../server/http/server-limits.ts';
import { modelApis, ownFields } from './model-flags.ts';
import { type ModelNames, parseModelNames, printModelNames } from './model-names.ts';
import type { Settings } from './settings.ts';

export interface ConfigFile {
  /** File name. */
  readonly path: string;
  /** Section `model`: the same settings as the flags, to avoid typing them each time. */
  readonly model: {
    readonly name?: string;
    readonly models?: Readonly<Record<string, string>>;
    readonly baseUrl?: string;
    readonly settings: Partial<Settings>;
  };
  /** Section `server`. */
  readonly server: { readonly limits?: ServerLimitOptions };
}

const names = ['agent-machines.config.json', 'agent-machines.config.ts'] as const;
const maxBytes = 1_000_000;

/**
 * Reads the config file of exactly this folder; `undefined` if there is none. Node runs a TypeScript file.
 * @throws {WorkflowError} `OPTION_INVALID` for an unreadable file or invalid content.
 */
export async function readConfigFile(folder: string): Promise<ConfigFile | undefined> {
  const found = names.filter((name) => existsSync(join(folder, name)));
  const [name] = found;
  if (name === undefined) return undefined;
  if (found.length > 1) throw invalid(`There are ${found.join(' and ')}.`, 'Keep one of them.');
  const path = join(folder, name);
  const value = name.endsWith('.ts') ? await importConfig(path, name) : await parseConfig(path, name);
  return { path: name, ...configOf(value, name) };
}

async function importConfig(path: string, name: string): Promise<unknown> {
  let module: { readonly default?: unknown };
  try {
    module = (await import(pathToFileURL(path).href)) as { readonly default?: unknown };
  } catch (error) {
    throw invalid(`${name} cannot be loaded: ${messageOf(error)}`, 'Use only types that Node can strip, and export the config as default.');
  }
  if (module.default === undefined) throw invalid(`${name} has no default export.`, 'Add: export default { model: { … } }');
  return module.default;
}

async function parseConfig(path: string, name: string): Promise<unknown> {
  try {
    const file = await withOpenFile(path, (open) => readRegularFile(open, { maxBytes }));
    if (file.kind !== 'read') throw new Error(file.kind === 'large' ? `it is larger than ${maxBytes} bytes` : 'it is not a regular file');
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(file.bytes));
  } catch (error) {
    throw invalid(`${name} cannot be read: ${messageOf(error)}`, 'Write one JSON object: { "model": { … } }');
  }
}

type Check = (value: unknown) => string | undefined;
const isText: Check = (value) => (typeof value === 'string' && value.trim() !== '' && !value.includes(',') ? undefined : 'is not a name');
const isUrl: Check = (value) => {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) return 'is not an http address';
  return url.username || url.password ? 'holds a password' : undefined;
};
const isCount =
  (min: number, max = 2 ** 31 - 1): Check =>
  (value) =>
    Number.isInteger(value) && Number(value) >= min && Number(value) <= max ? undefined : `is not a whole number from ${min} to ${max}`;
const isBody: Check = (value) => {
  if (!isObject(value)) return 'is not an object';
  const ours = ownFields.filter((field) => Object.hasOwn(value, field));
  return ours.length > 0 ? `has ${ours.join(' and ')}, which each request sets itself` : undefined;
};
const isApi: Check = (value) => (modelApis.some((api) => api === value) ? undefined : `is not one of ${modelApis.join(', ')}`);
const isModels: Check = (value) =>
  isObject(value) && Object.values(value).every((name) => isText(name) === undefined) ? undefined : 'is not an object of strings';

const keys: Readonly<Record<string, { readonly check: Check; readonly setting?: keyof Settings }>> = {
  name: { check: isText },
  models: { check: isModels },
  baseUrl: { check: isUrl },
  api: { check: isApi, setting: 'api' },
  firstByteMs: { check: isCount(1), setting: 'modelFirstByteMs' },
  idleMs: { check: isCount(1), setting: 'modelIdleMs' },
  totalMs: { check: isCount(1), setting: 'modelTotalMs' },
  retryAfterMs: { check: isCount(1), setting: 'modelRetryAfterMs' },
  reasoningEffort: { check: isText, setting: 'reasoningEffort' },
  maxOutputTokens: { check: isCount(1), setting: 'maxOutputTokens' },
  maxRepairs: { check: isCount(0, 10), setting: 'maxRepairs' },
  contextTokens: { check: isCount(1_000), setting: 'contextTokens' },
  extraBody: { check: isBody, setting: 'extraBody' },
};

const secretKey = /^(?:x[-_])?(?:api[-_]?keys?|key|headers?|(?:access[-_]?)?token|secret|password|authorization|bearer)$/i;
const secretValue = /^(?:bearer\s|basic\s)|\b(?:sk|pk|gsk|xai|ghp|hf)[-_][\w-]{16,}|\bAIza[\w-]{20,}/i;

function configOf(value: unknown, file: string): Pick<ConfigFile, 'model' | 'server'> {
  if (!isObject(value)) throw invalid(`${file} is not an object.`, 'Write: { "model": { … } }');
  checkNoSecret(value, file, '');
  checkKeys(value, ['model', 'server'], file, '');
  return { model: modelConfigOf(value.model ?? {}, file), server: serverConfigOf(value.server ?? {}, file) };
}

function serverConfigOf(server: unknown, file: string): ConfigFile['server'] {
  if (!isObject(server)) throw invalid(`server of ${file} is not an object.`, 'Write: { "server": { "limits": { … } } }');
  checkKeys(server, ['limits'], file, 'server.');
  if (server.limits === undefined) return {};
  try {
    return { limits: parseServerLimits(server.limits) };
  } catch (cause) {
    throw invalid(
      `server.limits of ${file} is invalid: ${messageOf(cause)}`,
      isObject(cause) && typeof cause.hint === 'string' ? cause.hint : '',
    );
  }
}

function modelConfigOf(model: unknown, file: string): ConfigFile['model'] {
  if (!isObject(model)) throw invalid(`model of ${file} is not an object.`, 'Write: { "model": { … } }');
  checkKeys(model, Object.keys(keys), file, 'model.');
  const settings: Record<string, unknown> = {};
  for (const [key, given] of Object.entries(model)) {
    const { check, setting } = keys[key] ?? { check: () => 'is unknown' };
    const problem = check(given);
    if (problem !== undefined) throw invalid(`model.${key} of ${file} ${problem}.`, 'Correct it, or leave it out.');
    if (setting) settings[setting] = given;
  }
  const { name, models, baseUrl } = model;
  return {
    ...(typeof name === 'string' ? { name } : {}),
    ...(isObject(models) ? { models: models as Readonly<Record<string, string>> } : {}),
    ...(typeof baseUrl === 'string' ? { baseUrl } : {}),
    settings: JSON.parse(JSON.stringify(settings)) as Partial<Settings>,
  };
}

function checkKeys(value: object, known: readonly string[], file: string, place: string): void {
  for (const key of Object.keys(value)) {
    if (known.includes(key)) continue;
    const hint = `${didYouMean(key, known)}Known keys: ${known.join(', ')}.`;
    throw invalid(`${file} has an unknown key: ${place}${key}.`, hint);
  }
}

/** Rejects secrets: other people read a project's files, and they are committed to repositories. */
function checkNoSecret(value: unknown, file: string, place: string): void {
  const isSecret = typeof value === 'string' && secretValue.test(value);
  if (isSecret) throw secret(file, place);
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    const at = place === '' ? key : `${place}.${key}`;
    if (secretKey.test(key) && !Array.isArray(value)) throw secret(file, at);
    checkNoSecret(inner, file, at);
  }
}

const secret = (file: string, place: string): WorkflowError =>
  invalid(`${file} has what looks like a key, at ${place}.`, 'Set OPENAI_API_KEY in the environment. Use --header for headers.');

/**
 * Merges settings with a config file. Flags win over the environment, and both win over the file.
 *
 * @param nodes Nodes of the workflow that use models; other names in the file are ignored.
 * @param allNodes Nodes of all workflows.
 */
export function withConfig(
  settings: Settings,
  { path, model }: ConfigFile,
  { env, nodes, allNodes }: { readonly env: NodeJS.ProcessEnv; readonly nodes: readonly string[]; readonly allNodes: readonly string[] },
): Settings {
  const { default: all, ...named } = model.models ?? {};
  if (all !== undefined && model.name !== undefined) {
    throw invalid(`${path} has both model.name and model.models.default, which mean the same.`, 'Keep one of them.');
  }
  checkKeys(named, allNodes, path, 'model.models.');
  const flags = parseModelNames(settings.model);
  const own = Object.fromEntries(Object.entries(named).filter(([node]) => nodes.includes(node)));
  const fallback = flags.default ?? env.OPENAI_MODEL ?? model.name ?? all;
  const chosen: ModelNames = { ...(fallback === undefined ? {} : { default: fallback }), nodes: { ...own, ...flags.nodes } };
  const text = printModelNames(chosen);
  const baseUrl = settings.baseUrl === undefined && !env.OPENAI_BASE_URL ? model.baseUrl : undefined;
  const isNamed = flags.default !== undefined || model.name !== undefined || all !== undefined || Object.keys(chosen.nodes).length > 0;
  return {
    ...model.settings,
    ...(baseUrl === undefined ? {} : { baseUrl, keyless: true }),
    ...settings,
    ...(model.settings.extraBody && settings.extraBody ? { extraBody: mergeJson(model.settings.extraBody, settings.extraBody) } : {}),
    ...(isNamed && text !== '' ? { model: text } : {}),
  };
}

/** The advice is part of the message, because the command line does not show the library's hints. */
const invalid = (message: string, advice: string): WorkflowError =>
  new WorkflowError({ code: 'OPTION_INVALID', message: `${message} ${advice}` });
