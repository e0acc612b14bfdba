import { WorkflowError } from '../../errors.ts';
import type { ChatModel } from '../../ports/chat-model.ts';
import { type OpenaiModelOptions, openaiModel } from '../openai/openai-model.ts';
import { type FindLocalServersOptions, findLocalServers, type LocalServer } from './local-servers.ts';

export { type FindLocalServersOptions, findLocalServers, type LocalPort, type LocalServer, localPorts } from './local-servers.ts';

export interface LocalModelOptions extends FindLocalServersOptions {
  /** Its id at the server; of Ollama, the tag `latest` may be left out. Default: the first that can talk of the first server that has one. */
  readonly model?: string;
  /** Everything else that `openaiModel` takes. */
  readonly options?: Omit<OpenaiModelOptions, 'model' | 'apiKey' | 'baseURL' | 'client'>;
}

/** A model of a server on this machine. */
export interface LocalModel extends ChatModel {
  /** Which one was taken. */
  readonly choice: LocalChoice;
}

export interface LocalChoice {
  /** The model's id. */
  readonly model: string;
  /** The program's name. */
  readonly server: string;
  readonly baseURL: string;
}

/**
 * Finds a model server that runs on this machine (Ollama, LM Studio, llama.cpp, vLLM, in this order), and takes a model of it: the one that
 * is asked for, else the first in the first server's own list that is not for vectors, ranking, speech or pictures, and is not computed
 * elsewhere. Only 127.0.0.1 is asked, and no key is sent.
 *
 * @throws {WorkflowError} `MODEL_UNAVAILABLE` when there is none, with what was tried.
 * @example const model = await localModel();
 */
export async function localModel({ model, options, ...search }: LocalModelOptions = {}): Promise<LocalModel> {
  const servers = await findLocalServers(search);
  const choice = chooseLocal(servers, model);
  if (!choice) throw noneFound(servers, model);
  const { baseURL, server, model: id } = choice;
  // a key of the environment is for somebody else
  const made = openaiModel({ name: `${id} (${server})`, ...options, model: id, baseURL, apiKey: 'none' });
  return { ...made, choice };
}

/** The model that `localModel` takes of these servers; `undefined`: there is none. */
export function chooseLocal(servers: readonly LocalServer[], model?: string): LocalChoice | undefined {
  for (const { name: server, baseURL, models } of servers) {
    const [id] = model === undefined ? models : models.filter((id) => id === model || id === `${model}:latest`);
    if (id !== undefined) return { model: id, server, baseURL };
  }
  return undefined;
}

function noneFound(servers: readonly LocalServer[], model: string | undefined): WorkflowError {
  const tried = servers.map(({ name, baseURL, problem, models }) => ({
    name,
    baseURL,
    problem: problem ?? `has ${models.slice(0, 5).join(', ')}${models.length > 5 ? ', …' : ''}`,
  }));
  const what = model === undefined ? 'No model server' : `No model "${model}"`;
  return new WorkflowError({
    code: 'MODEL_UNAVAILABLE',
    message: `${what} was found on this machine. Tried: ${tried.map(({ name, baseURL, problem }) => `${name} (${baseURL}) ${problem}`).join('; ')}.`,
    hint: 'Start one of them, load a model into it, and try again; one with another address or a key is asked for by its address.',
    data: { tried },
  });
}
