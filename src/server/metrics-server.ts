import { checkOptions, fn, listOf, objectWith, text } from '../core/util/check-options.ts';
import { newId } from '../core/util/ids.ts';
import type { Metrics } from '../inspect/metrics/create-metrics.ts';
import { prometheusType } from '../inspect/metrics/prometheus-text.ts';
import type { AgentServer } from './create-server.ts';
import { tokenCheck } from './http/authenticate.ts';
import { checkOrigin, checkSite } from './http/check-origin.ts';
import { errorResponse } from './http/error-response.ts';
import { notAuthenticated, notFound } from './http/refusal.ts';
import { securityHeaders } from './http/security-headers.ts';

export interface MetricsServerOptions {
  readonly metrics: Metrics;
  /** Token of `Authorization: Bearer`, required for /metrics. Default: none is required. */
  readonly token?: string;
  /** Without a token, host names that /metrics answers to, each with its port. Default: every name. */
  readonly hosts?: readonly string[];
  /** Returns true while the process works, for /health. @default () => true */
  readonly isHealthy?: () => boolean;
}

/**
 * Creates a server of `GET /metrics` and `GET /health`, for a process without an API, such as a worker.
 *
 * @throws {WorkflowError} `OPTION_INVALID`, also for an empty token.
 * @example const { url } = await listen({ port: 9464, server: (hosts) => metricsServer({ metrics, hosts }) });
 */
export function metricsServer(options: MetricsServerOptions): AgentServer {
  checkOptions('metricsServer', options, metricsServerOptions);
  const { metrics, token, hosts, isHealthy = () => true } = options;
  const isAdmitted = token === undefined ? undefined : tokenCheck(token);
  const answer = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url);
    if (request.method !== 'GET' && request.method !== 'HEAD') throw notFound();
    if (pathname === '/health') return health(isHealthy());
    if (pathname !== '/metrics') throw notFound();
    checkSite(request);
    if (isAdmitted) {
      if (!(await isAdmitted(request))) throw notAuthenticated();
    } else if (hosts) {
      checkOrigin(request, hosts); // a page of another site could resolve its name to this address
    }
    return new Response(await metrics.text(), { headers: { 'content-type': prometheusType } });
  };
  return {
    routes: [
      { method: 'GET', path: '/health', isOpen: true },
      { method: 'GET', path: '/metrics', isOpen: token === undefined },
    ],
    async fetch(request) {
      const response = await answer(request).catch((error: unknown) => errorResponse(error, newId('q')));
      for (const [name, value] of Object.entries(securityHeaders)) response.headers.set(name, value);
      return response;
    },
    close: async () => {},
  };
}

const metricsServerOptions = {
  metrics: { ...objectWith('the result of createMetrics', 'text'), required: true },
  token: { what: 'a text that is not empty', is: (value: unknown) => text.is(value) && value !== '' },
  hosts: listOf('names', text.is),
  isHealthy: fn,
};

const health = (isHealthy: boolean): Response => Response.json({ status: isHealthy ? 'ok' : 'stopped' }, { status: isHealthy ? 200 : 503 });
