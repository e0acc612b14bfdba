// /metrics: who reads what, and the small server of a process without an API.
import { createRuntime, memoryStore } from 'agent-machines';
import { createMetrics, type Metrics } from 'agent-machines/metrics';
import { createServer, type MetricsServerOptions, metricsServer, type ServerOptions } from 'agent-machines/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { prometheusValues } from '../../fixtures/prometheus-text.ts';
import { asking, host, serve, token } from '../../fixtures/served.ts';

const metricsToken = 'token-of-the-scraper';

function metricsOf(): Metrics {
  const metrics = createMetrics({ tallyMs: 0 });
  onTestFinished(() => metrics.close());
  return metrics;
}

const get = (path: string, bearer: string | undefined, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
  new Request(`http://${host}${path}`, {
    method,
    headers: { ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }), ...headers },
  });

function single(options: Partial<ServerOptions> = {}) {
  const metrics = metricsOf();
  const store = metrics.store(memoryStore());
  const served = serve({ store, metrics, metricsToken, ...options });
  onTestFinished(() => served.runtime.close());
  return { ...served, metrics };
}

describe('GET /metrics of one tenant', () => {
  it('has the metrics of the process, with zeros for served workflows without runs', async () => {
    const { server, runtime } = single();
    const read = async (bearer: string) => prometheusValues(await (await server.fetch(get('/metrics', bearer))).text());
    expect(Object.fromEntries(await read(token))).toMatchObject({
      'agent_machines_runs{workflow="asking",status="waiting"}': 0,
      agent_machines_streams: 0,
    });
    await runtime.start(asking, {}).result;
    for (const bearer of [token, metricsToken])
      expect(Object.fromEntries(await read(bearer))).toMatchObject({
        'agent_machines_runs{workflow="asking",status="waiting"}': 1,
        'agent_machines_runs_suspended_total{workflow="asking",status="waiting"}': 1,
        agent_machines_streams: 0,
      });
  });

  it('has the counts of the store alone without metrics', async () => {
    const { ask, runtime } = serve();
    onTestFinished(() => runtime.close());
    await runtime.start(asking, {}).result;
    const { body, headers } = await ask('GET', '/metrics');
    expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const names = [...prometheusValues(body).keys()].map((series) => series.replace(/\{.*/, ''));
    expect([...new Set(names)]).toEqual([
      'agent_machines_runs',
      'agent_machines_oldest_run_age_seconds',
      'agent_machines_threads',
      'agent_machines_streams',
    ]);
  });

  it('is all that metricsToken reads', async () => {
    const { server } = single();
    const statuses: Record<string, number> = {};
    for (const { method, path } of server.routes) {
      const body = method === 'GET' || method === 'DELETE' ? {} : { body: '{}' };
      const request = new Request(`http://${host}${path.replace(/:\w+/g, 'x')}`, {
        method,
        headers: { authorization: `Bearer ${metricsToken}`, 'content-type': 'application/json' },
        ...body,
      });
      statuses[`${method} ${path}`] = (await server.fetch(request)).status;
    }
    const admitted = Object.entries(statuses).flatMap(([route, status]) => (status === 401 ? [] : [route]));
    expect(admitted).toEqual(['GET /health', 'GET /ready', 'GET /metrics']);
    const session = new Request(`http://${host}/api/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: metricsToken }),
    });
    expect((await server.fetch(session)).status).toBe(401);
    for (const [path, method] of [
      ['/metrics', 'POST'],
      ['/metrics/', 'GET'],
      ['/metrics/x', 'GET'],
    ] as const)
      expect((await server.fetch(get(path, metricsToken, {}, method))).status, path).toBe(401);
    for (const wrong of [`${metricsToken}x`, metricsToken.slice(1), undefined])
      expect((await server.fetch(get('/metrics', wrong))).status).toBe(401);
    expect((await server.fetch(get('/metrics', metricsToken, { 'sec-fetch-site': 'cross-site' }))).status).toBe(403);
  });

  it('limits how often a scraper reads, apart from the tenant', async () => {
    const { server } = single({ limits: { reads: { perMinute: 1, burst: 2 } } });
    const status = async (bearer: string) => (await server.fetch(get('/metrics', bearer))).status;
    expect([await status(metricsToken), await status(metricsToken), await status(metricsToken), await status(token)]).toEqual([
      200, 200, 429, 200,
    ]);
  });
});

describe('GET /metrics of several tenants', () => {
  it('shows a tenant its own store and streams, and the sums of all to the operator alone, without a name of a tenant', async () => {
    const metrics = metricsOf();
    const spaceOf = () => {
      const store = metrics.store(memoryStore());
      const runtime = createRuntime({ store, workflows: [asking] });
      onTestFinished(() => runtime.close());
      return { store, runtime, workflows: [asking] };
    };
    const tokens = { 'token-of-a': 'alpha', 'token-of-b': 'beta' };
    const server = createServer({ tokens, hosts: [host], spaceOf, metrics, metricsToken });
    const start = (bearer: string) =>
      server.fetch(
        new Request(`http://${host}/api/runs`, {
          method: 'POST',
          headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
          body: JSON.stringify({ workflow: 'asking', input: {}, threadId: `thread-of-${bearer}` }),
        }),
      );
    const started = await start('token-of-a');
    await start('token-of-b');
    const { id } = (await started.json()) as { readonly id: string };
    const stream = await server.fetch(get(`/api/runs/${id}/events?follow=true`, 'token-of-a'));
    const read = async (bearer: string) => (await server.fetch(get('/metrics', bearer))).text();
    const series = 'agent_machines_runs{workflow="asking",status="waiting"}';
    await expect.poll(async () => prometheusValues(await read(metricsToken)).get(series)).toBe(2);
    const [a, b, all] = [await read('token-of-a'), await read('token-of-b'), await read(metricsToken)];
    for (const own of [a, b]) {
      expect(prometheusValues(own).get(series)).toBe(1);
      expect(own).not.toMatch(/process_|nodejs_|_total|_bucket|store_/);
    }
    expect([a, b, all].map((text) => prometheusValues(text).get('agent_machines_streams'))).toEqual([1, 0, 1]);
    expect(all).toContain('agent_machines_runs_started_total{workflow="asking"} 2');
    expect(all).not.toMatch(/alpha|beta|thread-of/);
    await stream.body?.cancel();
  });
});

describe('createServer', () => {
  it.each([
    ['metricsToken without metrics', { metricsToken }, 'metricsToken reads metrics'],
    ['an empty metricsToken', { metrics: createMetrics(), metricsToken: '' }, 'metricsToken of createServer must be'],
    ['a metricsToken that is a token', { metrics: createMetrics(), metricsToken: token }, 'also a token of a tenant'],
    ['a metricsToken among the tokens', { metrics: createMetrics(), metricsToken: 'x', tokens: { x: 'a' } }, 'also a token of a tenant'],
    ['metrics of another shape', { metrics: {} }, 'metrics of createServer must be'],
  ])('rejects %s', (_, options, message) => {
    onTestFinished(() => ('metrics' in options && 'close' in options.metrics ? options.metrics.close() : undefined));
    expect(() => createServer({ tokens: token, hosts: [host], ...options } as ServerOptions)).toThrow(
      expect.objectContaining({ code: 'OPTION_INVALID', message: expect.stringContaining(message) as string }),
    );
  });
});

describe('metricsServer', () => {
  const status = async (options: Partial<MetricsServerOptions>, request: Request): Promise<number> =>
    (await metricsServer({ metrics: metricsOf(), ...options }).fetch(request)).status;

  it('answers /metrics and /health, and nothing else', async () => {
    const response = await metricsServer({ metrics: metricsOf() }).fetch(get('/metrics', undefined));
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(prometheusValues(await response.text()).get('agent_machines_workers')).toBe(0);
    expect(await status({}, get('/health', undefined))).toBe(200);
    expect(await status({ isHealthy: () => false }, get('/health', undefined))).toBe(503);
    for (const path of ['/', '/metrics/', '/api/runs']) expect(await status({}, get(path, undefined)), path).toBe(404);
    expect(await status({}, get('/metrics', undefined, {}, 'POST'))).toBe(404);
  });

  it('requires its token for /metrics, under any name of the host', async () => {
    for (const [bearer, expected] of [
      [metricsToken, 200],
      [undefined, 401],
      ['', 401],
      [token, 401],
    ] as const)
      expect(await status({ token: metricsToken, hosts: ['elsewhere'] }, get('/metrics', bearer))).toBe(expected);
    expect(await status({ token: metricsToken }, get('/health', undefined))).toBe(200);
    expect(() => metricsServer({ metrics: metricsOf(), token: '' })).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
  });

  it('rejects other names of the host and other sites without a token', async () => {
    expect(await status({ hosts: [host] }, get('/metrics', undefined))).toBe(200);
    expect(await status({ hosts: ['127.0.0.1:9464'] }, get('/metrics', undefined))).toBe(421);
    expect(await status({ hosts: [host] }, get('/metrics', undefined, { 'sec-fetch-site': 'cross-site' }))).toBe(403);
    expect(await status({ hosts: [] }, get('/health', undefined))).toBe(200);
  });
});
