import { checkInteger, checkTimeout } from '../../core/util/check-integer.ts';
import { isObject } from '../../core/util/is-object.ts';
import { isChatModelId } from './is-chat-model-id.ts';

export interface LocalPort {
  readonly name: string;
  readonly port: number;
  /** Allows a request to `/api/tags`, which describes the models in more detail. @default false */
  readonly tags?: boolean;
}

/** Problem of a port on which no program listens. */
export const notRunning = 'is not running';

/** Default ports of the usual programs. The first is preferred. */
export const localPorts: readonly LocalPort[] = [
  { name: 'Ollama', port: 11_434, tags: true },
  { name: 'LM Studio', port: 1_234 },
  { name: 'llama.cpp', port: 8_080 },
  { name: 'vLLM', port: 8_000 },
];

export interface FindLocalServersOptions {
  /** Ports to search. @default localPorts */
  readonly ports?: readonly LocalPort[];
  /** Time limit of each server's answer, in milliseconds. All servers are contacted at the same time. @default 1_000 */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** Result of the search on one port. */
export interface LocalServer {
  readonly name: string;
  /** URL for `openaiModel`. */
  readonly baseURL: string;
  /** Ids of the chat models, in the server's order. Models that run elsewhere are left out. */
  readonly models: readonly string[];
  /** Reason why the server cannot be used; absent for a usable one. */
  readonly problem?: string;
}

/** Maximum size of an answer; no real list is larger. */
const maxBytes = 4_000_000;

/**
 * Searches this machine for model servers: requests `http://127.0.0.1:PORT/v1/models` on all ports at the same time, without a key. Returns
 * one entry for each port, in order; those with a `problem` cannot be used.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for an invalid port or time. Throws the signal's reason when aborted.
 */
export async function findLocalServers(options: FindLocalServersOptions = {}): Promise<readonly LocalServer[]> {
  const { ports = localPorts, signal } = options;
  const timeoutMs = checkTimeout('timeoutMs', options.timeoutMs ?? 1_000);
  for (const { port } of ports) checkInteger('port', port, { min: 1, max: 65_535 });
  signal?.throwIfAborted();
  const found = await Promise.all(ports.map((port) => askServer(port, { timeoutMs, signal })));
  signal?.throwIfAborted();
  return found;
}

interface AskOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

async function askServer({ name, port, tags = false }: LocalPort, options: AskOptions): Promise<LocalServer> {
  const origin = `http://127.0.0.1:${port}`;
  const [listed, tagged] = await Promise.all([
    getJson(`${origin}/v1/models`, options),
    tags ? getJson(`${origin}/api/tags`, options) : undefined,
  ]);
  const server = { name, baseURL: `${origin}/v1` };
  if (typeof listed === 'string') return { ...server, models: [], problem: listed };
  const ids = idsIn(listed.body);
  if (!ids) return { ...server, models: [], problem: 'is not a model server' };
  const foreign = new Set(typeof tagged === 'object' ? otherModels(tagged.body) : []);
  const models = ids.filter((id) => isChatModelId(id) && !foreign.has(id));
  return { ...server, models, ...(models.length === 0 ? { problem: 'has no chat model' } : {}) };
}

/** Returns a server's answer, or the reason for its absence. Redirects are not followed. */
async function getJson(url: string, { timeoutMs, signal }: AskOptions): Promise<{ readonly body: unknown } | string> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url, {
      redirect: 'manual',
      credentials: 'omit',
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    if (!response.ok) {
      await response.body?.cancel();
      return response.status === 401 || response.status === 403 ? 'requires a key' : 'is not a model server';
    }
    const text = await readBounded(response);
    return text === undefined ? 'is not a model server' : { body: JSON.parse(text) };
  } catch (error) {
    if (timeout.aborted) return `did not answer within ${timeoutMs} ms`;
    return error instanceof SyntaxError ? 'is not a model server' : notRunning;
  }
}

async function readBounded(response: Response): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let [text, bytes] = ['', 0];
  for await (const piece of response.body ?? []) {
    bytes += piece.length;
    if (bytes > maxBytes) return undefined;
    text += decoder.decode(piece, { stream: true });
  }
  return text + decoder.decode();
}

function idsIn(body: unknown): readonly string[] | undefined {
  const list = isObject(body) ? body.data : undefined;
  // a fresh Ollama returns `null`
  if (list === null && isObject(body) && body.object === 'list') return [];
  if (!Array.isArray(list)) return undefined;
  return list.flatMap((item: unknown) => (isObject(item) && typeof item.id === 'string' && isPrintable(item.id) ? [item.id] : []));
}

const isPrintable = (id: string): boolean => id.length <= 300 && /^[^\p{C}]+$/u.test(id);

/** Returns Ollama's models for vectors, and those that run on another machine. */
function otherModels(body: unknown): readonly string[] {
  const list = isObject(body) && Array.isArray(body.models) ? body.models : [];
  return list.flatMap((item: unknown) => {
    if (!isObject(item) || typeof item.name !== 'string') return [];
    const family = isObject(item.details) ? item.details.family : undefined;
    const isElsewhere = typeof item.remote_host === 'string' && item.remote_host !== '';
    return isElsewhere || (typeof family === 'string' && /bert/i.test(family)) ? [item.name] : [];
  });
}
