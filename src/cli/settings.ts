import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { getTime } from 'agent-machines/machines/guide-agent';
import { folderDocuments } from '../documents/index.ts';
import type { ChatModel, JsonObject, Retriever, Tool } from '../index.ts';
import { bm25Retriever } from '../search/index.ts';
import { calculator, getCurrentDatetime, pythonRepl, searchDocuments, summarize } from '../tools/index.ts';
import { readFile } from '../tools/node/index.ts';
import { montySandbox } from '../tools/python/monty-sandbox.ts';
import { getWeather, googleSearch, searchWikipedia, webSearch } from '../tools/web/index.ts';
import { folderOf } from './folder-of.ts';
import { lazyRetriever } from './lazy-retriever.ts';
import { readDocuments } from './read-documents.ts';
import { UsageError } from './usage-error.ts';

/** Where chat-agent can keep the documents that it looks up. */
export const storeTypes = ['memory', 'sqlite', 'faiss', 'chroma', 'opensearch'] as const;

export type StoreType = (typeof storeTypes)[number];

/** What a run is started with, and resumed with when nothing else is said. Keys are not among them: they come from the environment. */
export interface Settings {
  /** Folder of documents, absolute; absent: the current folder's README and docs. */
  readonly docs?: string;
  /** Folder that `read_file` may read, absolute. */
  readonly root?: string;
  /** The contract that questions are about, absolute. */
  readonly contract?: string;
  /** The standard contract that it is compared with, absolute. */
  readonly standard?: string;
  /** Where chat looks documents up. */
  readonly store?: StoreType;
  /** Of a Chroma or OpenSearch server. */
  readonly storeUrl?: string;
  /** Beginning of the names of a local store's files, absolute. */
  readonly storePath?: string;
  /** Database of what is known of users, absolute. */
  readonly memory?: string;
  /** Whose memories are read and written. */
  readonly user?: string;
  readonly model?: string;
  readonly baseUrl?: string;
  readonly allowNet?: boolean;
  readonly allowPython?: boolean;
  readonly allowEgress?: boolean;
}

/** Settings as the run remembers them. */
export const toMetadata = (settings: Settings): JsonObject => ({ settings: { ...settings } });

/** The settings that a run was started with, and on top of them those of the command line. */
export function withRemembered(metadata: JsonObject | undefined, settings: Settings): Settings {
  const remembered = metadata?.settings;
  const defined = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
  return { ...(typeof remembered === 'object' && remembered !== null ? (remembered as Settings) : {}), ...defined };
}

/** The model of the settings; `undefined`: no key and no server, so the workflow's own rules answer. */
export async function modelOf({ model, baseUrl }: Settings, env: NodeJS.ProcessEnv = process.env): Promise<ChatModel | undefined> {
  const key = env.OPENAI_API_KEY;
  const server = baseUrl ?? env.OPENAI_BASE_URL;
  if (!key && !server) {
    if (model === undefined) return undefined;
    throw new UsageError(`--model ${model} needs OPENAI_API_KEY, or --base-url of a compatible server.`);
  }
  const { openaiModel } = await import('../models/openai/openai-model.ts'); // here: it takes longer to load than all the rest
  return openaiModel({
    model: model ?? env.OPENAI_MODEL ?? 'gpt-5-mini',
    apiKey: key || 'none', // a local server asks for none, the client for some
    ...(server ? { baseURL: server } : {}),
  });
}

const keyIn = (env: NodeJS.ProcessEnv, name: string): { apiKey?: string } => (env[name] ? { apiKey: env[name] } : {});

/** The tools of plan-execute, the ones that cannot be used included: they say why. */
export const toolsOf = (settings: Settings, env: NodeJS.ProcessEnv = process.env): readonly Tool[] => [
  ...localTools(settings),
  searchDocuments({ retriever: retrieverOf(settings.docs) }),
  summarize(),
  ...webTools(settings, env),
];

/** The tools of chat-agent, which looks documents up by itself. */
export const chatToolsOf = (settings: Settings, env: NodeJS.ProcessEnv = process.env): readonly Tool[] => [
  ...localTools(settings),
  ...webTools(settings, env),
  pythonRepl({ sandbox: settings.allowPython ? montySandbox() : undefined }),
];

/** The tools of guide-agent beside its own. */
export const guideToolsOf = ({ allowNet = false }: Settings, env: NodeJS.ProcessEnv = process.env): readonly Tool[] => [
  calculator(),
  getTime(),
  googleSearch({ allowNet, ...keyIn(env, 'GOOGLE_API_KEY'), ...(env.GOOGLE_CSE_ID ? { engineId: env.GOOGLE_CSE_ID } : {}) }),
];

const localTools = ({ root }: Settings): readonly Tool[] => [calculator(), getCurrentDatetime(), readFile({ root })];

const webTools = ({ allowNet = false }: Settings, env: NodeJS.ProcessEnv): readonly Tool[] => [
  getWeather({ allowNet, ...keyIn(env, 'OPENWEATHER_API_KEY') }),
  searchWikipedia({ allowNet }),
  webSearch({ allowNet, ...keyIn(env, 'TAVILY_API_KEY') }),
];

/** Every tool of every workflow once. */
export function allTools(settings: Settings): readonly Tool[] {
  const tools = [...toolsOf(settings), ...chatToolsOf(settings), ...guideToolsOf(settings)];
  return [...new Map(tools.map((tool) => [tool.name, tool])).values()];
}

/** Searches a folder, or the current folder's README and docs. The files are read when something is looked for. */
function retrieverOf(docs: string | undefined): Retriever | undefined {
  const root = docs === undefined ? resolve('.') : folderOf('--docs', docs);
  if (docs === undefined && !readdirSync(root).some((name) => /^readme/i.test(name) || name === 'docs')) return undefined;
  return lazyRetriever(async () =>
    bm25Retriever(docs === undefined ? (await folderDocuments({ root })).documents : await readDocuments(root)),
  );
}
