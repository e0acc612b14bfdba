import { lookup as lookupHost } from 'node:dns/promises';
import type { Agent } from 'undici';
import { WorkflowError, type WorkflowErrorOptions } from '../../core/errors/errors.ts';
import { messageOf } from '../../core/errors/message-of.ts';
import { checkInteger, checkTimeout } from '../../core/util/check-integer.ts';
import { retryAfter } from '../../core/util/retry-after.ts';
import { type AddressRules, isPublicAddress, pinnedLookup, resolveAllowed } from './address-check.ts';
import { acceptedCodings, decompress } from './decompress.ts';

/**
 * Fetches a text from a public host, within the configured limits.
 *
 * @throws {WorkflowError} `ADDRESS_NOT_ALLOWED` before anything is sent, `RESPONSE_TOO_LARGE`, or `FETCH_FAILED` for all other failures: a
 * status outside 200–299 (in `data.status`, with `retryAfterMs` if the server sends one), a body that is not text, a broken connection, the
 * time limit. An aborted `signal` throws its reason. Errors never contain the URL's path or query, a header or the body.
 */
export type GuardedFetch = (url: string | URL, request?: GuardedRequest) => Promise<GuardedResponse>;

export interface GuardedRequest {
  /** HTTP method. @default 'GET' */
  readonly method?: string;
  /** Request headers. A redirect to another origin keeps only `accept`, `accept-language` and `user-agent`. `host` cannot be set. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Request body; not sent to another origin. */
  readonly body?: string;
  readonly signal?: AbortSignal;
}

export interface GuardedResponse {
  /** Status, from 200 to 299. */
  readonly status: number;
  /** Response headers, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Body, decompressed and decoded. */
  readonly text: string;
  /** Final URL, after redirects. */
  readonly url: string;
}

export interface GuardedFetchOptions extends Partial<AddressRules> {
  /** Maximum size of the body after decompression, in bytes. @default 2_000_000 */
  readonly maxBytes?: number;
  /** Time limit of the whole request, including name resolution, redirects and the body, in milliseconds. @default 10_000 */
  readonly timeoutMs?: number;
}

const maxRedirects = 3;
const redirectStatuses: readonly number[] = [301, 302, 303, 307, 308];
const crossOriginHeaders: readonly string[] = ['accept', 'accept-language', 'user-agent'];
const textTypes = /^(text\/[\w.+-]+|application\/(json|[\w.-]+\+(json|xml)))$/;
const transientFailures: readonly unknown[] = [
  'ECONNRESET',
  'ECONNREFUSED',
  'EPIPE',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'UND_ERR_SOCKET',
  'UND_ERR_CONNECT_TIMEOUT',
];

type Limits = Required<GuardedFetchOptions>;

/** One request in a chain of redirects. */
interface Hop {
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  readonly body: string | undefined;
}

/**
 * Creates a fetch function for untrusted URLs. It contacts public hosts only, and follows at most three redirects, each checked again. The
 * size of the body and the time are limited. It keeps neither cookies nor connections, and ignores the proxies of the environment.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for a limit that is not a whole number from 1 to 2,147,483,647.
 * @example const { text } = await createGuardedFetch()('https://example.com/');
 */
export function createGuardedFetch(options: GuardedFetchOptions = {}): GuardedFetch {
  const limits: Limits = {
    allowHttp: options.allowHttp ?? false,
    allowedPorts: options.allowedPorts ?? [],
    maxBytes: checkInteger('maxBytes', options.maxBytes ?? 2_000_000, { min: 1, max: 2 ** 31 - 1 }),
    timeoutMs: checkTimeout('timeoutMs', options.timeoutMs ?? 10_000),
    lookup: options.lookup ?? systemLookup,
    isAllowedAddress: options.isAllowedAddress ?? isPublicAddress,
  };
  return async (url, { method = 'GET', headers = {}, body, signal } = {}) => {
    signal?.throwIfAborted();
    const first: Hop = { url: toUrl(url), method: method.toUpperCase(), headers: toHeaders(headers), body };
    const deadline = new AbortController();
    const timer = setTimeout(() => {
      const message = `${first.url.hostname} did not answer completely within ${limits.timeoutMs} ms.`;
      deadline.abort(failed({ message, hint: 'Retry later, or raise timeoutMs.', retryable: true }));
    }, limits.timeoutMs);
    try {
      return await follow(first, limits, signal ? AbortSignal.any([signal, deadline.signal]) : deadline.signal);
    } finally {
      clearTimeout(timer);
    }
  };
}

async function follow(first: Hop, limits: Limits, signal: AbortSignal): Promise<GuardedResponse> {
  let hop = first;
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const outcome = await send(hop, limits, signal);
    if ('text' in outcome) return outcome;
    hop = outcome;
  }
  throw failed({
    message: `${first.url.hostname} redirected more than ${maxRedirects} times.`,
    hint: 'Use the final address.',
  });
}

/** Returns the response, or the next hop of a redirect. */
async function send(hop: Hop, limits: Limits, signal: AbortSignal): Promise<GuardedResponse | Hop> {
  const { url, method, headers, body } = hop;
  let agent: Agent | undefined;
  try {
    const { Agent, request } = await import('undici'); // loaded on the first fetch only
    const lookup = pinnedLookup(await resolveAllowed(url, limits, signal));
    // Each request has its own agent: a connection kept open would outlive the check of its address.
    agent = new Agent({ connect: { lookup, autoSelectFamily: true, timeout: limits.timeoutMs } });
    // `fetch` accepts a cut-off compressed body as complete
    const response = await request(url, {
      method,
      headers: Object.fromEntries(headers),
      body: body ?? null,
      signal,
      dispatcher: agent,
    });
    response.body.on('error', () => {}); // an unread body may end in any way
    const answer: Answer = { status: response.statusCode, headers: fromRaw(response.headers), body: response.body };
    return nextHop(answer, hop) ?? (await read(answer, hop, limits.maxBytes));
  } catch (error) {
    if (WorkflowError.isInstance(error)) throw error;
    signal.throwIfAborted();
    throw brokenConnection(error, url.hostname);
  } finally {
    await agent?.destroy();
  }
}

const systemLookup = async (hostname: string): Promise<readonly string[]> =>
  (await lookupHost(hostname, { all: true })).map(({ address }) => address);

/** A response with an unread body. */
interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: AsyncIterable<Uint8Array>;
}

function fromRaw(raw: Readonly<Record<string, string | string[] | undefined>>): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(raw)) for (const one of [value ?? []].flat()) headers.append(name, one);
  return headers;
}

function nextHop(response: Answer, { url: from, method, headers, body }: Hop): Hop | undefined {
  const location = response.headers.get('location');
  if (!redirectStatuses.includes(response.status) || location === null) return undefined;
  const url = toUrl(location, from);
  const isSameOrigin = url.origin === from.origin;
  const becomesGet = response.status === 303 || (method === 'POST' && response.status < 303);
  if (isSameOrigin && !becomesGet) return { url, method, headers, body };
  const keeps = (name: string): boolean => (isSameOrigin ? !name.startsWith('content-') : crossOriginHeaders.includes(name));
  const kept = new Headers([...headers].filter(([name]) => keeps(name)));
  return { url, method: method === 'HEAD' ? 'HEAD' : 'GET', headers: kept, body: undefined };
}

async function read({ status, headers, body }: Answer, { url, method }: Hop, maxBytes: number): Promise<GuardedResponse> {
  const host = url.hostname;
  if (status < 200 || status > 299) {
    const retryable = status === 408 || status === 429 || status >= 500;
    const hint = retryable ? 'Retry later.' : 'Check the address, and the key if one is needed.';
    throw failed({
      message: `${host} answered with status ${status}.`,
      hint,
      retryable,
      retryAfterMs: retryAfter(headers),
      data: { host, status },
    });
  }
  const decoder = toDecoder(headers.get('content-type') ?? '');
  if (!decoder) {
    throw failed({ message: `The answer of ${host} is not text.`, hint: 'Fetch text or JSON.', data: { host, status } });
  }
  const encoding = headers.get('content-encoding') ?? '';
  // compressed data may be slightly longer than the original
  const received = await collect(body, encoding === '' ? maxBytes : maxBytes + 1_024, () => tooLarge(host, maxBytes));
  const hasBody = method !== 'HEAD' && status !== 204 && status !== 205;
  const bytes = hasBody ? await whole(received, encoding, host, maxBytes) : received;
  return { status, headers: Object.fromEntries(headers), text: decoder.decode(bytes), url: url.href };
}

async function collect(body: AsyncIterable<Uint8Array>, maxBytes: number, tooLarge: () => WorkflowError): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of body) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function whole(body: Buffer, encoding: string, host: string, maxBytes: number): Promise<Buffer> {
  const decompressed = await decompress(body, encoding, maxBytes);
  if ('bytes' in decompressed) return decompressed.bytes;
  const { failure } = decompressed;
  if (failure === 'too large') throw tooLarge(host, maxBytes);
  if (failure === 'truncated') {
    throw failed({ message: `The answer of ${host} was cut off.`, hint: 'Retry later.', retryable: true, data: { host } });
  }
  const what = failure === 'unknown' ? 'has an unsupported compression' : 'does not match its declared compression';
  throw failed({ message: `The answer of ${host} ${what}.`, hint: 'Fetch another page.', data: { host } });
}

const tooLarge = (host: string, maxBytes: number): WorkflowError =>
  new WorkflowError({
    code: 'RESPONSE_TOO_LARGE',
    message: `The answer of ${host} is longer than ${maxBytes} bytes.`,
    hint: 'Request less, or raise maxBytes.',
    data: { host, maxBytes },
  });

/** Returns `undefined` for a body that is not text, or has an unknown encoding. */
function toDecoder(contentType: string): TextDecoder | undefined {
  const [type = ''] = contentType.split(';');
  if (!textTypes.test(type.trim().toLowerCase())) return undefined;
  const charset = /;\s*charset\s*=\s*"?([^";,\s]+)/i.exec(contentType)?.[1];
  try {
    return new TextDecoder(charset, { fatal: true });
  } catch {
    return undefined;
  }
}

// Drops the causes of both errors: they contain the URL or the header's value, which may carry a key.
function toUrl(url: string | URL, base?: URL): URL {
  if (!URL.canParse(String(url), base)) throw failed({ message: 'The address is not a URL.', hint: 'Pass an absolute https: URL.' });
  return new URL(url, base);
}

function toHeaders(given: Readonly<Record<string, string>>): Headers {
  const headers = new Headers({ accept: '*/*', 'accept-encoding': acceptedCodings, 'user-agent': 'agent-machines' });
  for (const [name, value] of Object.entries(given)) {
    try {
      if (name.toLowerCase() === 'host') throw new TypeError('It would name another server than the checked one.');
      headers.set(name, value);
    } catch {
      throw failed({ message: `The header ${JSON.stringify(name)} cannot be sent.`, hint: 'Check its name and its value.' });
    }
  }
  return headers;
}

function brokenConnection(error: unknown, host: string): WorkflowError {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error; // undici wraps the original error
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  const reason = messageOf(cause).replace(/\.$/, '');
  const hint = 'Check the address and the network.';
  return failed({
    message: `${host} could not be fetched: ${reason}.`,
    hint,
    retryable: transientFailures.includes(code),
    data: { host },
    cause,
  });
}

const failed = (options: Omit<WorkflowErrorOptions, 'code'>): WorkflowError => new WorkflowError({ code: 'FETCH_FAILED', ...options });
