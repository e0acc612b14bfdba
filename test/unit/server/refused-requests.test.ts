// What is refused, and how: the first part of the list of bad inputs.
import { describe, expect, it } from 'vitest';
import { host, request, serve, token } from '../../fixtures/served.ts';

const started = { workflow: 'asking', input: {} };
const nested = (depth: number): string => `{"workflow":"asking","input":${'['.repeat(depth)}${']'.repeat(depth)}}`;
const withInput = (input: string): string => `{"workflow":"asking","input":${input}}`;

/** Each: a request, its status, its code. */
const refused: readonly [name: string, request: () => Request, status: number, code: string][] = [
  ['another host', () => request('GET', '/api/runs', undefined, { host: 'evil.com' }), 421, 'HOST_NOT_ALLOWED'],
  ['our host with another port', () => request('GET', '/api/runs', undefined, { host: `${host}:1` }), 421, 'HOST_NOT_ALLOWED'],
  ['another host for the page', () => request('GET', '/', undefined, { host: 'evil.com' }), 421, 'HOST_NOT_ALLOWED'],
  ['another host for a session', () => request('POST', '/api/session', { token }, { host: 'evil.com' }), 421, 'HOST_NOT_ALLOWED'],
  ['another host for a change of health', () => request('POST', '/health', {}, { host: 'evil.com' }), 421, 'HOST_NOT_ALLOWED'],
  ['a foreign origin', () => request('POST', '/api/runs', started, { origin: 'https://evil.com' }), 403, 'ORIGIN_NOT_ALLOWED'],
  ['the origin null', () => request('POST', '/api/runs', started, { origin: 'null' }), 403, 'ORIGIN_NOT_ALLOWED'],
  [
    'a foreign origin of a stream',
    () => request('GET', '/api/runs/r/events', undefined, { origin: 'https://evil.com' }),
    403,
    'ORIGIN_NOT_ALLOWED',
  ],
  [
    'a foreign origin of a session',
    () => request('POST', '/api/session', { token }, { origin: 'https://evil.com' }),
    403,
    'ORIGIN_NOT_ALLOWED',
  ],
  ['a cross-site request', () => request('POST', '/api/runs', started, { 'sec-fetch-site': 'cross-site' }), 403, 'ORIGIN_NOT_ALLOWED'],
  ['a same-site request', () => request('POST', '/api/runs', started, { 'sec-fetch-site': 'same-site' }), 403, 'ORIGIN_NOT_ALLOWED'],
  ['text', () => request('POST', '/api/runs', started, { 'content-type': 'text/plain' }), 415, 'MEDIA_TYPE_UNSUPPORTED'],
  [
    'a form',
    () => request('POST', '/api/runs', 'a=b', { 'content-type': 'application/x-www-form-urlencoded' }),
    415,
    'MEDIA_TYPE_UNSUPPORTED',
  ],
  [
    'a multipart form',
    () => request('POST', '/api/runs', 'a', { 'content-type': 'multipart/form-data; boundary=a' }),
    415,
    'MEDIA_TYPE_UNSUPPORTED',
  ],
  [
    'no type',
    () => new Request(request('POST', '/api/runs'), { headers: { authorization: `Bearer ${token}` } }),
    415,
    'MEDIA_TYPE_UNSUPPORTED',
  ],
  [
    'a cancel without a type',
    () => new Request(request('POST', '/api/runs/r/cancel'), { headers: { authorization: `Bearer ${token}` } }),
    415,
    'MEDIA_TYPE_UNSUPPORTED',
  ],
  [
    'another charset',
    () => request('POST', '/api/runs', started, { 'content-type': 'application/json; charset=utf-16' }),
    415,
    'MEDIA_TYPE_UNSUPPORTED',
  ],
  ['a compressed body', () => request('POST', '/api/runs', started, { 'content-encoding': 'gzip' }), 415, 'MEDIA_TYPE_UNSUPPORTED'],
  ['no token', () => new Request(`http://${host}/api/runs`), 401, 'NOT_AUTHENTICATED'],
  ['a wrong token', () => request('GET', '/api/runs', undefined, { authorization: 'Bearer wrong' }), 401, 'NOT_AUTHENTICATED'],
  ['a token that is longer', () => request('GET', '/api/runs', undefined, { authorization: `Bearer ${token}x` }), 401, 'NOT_AUTHENTICATED'],
  [
    'a token as the password of a user',
    () => request('GET', '/api/runs', undefined, { authorization: `Basic ${btoa(`a:${token}`)}` }),
    401,
    'NOT_AUTHENTICATED',
  ],
  ['a token in the query', () => new Request(`http://${host}/api/runs?token=${token}`), 401, 'NOT_AUTHENTICATED'],
  [
    'an unsigned session',
    () => new Request(`http://${host}/api/runs`, { headers: { cookie: `agent_machines_session=local.9999999999999.${'0'.repeat(64)}` } }),
    401,
    'NOT_AUTHENTICATED',
  ],
  ['a wrong token for a session', () => request('POST', '/api/session', { token: 'wrong' }), 401, 'NOT_AUTHENTICATED'],
  ['a body that is too large', () => request('POST', '/api/runs', `"${'x'.repeat(1_048_575)}"`), 413, 'BODY_TOO_LARGE'],
  ['a body that is too deep', () => request('POST', '/api/runs', nested(100_000)), 400, 'REQUEST_INVALID'],
  ['a body one level too deep', () => request('POST', '/api/runs', nested(64)), 400, 'REQUEST_INVALID'],
  [
    'too many keys',
    () => request('POST', '/api/runs', withInput(`{${Array.from({ length: 10_000 }, (_, i) => `"${i}":1`).join()}}`)),
    400,
    'REQUEST_INVALID',
  ],
  ['a string that is too long', () => request('POST', '/api/runs', withInput(`"${'x'.repeat(262_145)}"`)), 400, 'REQUEST_INVALID'],
  ['a key twice', () => request('POST', '/api/runs', withInput('{"a":1,"a":2}')), 400, 'REQUEST_INVALID'],
  ['a key twice, once escaped', () => request('POST', '/api/runs', withInput('{"a":1,"\\u0061":2}')), 400, 'REQUEST_INVALID'],
  ['the key __proto__', () => request('POST', '/api/runs', withInput('{"__proto__":{"polluted":1}}')), 400, 'REQUEST_INVALID'],
  [
    'the key constructor, escaped',
    () => request('POST', '/api/runs', withInput('{"\\u0063onstructor":{"prototype":{}}}')),
    400,
    'REQUEST_INVALID',
  ],
  ['a byte order mark', () => request('POST', '/api/runs', `\uFEFF${JSON.stringify(started)}`), 400, 'REQUEST_INVALID'],
  ['half a character', () => request('POST', '/api/runs', withInput('"\\ud800"')), 400, 'REQUEST_INVALID'],
  ['no JSON', () => request('POST', '/api/runs', '{"workflow":'), 400, 'REQUEST_INVALID'],
  ['nothing', () => request('POST', '/api/runs', ''), 400, 'REQUEST_INVALID'],
  ['an unknown field', () => request('POST', '/api/runs', { ...started, config: { threadId: 't' } }), 400, 'REQUEST_INVALID'],
  [
    'a run id in the body of an answer',
    () => request('POST', '/api/runs/r/answer', { runId: 'x', interruptId: 'i', event: { type: 'GO' } }),
    400,
    'REQUEST_INVALID',
  ],
  ['a body where none is taken', () => request('POST', '/api/runs/r/cancel', { force: true }), 400, 'REQUEST_INVALID'],
  ...['..%2fx', 'a%00b', `${'x'.repeat(65)}`, '%F0%9F%98%80', 'a.b'].map((id): [string, () => Request, number, string] => [
    `the thread id ${id}`,
    () => request('GET', `/api/threads/${id}`),
    400,
    'REQUEST_INVALID',
  ]),
  ...["workflow=x')%20OR%20'1'='1&y=1", 'owner=me', 'status=any', 'status[]=done', 'status=done&status=failed', '__proto__=1'].map(
    (query): [string, () => Request, number, string] => [
      `the filter ${query}`,
      () => request('GET', `/api/runs?${query}`),
      400,
      'REQUEST_INVALID',
    ],
  ),
  ...['1;DROP', '-1', '0', '1e9', 'NaN', '201', '1.5', ''].map((limit): [string, () => Request, number, string] => [
    `the limit ${limit}`,
    () => request('GET', `/api/runs?limit=${limit}`),
    400,
    'REQUEST_INVALID',
  ]),
  [
    'an invalid Last-Event-ID',
    () => request('GET', '/api/runs/r/events', undefined, { 'last-event-id': '1; DROP' }),
    400,
    'REQUEST_INVALID',
  ],
  ...[101, -101, 0.5, '1', null].map((priority): [string, () => Request, number, string] => [
    `the priority ${JSON.stringify(priority)}`,
    () => request('POST', '/api/runs', { ...started, priority }),
    400,
    'REQUEST_INVALID',
  ]),
  [
    'an Idempotency-Key that is too long',
    () => request('POST', '/api/runs', started, { 'idempotency-key': 'x'.repeat(201) }),
    400,
    'REQUEST_INVALID',
  ],
  ['an unknown run', () => request('GET', '/api/runs/r_unknown'), 404, 'RUN_UNKNOWN'],
  ['the stream of an unknown run', () => request('GET', '/api/runs/r_unknown/events'), 404, 'RUN_UNKNOWN'],
  [
    'an answer to an unknown run',
    () => request('POST', '/api/runs/r_unknown/answer', { interruptId: 'i', event: { type: 'GO' } }),
    404,
    'RUN_UNKNOWN',
  ],
  ['an unknown thread', () => request('GET', '/api/threads/unknown'), 404, 'THREAD_UNKNOWN'],
  ['an unknown workflow', () => request('POST', '/api/runs', { ...started, workflow: 'none' }), 404, 'WORKFLOW_UNKNOWN'],
  [
    'settings of a workflow that has none',
    () => request('POST', '/api/runs', { ...started, settings: { contract: '/etc/passwd' } }),
    400,
    'OPTION_INVALID',
  ],
  ['a thread id that a parser of addresses resolves', () => request('GET', '/api/threads/%2e%2e'), 404, 'NOT_FOUND'],
  ['an unknown path', () => request('GET', '/api/nothing'), 404, 'NOT_FOUND'],
  ['an unknown page', () => request('GET', '/nothing'), 404, 'NOT_FOUND'],
  ['another method', () => request('PUT', '/api/runs', started), 404, 'NOT_FOUND'],
];

describe('requests', () => {
  it.each(refused)('are rejected with %s', async (_name, make, status, code) => {
    const { server, runtime } = serve();
    const response = await server.fetch(make());
    const { requestId, message, hint, data, ...rest } = (await response.json()) as Record<string, unknown>;
    expect({ status: response.status, ...rest }).toEqual({ status, code });
    expect(requestId).toBe(response.headers.get('x-request-id'));
    expect(JSON.stringify([message, hint, data])).not.toMatch(/node_modules|\.ts:|evil|passwd|'1'/);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
    expect(await runtime.list()).toEqual([]);
    await runtime.close();
  });

  it('are answered with restrictive security headers', async () => {
    const { server, runtime } = serve({ page: async () => new Response('<p>page</p>', { headers: { 'content-type': 'text/html' } }) });
    for (const path of ['/', '/health', '/api/runs', '/api/nothing']) {
      const { headers } = await server.fetch(request('GET', path));
      expect(Object.fromEntries(headers), path).toMatchObject({
        'content-security-policy': expect.stringContaining("default-src 'none'; script-src 'self'"),
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'cache-control': 'no-store',
      });
      expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
    await runtime.close();
  });

  it('of probes are answered for any host, and reveal nothing but health', async () => {
    const { server, runtime } = serve();
    for (const [path, status] of [
      ['/health', 'ok'],
      ['/ready', 'ready'],
    ] as const) {
      for (const name of ['10.0.0.7:4680', 'evil.com']) {
        const answered = await server.fetch(request('GET', path, undefined, { host: name, authorization: '' }));
        expect({ status: answered.status, body: await answered.json() }).toEqual({ status: 200, body: { status } });
        const head = await server.fetch(request('HEAD', path, undefined, { host: name, authorization: '' }));
        expect({ status: head.status, body: await head.text() }).toEqual({ status: 200, body: '' });
      }
    }
    await runtime.close();
  });

  it('need a token except on four routes', async () => {
    const { server, runtime } = serve({
      mounts: [() => ({ fetch: () => new Response('mounted') })],
      page: async () => new Response('page'),
    });
    const open: string[] = [];
    const paths = [
      ...server.routes,
      ...[
        '/api/ai-sdk/x',
        '/api/ag-ui/x',
        '/v1/models',
        '/v1/responses',
        '/v1',
        '/mcp',
        '/mcp/x',
        '/metrics',
        '/api',
        '/',
        '/index.html',
      ].map((path) => ({
        method: 'GET',
        path,
      })),
    ];
    for (const { method, path } of paths) {
      const response = await server.fetch(new Request(`http://${host}${path.replace(/:\w+/g, 'x')}`, { method }));
      if (response.status !== 401) open.push(`${method} ${path}`);
    }
    expect(open).toEqual(['GET /health', 'GET /ready', 'POST /api/session', 'GET /', 'GET /index.html']);
    await runtime.close();
  });

  it('accept a session instead of a token', async () => {
    const { server, ask, runtime } = serve();
    const { status, headers, body } = await ask('POST', '/api/session', { token }, { authorization: '' });
    expect({ status, body }).toEqual({ status: 200, body: { tenant: 'local' } });
    const cookie = headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/^agent_machines_session=[^;]+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+$/);
    expect(cookie).not.toContain(token);
    const secured = await ask('POST', '/api/session', { token }, { authorization: '', origin: `https://${host}` });
    expect(secured.headers.get('set-cookie')).toMatch(/; Max-Age=\d+; Secure$/);
    const value = cookie.split(';')[0] ?? '';
    const withCookie = async (sent: string): Promise<Response> =>
      server.fetch(new Request(`http://${host}/api/runs`, { headers: { cookie: sent } }));
    expect((await withCookie(value)).status).toBe(200);
    expect((await withCookie(value.replace('local.', 'other.'))).status).toBe(401);
    expect((await withCookie(value.replace(/\.(\d)/, '.9$1'))).status).toBe(401);
    await runtime.close();
  });
});
