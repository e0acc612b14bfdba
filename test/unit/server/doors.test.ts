// Nothing behind the door is reached without a token: whatever routes there are, and however a path is written.
import { createRuntime, memoryStore, type RunStore, WorkflowError } from 'agent-machines';
import { mcpRoutes } from 'agent-machines/mcp';
import { a2aRoutes, agUiRoutes, aiSdkRoutes, createServer, langGraphRoutes, openaiRoutes, type ServedSpace } from 'agent-machines/server';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { asking, host, token } from '../../fixtures/served.ts';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'];
const protocols = [aiSdkRoutes, agUiRoutes, openaiRoutes, langGraphRoutes, a2aRoutes];

/** A server, and what of it was reached. */
function guarded() {
  const reached: string[] = [];
  const watched = new Proxy(memoryStore(), {
    get(target, name, receiver) {
      const value: unknown = Reflect.get(target, name, receiver);
      if (typeof value !== 'function') return value;
      return (...given: unknown[]) => {
        reached.push(`store.${String(name)}`);
        return value.apply(target, given);
      };
    },
  }) as RunStore;
  const runtime = createRuntime({ store: watched, workflows: [asking] });
  const space = { runtime, workflows: [{ id: 'asking', workflow: asking }] };
  const inProtocols = protocols.flatMap((made) => made(space).routes.map(({ path }) => path));
  const server = createServer({
    tokens: token,
    hosts: [host],
    store: watched,
    runtime,
    workflows: [asking],
    mounts: [...protocols.map((made) => (own: Parameters<typeof made>[0]) => made(own)), (own: ServedSpace) => mcpRoutes(own)].map(
      (made) => (own: ServedSpace) => {
        const mounted = made(own);
        return {
          fetch(request: Request) {
            reached.push(`mount ${request.url}`);
            return mounted.fetch(request);
          },
        };
      },
    ),
    page: async (path) => {
      if (/^\/(?:api|v1|mcp|metrics)(?:\/|$)/.test(path)) reached.push(`page ${path}`);
      return new Response('page');
    },
  });
  const paths = [...server.routes.map(({ path }) => path), ...inProtocols, '/mcp'].map((path) => path.replace(/:\w+/g, 'x'));
  return { server, runtime, reached, paths: [...new Set(paths)] };
}

const open = new Set(['GET /health', 'HEAD /health', 'GET /ready', 'HEAD /ready', 'POST /api/session', 'HEAD /api/session']);

it('answers 401 on every route of the router and the protocols, except for three open ones', async () => {
  const { server, runtime, reached, paths } = guarded();
  expect(paths.length).toBeGreaterThan(35);
  for (const path of paths.filter((one) => !open.has(`GET ${one}`))) {
    for (const method of methods.filter((one) => !open.has(`${one} ${path}`))) {
      const { status } = await server.fetch(new Request(`http://${host}${path}`, { method }));
      expect({ method, path, status }).toEqual({ method, path, status: 401 });
    }
  }
  expect(reached).toEqual([]);
  await runtime.close();
});

it('admits the token on every route', async () => {
  const { server, runtime } = guarded();
  for (const { method, path, isOpen } of server.routes.filter((route) => !route.isOpen)) {
    const { status } = await server.fetch(
      new Request(`http://${host}${path.replace(/:\w+/g, 'x')}`, { method, headers: { authorization: `Bearer ${token}` } }),
    );
    expect({ path, isOpen, isLetIn: status !== 401 }).toEqual({ path, isOpen, isLetIn: true });
  }
  await runtime.close();
});

it('stays closed for other spellings of a path', async () => {
  const { server, runtime, reached, paths } = guarded();
  const spelling = fc.constantFrom(
    (path: string) => path,
    (path: string) => path.toUpperCase(),
    (path: string) => `/${path}`,
    (path: string) => `${path}/`,
    (path: string) => `/.${path}`,
    (path: string) => `/x/..${path}`,
    (path: string) => `/x/%2e%2e${path}`,
    (path: string) => path.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
    (path: string) => path.replace(/\//g, '%2f'),
    (path: string) => path.replace(/\//g, '\\'),
    (path: string) => path.replace(/\/(\w)/g, '//$1'),
    (path: string) => `${path};x`,
    (path: string) => `${path}?token=${token}`,
    (path: string) => `${path}#x`,
    (path: string) => `${path}%00`,
    (path: string) => `${path}%20`,
    (path: string) => `/health/..${path}`,
  );
  const header = fc.constantFrom<Readonly<Record<string, string>>>(
    {},
    { authorization: '' },
    { authorization: 'Bearer' },
    { authorization: 'Bearer null' },
    { authorization: `Basic ${btoa(`:${token}`)}` },
    { cookie: `agent_machines_session=${token}` },
    { 'x-forwarded-for': '127.0.0.1', 'x-original-url': '/health', 'x-rewrite-url': '/health', 'x-http-method-override': 'GET' },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...paths),
      fc.constantFrom(...methods),
      spelling,
      spelling,
      header,
      async (path, method, one, other, headers) => {
        const url = `http://${host}${one(other(path))}`;
        if (!URL.canParse(url) || new URL(url).host !== host) return;
        await server.fetch(new Request(url, { method, headers }));
        expect(reached).toEqual([]);
      },
    ),
    { numRuns: 3_000 },
  );
  await runtime.close();
});

it.each([
  ['tokens', ''], // of a variable that is not set
  ['tokens', undefined],
  ['tokens', { '': 'a' }],
  ['tokens', { one: 5 }],
  ['tokens', 5],
  ['hosts', 'agents.test'], // of a text, each part is a name
  ['hosts', undefined],
  ['hosts', ['']],
  ['workflows', [null]],
  ['workflows', [{}]],
  ['workflows', 'x'],
  ['mounts', [null]],
  ['grantEgress', true],
  ['isReady', true],
  ['limits', null],
  ['spaceof', () => undefined],
])('rejects %s = %j', (option, value) => {
  const build = (): unknown =>
    Reflect.apply(createServer, undefined, [{ tokens: token, hosts: [host], workflows: [asking], [option]: value }]);
  expect(build).toThrow(expect.objectContaining({ code: 'OPTION_INVALID', data: { option } }));
  expect(build).toThrow(WorkflowError);
});

it.each([undefined, null, 5, {}])('rejects %j as options', (options) => {
  expect(() => Reflect.apply(createServer, undefined, [options])).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
});
