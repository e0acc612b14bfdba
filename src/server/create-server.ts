import { Hono } from 'hono';
import type { WorkflowError } from '../core/errors/errors.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { Awaitable, RunStore } from '../core/ports/run-store.ts';
import { checkOptions, fn, listOf, type OptionKind, object, objectWith, optionInvalid, required } from '../core/util/check-options.ts';
import { newId } from '../core/util/ids.ts';
import { isObject } from '../core/util/is-object.ts';
import { systemClock } from '../core/util/system-clock.ts';
import type { AnyWorkflow } from '../engine/define/define-workflow.ts';
import { createRuntime } from '../engine/run/create-runtime.ts';
import type { Runtime } from '../engine/run/runtime.ts';
import { memoryStore } from '../engine/store/memory-store.ts';
import type { Metrics } from '../inspect/metrics/create-metrics.ts';
import { routes } from './api/routes.ts';
import { Authenticator, type Tokens, tokenCheck } from './http/authenticate.ts';
import { type AllowedHosts, checkOrigin, checkSite } from './http/check-origin.ts';
import { errorResponse } from './http/error-response.ts';
import { processMetrics } from './http/metrics-answer.ts';
import { RateLimiter } from './http/rate-limiter.ts';
import { readJson } from './http/read-json.ts';
import { notFound, Refusal, tooMany } from './http/refusal.ts';
import { securityHeaders } from './http/security-headers.ts';
import { createServedSpace, type GrantEgress, type ServedSpace, type ServerSpace } from './http/served-space.ts';
import { type ServedWorkflow, toServedWorkflows, toWorkflow } from './http/served-workflow.ts';
import { parseServerLimits, type ServerLimitOptions, type ServerLimits } from './http/server-limits.ts';
import { StreamSlots } from './http/stream-slots.ts';
import { parseError, rpcErrorResponse } from './protocols/a2a/a2a-error.ts';
import { openaiErrorResponse } from './protocols/openai-error.ts';
import { type Fetcher, type Mounted, TenantApp } from './tenant-app.ts';

export interface ServerOptions extends Partial<Omit<ServerSpace, 'runtime' | 'store' | 'workflows'>> {
  /**
   * Accepted tokens: one token for a single tenant, a map from token to tenant, or a function that returns a token's tenant. In a map, a
   * token may have a name for the log of actions: `{ tenant, name }`.
   */
  readonly tokens: Tokens;
  /** Host names of the server, each with its port, as in the `Host` header: `127.0.0.1:4680`. Other names are rejected. */
  readonly hosts: AllowedHosts;
  /** @default a runtime that uses `store` */
  readonly runtime?: Runtime;
  /** The runtime's store. The caller closes it. @default memoryStore() */
  readonly store?: RunStore;
  /** Of several versions of a workflow, new runs take the newest, and runs of the others finish in theirs. @default [] */
  readonly workflows?: readonly (AnyWorkflow | ServedWorkflow)[];
  /**
   * Returns the runtime, store and workflows of a tenant, in place of `runtime`, `store` and `workflows`. A store per tenant isolates
   * tenants from each other.
   */
  readonly spaceOf?: (tenant: string) => Awaitable<TenantSpace>;
  /**
   * Protocol apps, each created once per tenant. They receive requests below /api/, /v1/ and /mcp that match no route of the server.
   * @default []
   */
  readonly mounts?: readonly ((space: ServedSpace) => Mounted)[];
  /**
   * Returns true to let the tools of a run send data out although its thread contains private data. Called for each start, over every
   * protocol; a client cannot grant it in the input. @default () => false
   */
  readonly grantEgress?: GrantEgress;
  /** Serves paths outside the API, such as the studio's files. Returns `undefined` for an unknown path. Default: no pages. */
  readonly page?: (path: string, request: Request) => Awaitable<Response | undefined>;
  readonly limits?: ServerLimitOptions;
  /** Metrics of the process for /metrics, instead of the counts of the store: `createMetrics` of `agent-machines/metrics`. */
  readonly metrics?: Metrics;
  /**
   * Token that reads `metrics` at /metrics and nothing else, for a scraper. With `spaceOf`, no other token does, because all tenants have a
   * part in them. Default: none.
   */
  readonly metricsToken?: string;
  /** Returns true when the server can work, for /ready, which needs no token. A thrown error counts as false. @default () => true */
  readonly isReady?: () => Awaitable<boolean>;
  /** Called for each internal failure of the server. Default: no callback. */
  readonly onError?: (failure: {
    readonly requestId: string;
    readonly method: string;
    readonly path: string;
    readonly error: unknown;
  }) => void;
  /** @default the machine's clock */
  readonly clock?: Clock;
}

/** Remote end of a connection. */
export interface Peer {
  /** IP address; behind a proxy, the address of the proxy's client. */
  readonly address?: string | undefined;
}

/** Resources of the server for one tenant. */
export type TenantSpace = Omit<ServerSpace, 'workflows'> & { readonly workflows: readonly (AnyWorkflow | ServedWorkflow)[] };

/** A server for any runtime with `Request` and `Response`. */
export interface AgentServer extends Fetcher {
  /** @param peer Sender of the request. Without its `address`, wrong tokens are not counted. `listen` provides it. */
  fetch(request: Request, peer?: Peer): Awaitable<Response>;
  /** All served paths with their methods. `isOpen` is true when no token is required. */
  readonly routes: readonly { readonly method: string; readonly path: string; readonly isOpen: boolean }[];
  /** Ends the streams and rejects new requests with 503. Their owners close the runtimes and stores. */
  close(): Promise<void>;
}

/**
 * Creates a server with the API, the given protocols and the studio page.
 *
 * @throws {WorkflowError} `OPTION_INVALID`, also for an empty token; `WORKFLOW_DUPLICATE` for two workflows of one id and version.
 * @example
 * const server = createServer({ store, workflows: [planExecute()], tokens: process.env.TOKEN, hosts: ['agents.example.org'] });
 * const response = await server.fetch(request);
 */
export function createServer(options: ServerOptions): AgentServer {
  checkOptions('createServer', options, serverOptions);
  const server = new HttpServer(options);
  return { fetch: (request, peer) => server.fetch(request, peer), routes: server.routes, close: () => server.close() };
}

const serverOptions: Readonly<Record<keyof ServerOptions, OptionKind>> = {
  tokens: required({ what: 'a token, tokens and their tenants, or a function', is: areTokens }),
  hosts: required({ what: 'an array of names, or a function', is: (value) => typeof value === 'function' || areTexts(value) }),
  runtime: objectWith('a Runtime', 'start'),
  store: objectWith('a RunStore', 'create'),
  workflows: listOf('workflows', isWorkflow),
  spaceOf: fn,
  mounts: listOf('functions', (value) => typeof value === 'function'),
  grantEgress: fn,
  page: fn,
  limits: object,
  metrics: objectWith('the result of createMetrics', 'text'),
  metricsToken: { what: 'a text that is not empty', is: (value) => typeof value === 'string' && value !== '' },
  isReady: fn,
  onError: fn,
  clock: objectWith('a Clock', 'now'),
  workflowOf: fn,
  documents: object,
  evals: objectWith('an EvalShelf', 'list'),
  memories: fn,
  tools: fn,
  model: fn,
};

/** An empty token, such as that of a variable that is not set, admits everyone. */
function areTokens(value: unknown): boolean {
  if (typeof value === 'string') return value !== '';
  if (!isObject(value)) return typeof value === 'function';
  return !Object.hasOwn(value, '') && Object.values(value).every(isTenant);
}

/** A token with an invalid name would admit nobody. */
const isTenant = (value: unknown): boolean =>
  isObject(value)
    ? [value.tenant, value.name].every((text) => typeof text === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(text))
    : typeof value === 'string' && value !== '';

const areTexts = (value: unknown): boolean => Array.isArray(value) && value.every((one) => typeof one === 'string' && one !== '');

function isWorkflow(value: unknown): boolean {
  const workflow = isObject(value) && 'workflow' in value ? value.workflow : value;
  return isObject(workflow) && typeof workflow.structureHash === 'string';
}

/** Every path below these requires a token, including the paths of mounted apps. */
const guarded = /^\/(?:api|v1|mcp|metrics)(?:\/|$)/;
/** OpenAI's clients read only errors in OpenAI's format. */
const openaiPath = /^\/v1(?:\/|$)/;
const a2aPath = /^\/api\/a2a\/[^/]+$/;

/** A refused request, in the format that its client reads. */
function toRefusedResponse(path: string, error: unknown, requestId: string): Response {
  if (openaiPath.test(path)) return openaiErrorResponse(error, requestId);
  if (a2aPath.test(path) && error instanceof Refusal && error.code === 'REQUEST_INVALID')
    return rpcErrorResponse(null, parseError(error.message));
  return errorResponse(error, requestId);
}

/** Load balancers and Kubernetes address them by IP, so any `Host` is allowed. Their answers must reveal nothing but health. */
const probes = [
  { method: 'GET', path: '/health' },
  { method: 'GET', path: '/ready' },
];
const open = [...probes, { method: 'POST', path: '/api/session' }];

class HttpServer {
  readonly routes: AgentServer['routes'];
  readonly #options: ServerOptions;
  readonly #clock: Clock;
  readonly #limits: ServerLimits;
  readonly #keeper: Authenticator;
  readonly #rates: Readonly<Record<'reads' | 'writes' | 'starts' | 'sessions', RateLimiter>>;
  readonly #streams: StreamSlots;
  readonly #scraper: { readonly metrics: Metrics; readonly isAdmitted: (request: Request) => Promise<boolean> } | undefined;
  readonly #spaces = new Map<string, Promise<TenantApp>>();
  readonly #openApp = new Hono<{ Bindings: { readonly address?: string | undefined } }>();
  #closed = false;

  constructor(options: ServerOptions) {
    const { clock = systemClock, tokens } = options;
    // Decision 292: no query filters by tenant, so that none can forget to.
    if (!options.spaceOf && hasSeveralTenants(tokens)) throw needsSpaces();
    toServedWorkflows(options.workflows ?? []);
    const { metrics, metricsToken } = options;
    if (metricsToken !== undefined) {
      if (!metrics) throw optionInvalid('metricsToken reads metrics, and there are none.', 'Set metrics to the result of createMetrics().');
      if (isAmong(metricsToken, tokens)) throw optionInvalid('metricsToken is also a token of a tenant.', 'Give it a value of its own.');
      this.#scraper = { metrics, isAdmitted: tokenCheck(metricsToken) };
    }
    this.#options = options;
    this.#clock = clock;
    this.#limits = parseServerLimits(options.limits);
    const { reads, writes, starts, sessions, wrongTokens } = this.#limits;
    this.#keeper = new Authenticator(tokens, clock, new RateLimiter(wrongTokens, clock));
    this.#rates = {
      reads: new RateLimiter(reads, clock),
      writes: new RateLimiter(writes, clock),
      starts: new RateLimiter(starts, clock),
      sessions: new RateLimiter(sessions, clock),
    };
    this.#streams = new StreamSlots(this.#limits.streams);
    this.routes = [
      ...open.map((route) => ({ ...route, isOpen: true })),
      ...Object.values(routes).map(({ method, path }) => ({ method, path, isOpen: false })),
    ];
    this.#addOpenRoutes();
  }

  async fetch(request: Request, peer: Peer = {}): Promise<Response> {
    const requestId = newId('q');
    const response = await this.#answer(request, requestId, addressOf(peer)).catch((error: unknown) => {
      const { pathname: path } = new URL(request.url);
      const refused = toRefusedResponse(path, error, requestId);
      if (refused.status >= 500) this.#options.onError?.({ requestId, method: request.method, path, error });
      return refused;
    });
    for (const [name, value] of Object.entries(securityHeaders)) if (!response.headers.has(name)) response.headers.set(name, value);
    response.headers.set('x-request-id', requestId);
    return response;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#streams.closeAll();
    await Promise.allSettled([...this.#spaces.values()].map(async (tenant) => (await tenant).close()));
  }

  async #answer(request: Request, requestId: string, address: string | undefined): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (!isProbe(request.method, pathname)) checkOrigin(request, this.#options.hosts);
    if (this.#closed) throw closing;
    if (isOpen(request.method, pathname)) return this.#openApp.fetch(request, { requestId, address });
    if (!guarded.test(pathname)) return this.#page(request, pathname);
    checkSite(request);
    const scraper = request.method === 'GET' && pathname === routes.getMetrics.path ? this.#scraper : undefined;
    if (scraper && (await scraper.isAdmitted(request))) return this.#scrape(scraper.metrics);
    const principal = await this.#keeper.admit(request, address);
    this.#count(request, pathname, principal.tenant);
    const tenant = await this.#tenant(principal.tenant);
    return tenant.fetch(request, requestId, principal.name);
  }

  #scrape(metrics: Metrics): Promise<Response> {
    this.#take('reads', ' metrics'); // no tenant has such a name
    return processMetrics(metrics, this.#streams);
  }

  /** @throws {Refusal} 429. */
  #count({ method }: Request, pathname: string, tenant: string): void {
    const changes = method !== 'GET' && method !== 'HEAD' && !readsByPost.test(pathname);
    this.#take(changes ? 'writes' : 'reads', tenant);
    if (method === 'POST' && startsRun.test(pathname)) this.#take('starts', tenant);
  }

  #take(rate: 'reads' | 'writes' | 'starts' | 'sessions', name: string): void {
    const waitMs = this.#rates[rate].take(name);
    if (waitMs > 0) throw tooMany('TOO_MANY_REQUESTS', 'There are too many requests at once.', waitMs);
  }

  async #page(request: Request, pathname: string): Promise<Response> {
    const { method } = request;
    const found = method === 'GET' || method === 'HEAD' ? await this.#options.page?.(pathname, request) : undefined;
    if (found) return found;
    throw notFound();
  }

  #tenant(name: string): Promise<TenantApp> {
    const known = this.#spaces.get(name);
    if (known) return known;
    const made = this.#spaceOf(name).then(
      ({ space, close }) =>
        new TenantApp({
          space: createServedSpace(name, space, { clock: this.#clock, limits: this.#limits, grantEgress: this.#options.grantEgress }),
          close,
          limits: this.#limits,
          streams: this.#streams,
          metrics: this.#options.spaceOf ? undefined : this.#options.metrics,
          countStart: () => this.#take('starts', name),
          mounts: this.#options.mounts ?? [],
        }),
    );
    this.#spaces.set(name, made);
    made.catch(() => this.#spaces.delete(name));
    return made;
  }

  async #spaceOf(name: string): Promise<{ readonly space: ServerSpace; readonly close: () => Promise<void> }> {
    const { spaceOf, store = memoryStore(), runtime, workflows = [], ...options } = this.#options;
    if (spaceOf) {
      const space = await spaceOf(name);
      return {
        space: { workflowOf: versionAmong(space.workflows), ...space, workflows: toServedWorkflows(space.workflows) },
        close: async () => {},
      };
    }
    const served = toServedWorkflows(workflows);
    const own = runtime ?? createRuntime({ store, workflows: workflows.map(toWorkflow) });
    const { workflowOf = versionAmong(workflows), documents, evals, memories, tools, model } = options;
    const space = { runtime: own, store, workflows: served, workflowOf, documents, evals, memories, tools, model } as ServerSpace;
    return { space, close: runtime ? async () => {} : () => own.close() };
  }

  async #isReady(): Promise<boolean> {
    return this.#options.isReady?.() ?? true;
  }

  #addOpenRoutes(): void {
    const app = this.#openApp;
    app.get('/health', (context) => context.json({ status: 'ok' }));
    app.get('/ready', async (context) => {
      const ready = await this.#isReady().catch(() => false);
      return context.json({ status: ready ? 'ready' : 'not ready' }, ready ? 200 : 503);
    });
    app.post('/api/session', async ({ req: { raw: request }, env: { address } }) => {
      checkSite(request);
      this.#take('sessions', 'all'); // the client has no tenant yet
      const body = await readJson(request, this.#limits, this.#clock);
      const token = typeof body === 'object' && body !== null && 'token' in body ? body.token : undefined;
      const principal = await this.#keeper.principalOf(typeof token === 'string' ? token : undefined, address);
      if (!principal) throw new Refusal({ status: 401, code: 'NOT_AUTHENTICATED', message: 'The token is unknown.' });
      const { tenant } = principal;
      return Response.json({ tenant }, { headers: { 'set-cookie': await this.#keeper.sessionCookie(principal, request) } });
    });
    app.onError((error) => {
      throw error;
    });
  }
}

/** Finds the version in which a run was started. */
const versionAmong =
  (given: readonly (AnyWorkflow | ServedWorkflow)[]): NonNullable<ServerSpace['workflowOf']> =>
  ({ workflow: id, version }) =>
    given.map(toWorkflow).find((one) => one.id === id && one.version === version);

/** Some runtimes call `fetch` with a second argument of their own. */
const addressOf = ({ address }: Peer): string | undefined => (typeof address === 'string' && address !== '' ? address : undefined);

const isOpen = (method: string, path: string): boolean =>
  open.some((route) => route.path === path && (route.method === method || method === 'HEAD'));
const isProbe = (method: string, path: string): boolean => probes.some((probe) => probe.path === path) && isOpen(method, path);
const startsRun =
  /^\/api\/(?:runs(?:\/bulk|\/[^/]+\/fork)?|ai-sdk\/[^/]+|ag-ui\/[^/]+|langgraph\/(?:threads\/[^/]+\/)?runs(?:\/(?:stream|wait))?)$|^\/v1\/(?:chat\/completions|responses)$/;

/** LangGraph's clients read by POST. */
const readsByPost = /^\/api\/langgraph\/(?:(?:assistants|threads)\/(?:search|count)|threads\/[^/]+\/(?:history|state\/checkpoint))$/;

/** True when several tenants are possible. In a shared store they would see each other's runs. */
const hasSeveralTenants = (tokens: Tokens): boolean =>
  typeof tokens === 'function' ||
  (typeof tokens === 'object' && new Set(Object.values(tokens).map((one) => (typeof one === 'string' ? one : one.tenant))).size > 1);

const isAmong = (token: string, tokens: Tokens): boolean => (typeof tokens === 'object' ? Object.hasOwn(tokens, token) : tokens === token);

const needsSpaces = (): WorkflowError =>
  optionInvalid('Several tenants would share one store.', 'Set spaceOf to give each tenant its own runtime and store.');

const closing = new Refusal({
  status: 503,
  code: 'SERVER_CLOSING',
  message: 'The server is closing.',
  headers: { 'retry-after': '1', connection: 'close' },
});
