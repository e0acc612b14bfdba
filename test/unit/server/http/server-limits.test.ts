import { request as httpRequest } from 'node:http';
import { createRuntime, memoryStore, type Workflow } from 'agent-machines';
import { toolAgent } from 'agent-machines/machines/tool-agent';
import { createServer, defaultServerLimits, type ServerOptions } from 'agent-machines/server';
import { listen } from 'agent-machines/server/node';
import { fakeClock } from 'agent-machines/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { asking, host, request, serve, token } from '../../../fixtures/served.ts';

describe('server limits', () => {
  it.each([
    [{ starts: 1 }, 'limits.starts'],
    [{ starts: {} }, 'limits.starts.perMinute'],
    [{ starts: { burst: 5 } }, 'limits.starts.perMinute'],
    [{ starts: { perMinute: '2' } }, 'limits.starts.perMinute'],
    [{ writes: { perMinute: 2, burst: 0 } }, 'limits.writes.burst'],
    [{ writes: { perMinute: 2, brust: 1 } }, 'limits.writes.brust'],
    [{ reads: [1, 2] }, 'limits.reads'],
    [{ reads: null }, 'limits.reads'],
    [{ bodyBytes: { perMinute: 1 } }, 'limits.bodyBytes'],
    [{ runningRuns: Number.NaN }, 'limits.runningRuns'],
    [{ runningRuns: -1 }, 'limits.runningRuns'],
    [{ json: { depth: 'deep' } }, 'limits.json.depth'],
    [{ start: { perMinute: 1 } }, 'limits.start'],
    [7, 'limits'],
  ])('are rejected with the path: %j', (limits, path) => {
    const options = { tokens: token, hosts: [host], limits } as unknown as ServerOptions;
    expect(() => createServer(options)).toThrow(expect.objectContaining({ code: 'OPTION_INVALID', data: { option: path } }));
    expect(() => createServer(options)).toThrow(path);
  });

  it('allow a burst of one minute when a rate has no burst', async () => {
    const { ask } = serve({ clock: fakeClock(), limits: { starts: { perMinute: 2 } } });
    const statuses: number[] = [];
    for (let i = 0; i < 6; i++) statuses.push((await ask('POST', '/api/runs', { workflow: 'asking', input: {} })).status);
    expect(statuses).toEqual([201, 201, 429, 429, 429, 429]);
  });

  it('use the defaults for missing members of a group', async () => {
    const { ask } = serve({ clock: fakeClock(), limits: { json: { depth: 5 } } });
    const many = Object.fromEntries(Array.from({ length: defaultServerLimits.json.keys + 1 }, (_, index) => [`k${index}`, 1]));
    expect((await ask('POST', '/api/runs', { workflow: 'asking', input: many })).status).toBe(400);
  });
});

describe('wrong tokens', () => {
  const limits = { wrongTokens: { perMinute: 6, burst: 3 } };
  const withToken = (given: string): Request => request('GET', '/api/workflows', undefined, { authorization: `Bearer ${given}` });

  it('are limited by address with 429 and Retry-After, even for a valid token', async () => {
    const clock = fakeClock();
    const { server } = serve({ clock, limits });
    const statusOf = async (given: string, address?: string) => (await server.fetch(withToken(given), address ? { address } : {})).status;
    const guesses = await Promise.all(Array.from({ length: 8 }, (_, index) => statusOf(`guess-${index}`, '203.0.113.7')));
    expect(guesses.sort()).toEqual([401, 401, 401, 429, 429, 429, 429, 429]);
    const late = await server.fetch(withToken(token), { address: '203.0.113.7' });
    expect([late.status, late.headers.get('retry-after')]).toEqual([429, '10']);
    expect(await statusOf(token, '203.0.113.8')).toBe(200);
    await clock.advance(10_000);
    expect([await statusOf(token, '203.0.113.7'), await statusOf('guess', '203.0.113.7'), await statusOf(token, '203.0.113.7')]).toEqual([
      200, 401, 429,
    ]);
  });

  it('count per network: a /64 of IPv6, and IPv4 in any notation', async () => {
    const { server } = serve({ clock: fakeClock(), limits });
    const statusOf = async (address: string) => (await server.fetch(withToken('wrong'), { address })).status;
    const sixes = ['2001:db8:0:1::1', '2001:DB8:0:1::2', '2001:0db8:0000:0001:a:b:c:d', '2001:db8:0:1:ffff::'];
    const statuses: number[] = [];
    for (const address of sixes) statuses.push(await statusOf(address));
    expect(statuses).toEqual([401, 401, 401, 429]);
    expect(await statusOf('2001:db8:0:2::1')).toBe(401);
    for (const address of ['::ffff:192.0.2.1', '::ffff:c000:201', '0:0:0:0:0:FFFF:c000:0201']) expect(await statusOf(address)).toBe(401);
    expect([await statusOf('192.0.2.1'), await statusOf('192.0.2.2')]).toEqual([429, 401]);
  });

  it('do not limit requests with a valid token, without one, or with a session', async () => {
    const { server } = serve({ clock: fakeClock(), limits });
    const at = { address: '203.0.113.7' };
    const rights = await Promise.all(Array.from({ length: 20 }, () => server.fetch(withToken(token), at)));
    expect(new Set(rights.map(({ status }) => status))).toEqual(new Set([200]));
    const login = await server.fetch(request('POST', '/api/session', { token }), at);
    const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? '';
    for (let i = 0; i < 9; i++) expect((await server.fetch(new Request(`http://${host}/api/workflows`), at)).status).toBe(401);
    for (let i = 0; i < 9; i++) await server.fetch(withToken(`guess-${i}`), at);
    expect((await server.fetch(new Request(`http://${host}/api/workflows`, { headers: { cookie } }), at)).status).toBe(200);
    expect((await server.fetch(request('POST', '/api/session', { token: 'guess' }), at)).status).toBe(429);
  });

  it('are counted by the address of the listener or of addressOf', async () => {
    const store = memoryStore();
    const runtime = createRuntime({ store, workflows: [asking] });
    onTestFinished(() => runtime.close());
    const from = async (port: number, localAddress: string, headers: Record<string, string>): Promise<number> => {
      const sent = httpRequest({ host: '127.0.0.1', port, path: '/api/workflows', localAddress, headers });
      const status = new Promise<number>((resolve, reject) => {
        sent.on('response', (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        });
        sent.on('error', reject);
      });
      sent.end();
      return status;
    };
    const open = async (addressOf?: (request: Request, peer: string) => string) => {
      const made = await listen({
        addressOf,
        server: (hosts) => createServer({ hosts, tokens: token, runtime, store, workflows: [asking], limits }),
      });
      onTestFinished(() => made.close());
      return made.port;
    };
    const wrong = { authorization: 'Bearer wrong' };
    const direct = await open();
    for (let i = 0; i < 3; i++) expect(await from(direct, '127.0.0.1', wrong)).toBe(401);
    expect([await from(direct, '127.0.0.1', wrong), await from(direct, '127.0.0.2', wrong)]).toEqual([429, 401]);
    const proxied = await open((seen, peer) => seen.headers.get('x-real-ip') ?? peer);
    for (let i = 0; i < 3; i++) expect(await from(proxied, '127.0.0.1', { ...wrong, 'x-real-ip': '192.0.2.1' })).toBe(401);
    const [same, other] = ['192.0.2.1', '192.0.2.2'].map((ip) => from(proxied, '127.0.0.1', { ...wrong, 'x-real-ip': ip }));
    expect([await same, await other]).toEqual([429, 401]);
  });
});

it('answers an unknown tool name with 400', async () => {
  const workflow = toolAgent() as unknown as Workflow<never, never, unknown>;
  const store = memoryStore();
  const { ask } = serve({ store, runtime: createRuntime({ store, workflows: [workflow] }), workflows: [workflow] });
  const { status, body } = await ask('POST', '/api/runs', { workflow: 'tool_agent', input: { input: 'q', tools: ['rm'] } });
  expect({ status, body }).toMatchObject({ status: 400, body: { code: 'TOOL_UNKNOWN' } });
});

it('accepts plain workflows from spaceOf', async () => {
  const store = memoryStore();
  const runtime = createRuntime({ store, workflows: [asking] });
  onTestFinished(() => runtime.close());
  const server = createServer({ tokens: { [token]: 'a' }, hosts: [host], spaceOf: () => ({ store, runtime, workflows: [asking] }) });
  const listed = await server.fetch(request('GET', '/api/workflows'));
  expect([listed.status, await listed.json()]).toMatchObject([200, [{ id: 'asking', title: 'asking' }]]);
  expect((await server.fetch(request('POST', '/api/runs', { workflow: 'asking', input: {} }))).status).toBe(201);
});
