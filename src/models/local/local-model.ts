import { WorkflowError } from '../../core/errors/errors.ts';
import type { ChatModel } from '../../core/ports/chat-model.ts';
import { type OpenaiModelOptions, openaiModel } from '../openai/openai-model.ts';
import { type FindLocalServersOptions, findLocalServers, type LocalServer } from './local-servers.ts';

export { type FindLocalServersOptions, findLocalServers, type LocalPort, type LocalServer, localPorts } from './local-servers.ts';

export interface LocalModelOptions extends FindLocalServersOptions {
  /**
   * Id of the model at the server; for Ollama, the tag `latest` is optional. Default: the first chat model of the first server that has
   * one.
   */
  readonly model?: string;
  /** All other options of `openaiModel`. */
  readonly options?: Omit<OpenaiModelOptions, 'model' | 'apiKey' | 'baseURL' | 'client'>;
}

/** A model of a local server. */
export interface LocalModel extends ChatModel {
  /** The selected model and server. */
  readonly choice: LocalChoice;
}

export interface LocalChoice {
  /** Id of the model. */
  readonly model: string;
  /** Name of the server program. */
  readonly server: string;
  readonly baseURL: string;
}

/**
 * Finds a model server on this machine, in this order: Ollama, LM Studio, llama.cpp, vLLM. Uses the requested model, or the first local
 * chat model in the first server's own list. Models for vectors, ranking, speech or pictures are skipped, as are those that run elsewhere.
 * Contacts only 127.0.0.1, and sends no key.
 *
 * @throws {WorkflowError} `MODEL_UNAVAILABLE` if none is found, with the attempts.
 * @example const model = await localModel();
 */
export async function localModel({ model, options, ...search }: LocalModelOptions = {}): Promise<LocalModel> {
  const servers = await findLocalServers(search);
  const choice = chooseLocal(servers, model);
  if (!choice) throw noneFound(servers, model);
  const { baseURL, server, model: id } = choice;
  // a key in the environment belongs to another provider
  const made = openaiModel({ name: `${id} (${server})`, ...options, model: id, baseURL, apiKey: 'none' });
  return { ...made, choice };
}

/** Selects the model that `localModel` uses; `undefined` if there is none. */
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
    hint: 'Start one of them, load a model, and try again. For a server with another address or a key, pass its URL.',
    data: { tried },
  });
}
