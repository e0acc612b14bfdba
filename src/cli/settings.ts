import { existsSync, readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ChatModel, JsonObject, Retriever, Tool } from '../index.ts';
import { bm25Retriever } from '../retrieval/index.ts';
import { folderDocuments } from '../retrieval/node/index.ts';
import { calculator, getCurrentDatetime, searchDocuments, summarize } from '../tools/index.ts';
import { readFile } from '../tools/node/index.ts';
import { getWeather, searchWikipedia, webSearch } from '../tools/web/index.ts';
import { UsageError } from './usage-error.ts';

/** What a run is started with, and resumed with when nothing else is said. Keys are not among them: they come from the environment. */
export interface Settings {
  /** Folder of documents, absolute; absent: the current folder's README and docs. */
  readonly docs?: string;
  /** Folder that `read_file` may read, absolute. */
  readonly root?: string;
  readonly model?: string;
  readonly baseUrl?: string;
  readonly allowNet?: boolean;
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

/** Every tool, the ones that cannot be used included: they say why. */
export function toolsOf({ docs, root, allowNet = false }: Settings, env: NodeJS.ProcessEnv = process.env): readonly Tool[] {
  const key = (name: string): { apiKey?: string } => (env[name] ? { apiKey: env[name] } : {});
  return [
    calculator(),
    getCurrentDatetime(),
    searchDocuments({ retriever: retrieverOf(docs) }),
    summarize(),
    readFile({ root }),
    getWeather({ allowNet, ...key('OPENWEATHER_API_KEY') }),
    searchWikipedia({ allowNet }),
    webSearch({ allowNet, ...key('TAVILY_API_KEY') }),
  ];
}

/** Searches a folder, or the current folder's README and docs. The files are read when something is looked for. */
function retrieverOf(docs: string | undefined): Retriever | undefined {
  const root = resolve(docs ?? '.');
  if (docs !== undefined && !existsSync(root)) throw new UsageError(`--docs ${docs}: there is no such folder.`);
  if (docs === undefined && !readdirSync(root).some((name) => /^readme/i.test(name) || name === 'docs')) return undefined;
  let loading: Promise<Retriever> | undefined;
  const load = async (): Promise<Retriever> => {
    const { documents } = await folderDocuments({ root, ...(docs === undefined ? {} : { include: ['.'] }) });
    return bm25Retriever(documents);
  };
  return {
    async search(query, options) {
      loading ??= load();
      return (await loading).search(query, options);
    },
  };
}
