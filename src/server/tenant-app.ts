import { type Context, Hono } from 'hono';
import type { z } from 'zod';
import type { Actor } from '../core/ports/actor.ts';
import type { Json } from '../core/ports/json.ts';
import type { Awaitable } from '../core/ports/run-store.ts';
import { isObject } from '../core/util/is-object.ts';
import type { Metrics } from '../inspect/metrics/create-metrics.ts';
import { type RouteName, routes } from './api/routes.ts';
import { jsonResponse } from './http/compressed.ts';
import { contracts } from './http/contracts.ts';
import { longestStallMs } from './http/event-stream.ts';
import { frameStreamOf } from './http/frame-stream.ts';
import { guardedStream } from './http/guarded-stream.ts';
import { parseStrictJson } from './http/parse-strict-json.ts';
import { checkMediaType, readBody } from './http/read-body.ts';
import { readJson } from './http/read-json.ts';
import { notFound, requestInvalid } from './http/refusal.ts';
import { forRequestOf } from './http/request-actor.ts';
import { Reply } from './http/route-handler.ts';
import type { ServedSpace } from './http/served-space.ts';
import type { ServerLimits } from './http/server-limits.ts';
import type { StreamSlots } from './http/stream-slots.ts';
import { handlers } from './routes/handlers.ts';

/** Answers requests; a Hono app does, for example. */
export interface Fetcher {
  fetch(request: Request): Awaitable<Response>;
}

/** A protocol app of one tenant. */
export interface Mounted extends Fetcher {
  /** Ends its open streams and sessions. */
  close?(): Awaitable<void>;
}

export interface TenantAppOptions {
  readonly space: ServedSpace;
  readonly close: () => Promise<void>;
  readonly limits: ServerLimits;
  readonly streams: StreamSlots;
  /** Metrics of the process, unless other tenants have a part in them. */
  readonly metrics: Metrics | undefined;
  /** Counts a start that the path does not reveal. @throws {Refusal} 429. */
  readonly countStart: () => void;
  readonly mounts: readonly ((space: ServedSpace) => Mounted)[];
}

interface Env {
  readonly Bindings: { readonly requestId: string; readonly actor: Actor };
}

/** Routes of one tenant, for authenticated requests. */
export class TenantApp {
  readonly #app = new Hono<Env>();
  readonly #options: TenantAppOptions;
  readonly #mounts: readonly Mounted[];

  constructor(options: TenantAppOptions) {
    this.#options = options;
    this.#mounts = options.mounts.map((mount) => mount(options.space));
    for (const name of Object.keys(routes) as RouteName[]) {
      const { method, path } = routes[name];
      this.#app.on(method, path, (context) => this.#handle(name, context));
    }
    this.#app.all('*', ({ req }) => this.#mounted(req.raw));
    this.#app.onError((error) => {
      throw error;
    });
  }

  /** @param tokenName Name of the token that admitted the request. */
  async fetch(request: Request, requestId: string, tokenName?: string): Promise<Response> {
    const actor = actorOf(request, this.#options.space.tenant, tokenName);
    return forRequestOf(actor, () => this.#app.fetch(request, { requestId, actor }));
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#mounts.map(async (mount) => mount.close?.()));
    await this.#options.close();
  }

  async #handle(name: RouteName, { req, env: { requestId, actor } }: Context<Env>): Promise<Response> {
    const { streams, limits, metrics } = this.#options;
    const { params, query, body } = contracts[name];
    const { method } = routes[name];
    const { space: given } = this.#options;
    const space = method === 'GET' ? given : given.as(actor);
    const asked = {
      params: params && parseInput(params, req.param(), 'path'),
      query: parseInput(query, singleValues(req.queries()), 'query'),
      body: readsBody(name, method) ? await this.#body(req.raw, body) : undefined,
      request: req.raw,
      requestId,
      space,
      streams,
      limits,
      metrics,
    };
    // each handler takes the input that its contract parses
    const answer = await (handlers[name] as (asked: unknown) => Awaitable<unknown>)(asked);
    if (answer instanceof Response) return answer;
    return answer instanceof Reply ? jsonResponse(req.raw, answer.answer, answer.status) : jsonResponse(req.raw, answer);
  }

  /** The body may be empty if the route takes none, but the content type must still be JSON: a form of another site cannot send that. */
  async #body(request: Request, schema: z.ZodType | undefined): Promise<unknown> {
    const { limits, space } = this.#options;
    const value = await readJson(request, limits, space.clock, schema === undefined ? {} : undefined);
    return parseInput(schema, value, 'body');
  }

  /** Passes a request that matches no route to the protocols, one after the other. The same limits apply to their bodies. */
  async #mounted(request: Request): Promise<Response> {
    const { space, streams } = this.#options;
    if (this.#mounts.length === 0 || !mountedMethods.has(request.method)) throw notFound();
    const json = await this.#mountedJson(request);
    if (json !== undefined && callsWorkflow(request, json)) this.#options.countStart();
    const body = json === undefined ? undefined : JSON.stringify(json);
    const stop = streams.take(space.tenant, 'protocol');
    const release = (): void => streams.release(stop);
    let response: Response | undefined;
    try {
      response = await this.#askMounts(request, body);
    } finally {
      if (request.method === 'HEAD' || !isStream(response)) release();
    }
    if (request.method === 'HEAD') return headOf(response, space.clock);
    if (!isStream(response)) return response;
    const frames = frameStreamOf(response);
    if (frames) {
      frames.guard({ clock: space.clock, stalledMs: longestStallMs, stop: stop.signal, closes: 'break', onEnd: release });
      return response;
    }
    const { clock } = space;
    return new Response(guardedStream(response.body, { clock, stalledMs: longestStallMs, stop: stop.signal, onEnd: release }), response);
  }

  /**
   * A body of 0 bytes is none: clients send the content type with every DELETE. Clients with a token, and pages of this origin, may leave
   * it out then. A form of another site has no token.
   */
  async #mountedJson(request: Request): Promise<Json | undefined> {
    const { limits, space } = this.#options;
    const { body, headers } = request;
    if (!body) return undefined;
    const isTrusted = headers.has('authorization') || headers.has('x-api-key') || headers.get('sec-fetch-site') === 'same-origin';
    const mayBeBare = isTrusted && !headers.has('content-type');
    if (!mayBeBare) checkMediaType(request, 'application/json');
    const bytes = await readBody(request, { maxBytes: limits.bodyBytes, timeoutMs: limits.bodyMs }, space.clock);
    if (bytes.byteLength === 0) return undefined;
    if (mayBeBare) checkMediaType(request, 'application/json');
    return parseStrictJson(bytes, limits.json);
  }

  /** @throws {Refusal} 404. */
  async #askMounts(request: Request, body: string | undefined): Promise<Response> {
    const { url, headers } = request;
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const gone = new AbortController();
    request.signal.addEventListener('abort', () => {
      // when the server closes, the client has not asked to end the run
      if (!this.#options.streams.closed) gone.abort(request.signal.reason);
    });
    for (const mount of this.#mounts) {
      const asked = new Request(url, { method, headers, signal: gone.signal, ...(body === undefined ? {} : { body }) });
      const response = await mount.fetch(asked);
      const isOwn = response.status !== 404 || response.headers.get('content-type')?.startsWith('application/json') === true;
      if (isOwn) return new Response(response.body, response); // the response's headers may be immutable
    }
    throw notFound();
  }
}

function actorOf({ headers }: Request, tenant: string, tokenName: string | undefined): Actor {
  const client = headers.get('user-agent') ?? '';
  return { via: 'api', tenant, ...(tokenName === undefined ? {} : { name: tokenName }), ...(client === '' ? {} : { client }) };
}

/** True when a message of A2A or MCP may start a run: of MCP, every tool call except `answer_run` and `show_run`. */
function callsWorkflow(request: Request, json: Json): boolean {
  const { pathname } = new URL(request.url);
  if (pathname.startsWith('/api/a2a/')) return isObject(json) && (json.method === 'SendMessage' || json.method === 'SendStreamingMessage');
  if (pathname !== '/mcp') return false;
  return (Array.isArray(json) ? json : [json]).some((message) => {
    if (!isObject(message) || message.method !== 'tools/call') return false;
    const name = isObject(message.params) ? message.params.name : undefined;
    return name !== 'answer_run' && name !== 'show_run';
  });
}

/** Methods that are forwarded. A protocol uses some of them, and may reject the others in its own format. */
const mountedMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);

/** The headers of a GET. Its stream is closed as by a closing server: a reader that leaves could end the run. */
async function headOf(response: Response, clock: ServedSpace['clock']): Promise<Response> {
  const frames = frameStreamOf(response);
  if (frames) frames.guard({ clock, stalledMs: longestStallMs, stop: AbortSignal.abort(), closes: 'end' });
  else await response.body?.cancel();
  return new Response(null, response);
}

const isStream = (response: Response | undefined): response is Response & { readonly body: ReadableStream<Uint8Array> } =>
  !!response?.body && response.headers.get('content-type')?.startsWith('text/event-stream') === true;

/** A document upload is not JSON; its own handler reads it. */
const readsBody = (name: RouteName, method: string): boolean => (method === 'POST' || method === 'PATCH') && name !== 'addDocument';

/** @throws {Refusal} 400 with the paths of the invalid values, without the values. */
function parseInput(schema: z.ZodType | undefined, value: unknown, part: 'path' | 'query' | 'body'): unknown {
  if (!schema) {
    if (Object.keys(value as object).length === 0) return undefined;
    throw requestInvalid(`This route accepts nothing in its ${part}.`);
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issues = result.error.issues.slice(0, 10).map(({ path, code }) => ({ path: path.map(String).join('.'), code }));
  throw requestInvalid(`The ${part} is invalid.`, { issues });
}

/** @throws {Refusal} 400 for a name that occurs twice. */
function singleValues(queries: Readonly<Record<string, readonly string[]>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(queries).map(([name, values]) => {
      const [value, ...more] = values;
      if (value === undefined || more.length > 0) throw requestInvalid('The query has a duplicate parameter.');
      return [name, value];
    }),
  );
}
