import { redactSecrets } from '../../core/errors/redact-secrets.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { Embedder, EmbedOptions } from '../../core/ports/embedder.ts';
import { checkInteger, checkTimeout } from '../../core/util/check-integer.ts';
import { optionInvalid } from '../../core/util/check-options.ts';
import { isObject } from '../../core/util/is-object.ts';
import { parseJson } from '../../core/util/parse-json.ts';
import { retryAfter } from '../../core/util/retry-after.ts';
import { type RetryPolicy, retry } from '../../core/util/retryer.ts';
import { systemClock } from '../../core/util/system-clock.ts';
import { embedBatches } from './embed-batches.ts';
import { embedderInvalid, embedderUnavailable } from './embedder-errors.ts';
import { unitVector } from './unit-vector.ts';

export interface HttpEmbedderOptions {
  /** The provider's id of the model, for example `text-embedding-3-small`. */
  readonly model: string;
  /** Length of the model's vectors, for example 1,536. */
  readonly dimensions: number;
  /** Base URL of an OpenAI-compatible server, without `/embeddings`. @default 'https://api.openai.com/v1' */
  readonly baseURL?: string;
  /** API key, sent as a bearer token. Optional. */
  readonly apiKey?: string;
  /** Requests vectors of this length from the model; not every model and server supports it. @default false */
  readonly shorten?: boolean;
  /** Maximum number of texts per request. @default 64 */
  readonly batchSize?: number;
  /** Time limit of one attempt, in milliseconds. @default 60_000 */
  readonly timeoutMs?: number;
  /** Number of retries after no answer, or after a temporary one: 408, 409, 429, 5xx. @default 2 */
  readonly maxRetries?: number;
  /** Clock, for tests. @default systemClock */
  readonly clock?: Clock;
}

const embedderPolicy: RetryPolicy = { firstDelayMs: 500, longestDelayMs: 30_000, longestRetryAfterMs: 30_000, random: () => 1 };

/**
 * Requests vectors from a server with OpenAI's `/embeddings` API. Texts are sent unchanged.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for an option out of range. Its `embed` throws `EMBEDDER_UNAVAILABLE`, retryable unless the
 * server rejected the request. It throws `EMBEDDER_INVALID` for a reply without exactly one vector of `dimensions` finite numbers for each
 * text.
 * @example
 * httpEmbedder({ model: 'text-embedding-3-small', dimensions: 1_536, apiKey });
 * httpEmbedder({ model: 'bge-m3', dimensions: 1_024, baseURL: 'http://localhost:11434/v1' });
 */
export function httpEmbedder(options: HttpEmbedderOptions): Embedder {
  const { model, apiKey, baseURL = 'https://api.openai.com/v1', shorten = false, clock = systemClock } = options;
  const dimensions = checkInteger('dimensions', options.dimensions, { min: 1 });
  const batchSize = checkInteger('batchSize', options.batchSize ?? 64, { min: 1 });
  const timeoutMs = checkTimeout('timeoutMs', options.timeoutMs ?? 60_000);
  const maxRetries = checkInteger('maxRetries', options.maxRetries ?? 2, { min: 0 });
  const url = addressOf(baseURL);
  const redact = (text: string): string => redactSecrets(text, apiKey ? [apiKey] : []);

  const attempt = async (texts: readonly string[], signal: AbortSignal | undefined): Promise<string> => {
    const timeout = AbortSignal.timeout(timeoutMs);
    let response: Response;
    let text: string;
    try {
      response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}) },
        body: JSON.stringify({ model, input: texts, encoding_format: 'float', ...(shorten ? { dimensions } : {}) }),
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      });
      text = await response.text();
    } catch (cause) {
      signal?.throwIfAborted();
      const what = timeout.aborted ? `no answer within ${timeoutMs} ms` : redact(describe(cause));
      throw embedderUnavailable(model, what, { retryable: true, cause });
    }
    if (response.ok) return text;
    const { status, headers } = response;
    const what = `status ${status}: ${redact(text).slice(0, 300) || 'no reason given'}`;
    const retryable = [408, 409, 429].includes(status) || status >= 500;
    throw embedderUnavailable(model, what, { retryable, status, retryAfterMs: retryAfter(headers) });
  };

  const embed = async (texts: readonly string[], { signal }: EmbedOptions): Promise<readonly Float32Array[]> => {
    const policy = { ...embedderPolicy, attempts: maxRetries + 1 };
    const text = await retry(() => attempt(texts, signal), policy, { clock, signal });
    return vectorsOf(text, { model, count: texts.length, dimensions });
  };
  return {
    name: model,
    dimensions,
    embed: (texts, options = {}) => embedBatches(texts, embed, { dimensions, batchSize, ...options }),
  };
}

interface ReplyShape {
  readonly model: string;
  readonly count: number;
  readonly dimensions: number;
}

/** Returns the vectors of a reply in the order of the texts, by `index`, because a server may reorder them. */
function vectorsOf(text: string, { model, count, dimensions }: ReplyShape): readonly Float32Array[] {
  const data = dataOf(text);
  if (!data) throw embedderInvalid(model, 'it is not JSON with a list "data"');
  if (data.length !== count) throw embedderInvalid(model, `it has ${data.length} vectors for ${count} texts`);
  const vectors = new Map<number, Float32Array>();
  for (const item of data) {
    if (!isObject(item) || !Array.isArray(item.embedding)) throw embedderInvalid(model, 'an entry has no list "embedding"');
    const { index, embedding } = item;
    const known = typeof index === 'number' && Number.isSafeInteger(index) && index >= 0 && index < count && !vectors.has(index);
    if (!known) throw embedderInvalid(model, `an entry has the invalid index ${JSON.stringify(index)}`);
    vectors.set(index, unitVector(model, embedding, dimensions));
  }
  return [...vectors].sort(([a], [b]) => a - b).map(([, vector]) => vector);
}

function dataOf(text: string): readonly unknown[] | undefined {
  const reply = parseJson(text);
  return isObject(reply) && Array.isArray(reply.data) ? reply.data : undefined;
}

function addressOf(baseURL: string): string {
  if (/^https?:/i.test(baseURL) && URL.canParse(baseURL)) return `${baseURL.replace(/\/$/, '')}/embeddings`;
  throw optionInvalid(`The baseURL "${baseURL}" is not an HTTP address.`, 'Pass an address such as http://localhost:11434/v1.');
}

/** `fetch failed` alone is not helpful: its cause contains the address and the error. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message} (${error.cause.message || error.cause.name})` : error.message;
}
