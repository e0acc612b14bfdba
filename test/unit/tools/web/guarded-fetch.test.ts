import dns from 'node:dns/promises';
import { once } from 'node:events';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { inspect } from 'node:util';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { createGuardedFetch, type GuardedFetch, type GuardedFetchOptions } from 'agent-machines/tools/node';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { codePoint } from '../../../fixtures/code-point.ts';
import { type HttpServer, startHttpServer } from '../../../fixtures/http-server.ts';
import { share } from '../../../fixtures/share.ts';

interface LocalServer extends HttpServer {
  readonly requests: IncomingMessage[];
  readonly bodies: string[];
}

/** A server that keeps what it is sent. */
async function serve(handler: RequestListener): Promise<LocalServer> {
  const requests: IncomingMessage[] = [];
  const bodies: string[] = [];
  const server = await startHttpServer(async (request, response) => {
    requests.push(request);
    let body = '';
    for await (const chunk of request) body += chunk;
    bodies.push(body);
    await handler(request, response);
  });
  return { ...server, requests, bodies };
}

/** A fetch for which 127.0.0.1 is the public internet and everything else is private. */
function localFetch(servers: readonly { readonly port: number }[], options: GuardedFetchOptions = {}): GuardedFetch {
  return createGuardedFetch({
    allowHttp: true,
    allowedPorts: servers.map(({ port }) => port),
    isAllowedAddress: (ip) => ip === '127.0.0.1',
    lookup: async () => ['127.0.0.1'],
    ...options,
  });
}

const sendText = (response: ServerResponse, text: string): void => {
  response.writeHead(200, { 'content-type': 'text/plain' }).end(text);
};
const redirect = (response: ServerResponse, location: string, status = 302): void => {
  response.writeHead(status, { location }).end('moved');
};
/** Writes for as long as the client takes it. */
function writeForEver(response: ServerResponse): void {
  const chunk = Buffer.alloc(65_536, 'a');
  const more = (): void => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', more);
  more();
}

const caught = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'it did not throw',
    (error: unknown) => error,
  );

describe('createGuardedFetch', () => {
  it('fetches a text', async () => {
    const server = await serve((_request, response) => {
      response.writeHead(201, { 'content-type': 'text/html; charset=utf-8', 'X-Extra': 'yes' }).end('안녕');
    });
    const url = `${server.origin}/a?b=c`;
    const result = await localFetch([server])(url);
    expect(result).toMatchObject({ status: 201, text: '안녕', url, headers: { 'x-extra': 'yes' } });
  });

  it('sends method, headers and body, a plain user agent and no cookie', async () => {
    const server = await serve((_request, response) => {
      response.setHeader('set-cookie', 'id=1');
      sendText(response, 'ok');
    });
    const fetch = localFetch([server]);
    const request = { method: 'post', headers: { 'content-type': 'application/json', authorization: 'Bearer x' }, body: '{"a":1}' };
    await fetch(server.origin, request);
    await fetch(server.origin, request);
    const [, second] = server.requests;
    expect(server.bodies).toEqual(['{"a":1}', '{"a":1}']);
    expect(second).toMatchObject({ method: 'POST', headers: { authorization: 'Bearer x', 'user-agent': 'agent-machines' } });
    expect(second?.headers.cookie).toBeUndefined();
  });

  it('reads compressed bodies', async () => {
    const server = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'br' }).end(brotliCompressSync('{"a":1}'));
    });
    expect(await localFetch([server])(server.origin)).toMatchObject({ text: '{"a":1}' });
  });

  it('ignores the proxies of the environment', async () => {
    const proxy = await serve((_request, response) => sendText(response, 'from the proxy'));
    const server = await serve((_request, response) => sendText(response, 'direct'));
    for (const name of ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY']) vi.stubEnv(name, proxy.origin);
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    expect(await localFetch([server])(server.origin)).toMatchObject({ text: 'direct' });
    expect(proxy.requests).toEqual([]);
  });

  it.each([{ maxBytes: 0 }, { maxBytes: 1.5 }, { maxBytes: Number.NaN }, { timeoutMs: -1 }, { timeoutMs: Number.POSITIVE_INFINITY }])(
    'refuses the limit %j',
    (options) => expect(() => createGuardedFetch(options)).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' })),
  );
});

describe('B33: private addresses', () => {
  it.each([
    ...['127.0.0.1', '0', '0x7f.1', '2130706433', '[::1]', '[::ffff:169.254.169.254]', 'localhost.', 'localhost', '127.1', '0177.0.0.1'],
    ...['10.0.0.1', '10.255.255.255', '100.64.0.1', '100.127.255.255', '172.16.0.1', '192.168.0.1', '[fc00::1]', '[fdff::1]', '[fe80::1]'],
    ...['169.254.169.254', '[fd00:ec2::254]', '168.63.129.16', '100.100.100.200', '192.0.0.192', 'metadata.google.internal', 'metadata'],
    ...['[64:ff9b::a9fe:a9fe]', '[2002:a9fe:a9fe::]', '[2001:0:4136:e378::1]', '[::127.0.0.1]', '[::ffff:0:7f00:1]', '[::]', '0.0.0.0'],
    ...['224.0.0.1', '[ff02::1]', '255.255.255.255', '240.0.0.1', 'example.com.', '127.0.0.1.', '①②⑦.0.0.1', '１２７。0。0。1'],
  ])('refuses %s before anything is sent', async (host) => {
    const lookup = vi.fn(async () => ['93.184.216.34']);
    const fetch = createGuardedFetch({ allowHttp: true, lookup });
    await expect(fetch(`http://${host}/`)).rejects.toMatchObject({ code: 'ADDRESS_NOT_ALLOWED', retryable: false });
    await expect(fetch(`https://${host}/`)).rejects.toMatchObject({ code: 'ADDRESS_NOT_ALLOWED', retryable: false });
    expect(lookup).not.toHaveBeenCalled();
  });

  it.each(['127.0.0.1', '0x7f.1', '2130706433', '127.1', '0', '[::ffff:127.0.0.1]', 'localhost', 'localhost.', 'public.example'])(
    'does not reach the local server as %s',
    async (host) => {
      const server = await serve((_request, response) => sendText(response, 'secret'));
      const fetch = createGuardedFetch({ allowHttp: true, allowedPorts: [server.port], lookup: async () => ['127.0.0.1'] });
      await expect(fetch(`http://${host}:${server.port}/`)).rejects.toMatchObject({ code: 'ADDRESS_NOT_ALLOWED' });
      expect(server.requests).toEqual([]);
    },
  );

  it('looks up all addresses of a name with the system resolver', async () => {
    // The one thing that no test can have for real: a public name that resolves to a private address.
    const addresses = [
      { address: '93.184.216.34', family: 4 },
      { address: 'fd00::1', family: 6 },
    ];
    const lookup = vi.spyOn(dns, 'lookup').mockResolvedValue(addresses as never);
    onTestFinished(() => {
      lookup.mockRestore();
      syncBuiltinESMExports();
    });
    syncBuiltinESMExports();
    await expect(createGuardedFetch()('https://public.example/')).rejects.toMatchObject({ code: 'ADDRESS_NOT_ALLOWED' });
    expect(lookup.mock.calls).toEqual([['public.example', { all: true }]]);
  });

  it('refuses every address in 10/8 and 127/8 in any spelling', async () => {
    const fetch = createGuardedFetch();
    const address = fc.tuple(fc.constantFrom(10, 127), fc.integer({ min: 0, max: 0xffffff })).map(([net, rest]) => net * 0x1000000 + rest);
    const spelling = fc
      .tuple(address, fc.constantFrom(10, 16, 8))
      .map(([ip, radix]) => `${{ 10: '', 16: '0x', 8: '0' }[radix]}${ip.toString(radix)}`);
    await fc.assert(
      fc.asyncProperty(spelling, async (host) => {
        await expect(fetch(`https://${host}/`)).rejects.toMatchObject({ code: 'ADDRESS_NOT_ALLOWED' });
      }),
    );
  });
});

describe('B34: redirects', () => {
  it.each([
    ...['http://10.0.0.1/', 'http://169.254.169.254/latest/meta-data/', 'http://[::1]/', 'http://localhost/', 'http://private.example/'],
    ...[
      'http://0x7f.2/',
      'http://public.example:22/',
      'http://user:pass@public.example/',
      'file:///etc/passwd',
      'gopher://public.example/',
    ],
    ...['//10.0.0.1/', 'data:text/plain,hello'],
  ])('refuses a public URL that redirects to %s', async (location) => {
    const server = await serve((_request, response) => redirect(response, location));
    const lookup = async (host: string) => (host === 'private.example' ? ['127.0.0.1', '10.0.0.1'] : ['127.0.0.1']);
    const fetch = localFetch([server], { lookup });
    await expect(fetch(`http://public.example:${server.port}/`)).rejects.toMatchObject({ code: 'ADDRESS_NOT_ALLOWED' });
    expect(server.requests).toHaveLength(1);
  });

  it('checks the last hop like the first', async () => {
    const server = await serve(({ url }, response) => redirect(response, url === '/0' ? '/1' : 'http://10.0.0.1/'));
    await expect(localFetch([server])(`${server.origin}/0`)).rejects.toMatchObject({ code: 'ADDRESS_NOT_ALLOWED' });
    expect(server.requests.map(({ url }) => url)).toEqual(['/0', '/1']);
  });

  it('follows at most three redirects', async () => {
    const server = await serve(({ url }, response) => {
      const left = Number(url?.slice(1));
      if (left === 0) sendText(response, 'here');
      else redirect(response, `/${left - 1}`, 307);
    });
    const fetch = localFetch([server]);
    expect(await fetch(`${server.origin}/3`)).toMatchObject({ text: 'here', url: `${server.origin}/0` });
    server.requests.length = 0;
    await expect(fetch(`${server.origin}/4`)).rejects.toMatchObject({ code: 'FETCH_FAILED', retryable: false });
    expect(server.requests).toHaveLength(4);
  });

  it('explains in a separate sentence why a fetch failed, so that a hint can follow', async () => {
    const server = await serve(({ socket }) => void socket.destroy());
    await expect(localFetch([server])(server.origin)).rejects.toMatchObject({
      code: 'FETCH_FAILED',
      message: expect.stringMatching(/^\S+ could not be fetched: .*[^.]\.$/),
    });
  });

  it('fails for a redirect without a target or to an invalid URL', async () => {
    const server = await serve(({ url }, response) => {
      if (url === '/nowhere') response.writeHead(302).end();
      else redirect(response, 'http://[');
    });
    const fetch = localFetch([server]);
    await expect(fetch(`${server.origin}/nowhere`)).rejects.toMatchObject({ code: 'FETCH_FAILED', data: { status: 302 } });
    await expect(fetch(`${server.origin}/broken`)).rejects.toMatchObject({ code: 'FETCH_FAILED' });
  });

  it('does not read the body of a redirect', async () => {
    const closings: Promise<unknown>[] = [];
    const server = await serve(({ url }, response) => {
      if (url === '/next') return sendText(response, 'here');
      closings.push(once(response, 'close'));
      response.writeHead(302, { 'content-type': 'text/plain', location: '/next' });
      writeForEver(response);
    });
    expect(await localFetch([server])(server.origin)).toMatchObject({ text: 'here' });
    expect(closings).toHaveLength(1);
    await closings[0];
  });

  const request = {
    method: 'post',
    headers: {
      authorization: 'Bearer secret',
      cookie: 'id=secret',
      'x-api-key': 'secret',
      'content-type': 'application/json',
      accept: 'text/plain',
    },
    body: '{"secret":1}',
  };

  it.each([301, 302, 303, 307, 308])('drops credentials, cookies and the body on a redirect (%i) to another origin', async (status) => {
    const target = await serve((_request, response) => sendText(response, 'ok'));
    const server = await serve((_request, response) => redirect(response, `${target.origin}/`, status));
    await localFetch([server, target])(server.origin, request);
    const [received] = target.requests;
    expect(target.bodies).toEqual(['']);
    expect(received).toMatchObject({ method: 'GET', headers: { accept: 'text/plain', 'user-agent': 'agent-machines' } });
    expect(JSON.stringify(received?.rawHeaders)).not.toMatch(/secret|content-type/i);
  });

  it.each([
    [301, 'GET', ''],
    [302, 'GET', ''],
    [303, 'GET', ''],
    [307, 'POST', '{"secret":1}'],
    [308, 'POST', '{"secret":1}'],
  ])('keeps credentials within an origin; after %i the request is a %s', async (status, method, body) => {
    const server = await serve(({ url }, response) => {
      response.setHeader('set-cookie', 'other=1');
      if (url === '/') redirect(response, '/next', status);
      else sendText(response, 'ok');
    });
    await localFetch([server])(server.origin, request);
    const [, received] = server.requests;
    expect(server.bodies).toEqual(['{"secret":1}', body]);
    expect(received).toMatchObject({ method, headers: { authorization: 'Bearer secret', cookie: 'id=secret' } });
    expect(received?.headers['content-type']).toBe(body === '' ? undefined : 'application/json');
  });

  it('keeps HEAD a HEAD', async () => {
    const server = await serve(({ url }, response) => (url === '/' ? redirect(response, '/next', 303) : sendText(response, 'ok')));
    expect(await localFetch([server])(server.origin, { method: 'HEAD' })).toMatchObject({ text: '' });
    expect(server.requests.map(({ method }) => method)).toEqual(['HEAD', 'HEAD']);
  });
});

describe('B35: DNS rebinding', () => {
  it('connects to the checked address without a second lookup', async () => {
    const server = await serve((_request, response) => sendText(response, 'public'));
    const answers = [['127.0.0.1'], ['10.0.0.1']];
    const lookup = vi.fn(async () => answers.shift() ?? []);
    const url = `http://rebinding.example:${server.port}/`;
    const fetch = localFetch([server], { lookup });
    expect(await fetch(url)).toMatchObject({ text: 'public', url });
    expect(lookup.mock.calls).toEqual([['rebinding.example']]);
    expect(server.requests[0]?.headers.host).toBe(`rebinding.example:${server.port}`);
  });

  it('checks the new address of the next request, and opens a new connection', async () => {
    const server = await serve((_request, response) => sendText(response, 'public'));
    const answers = [['127.0.0.1'], ['127.0.0.1', '10.0.0.1']];
    const fetch = localFetch([server], { lookup: async () => answers.shift() ?? [] });
    await fetch(`http://rebinding.example:${server.port}/`);
    await expect(fetch(`http://rebinding.example:${server.port}/`)).rejects.toMatchObject({ code: 'ADDRESS_NOT_ALLOWED' });
    expect(server.requests).toHaveLength(1);
  });

  it('checks the new address of a redirect to the same name', async () => {
    const server = await serve((_request, response) => redirect(response, '/secret'));
    const answers = [['127.0.0.1'], ['10.0.0.1']];
    const fetch = localFetch([server], { lookup: async () => answers.shift() ?? [] });
    await expect(fetch(`http://rebinding.example:${server.port}/`)).rejects.toMatchObject({ code: 'ADDRESS_NOT_ALLOWED' });
    expect(server.requests).toHaveLength(1);
  });

  it("sends the host's name to the TLS server, not its address", async () => {
    const names: string[] = [];
    const server = createTlsServer({
      SNICallback: (name, done) => {
        names.push(name);
        done(new Error('no certificate'));
      },
    });
    server.on('tlsClientError', () => {});
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    const fetch = localFetch([{ port }], { allowHttp: false });
    await expect(fetch(`https://public.example:${port}/`)).rejects.toMatchObject({ code: 'FETCH_FAILED' });
    expect(names).toEqual(['public.example']);
  });

  it('refuses a Host header of the caller, which would name another host', async () => {
    const server = await serve((_request, response) => sendText(response, 'public'));
    await expect(localFetch([server])(server.origin, { headers: { Host: 'internal' } })).rejects.toMatchObject({ code: 'FETCH_FAILED' });
    expect(server.requests).toEqual([]);
  });
});

describe('B36: schemes, ports and user names', () => {
  it.each([
    ...[
      'file:///etc/passwd',
      'gopher://example.com/',
      'ftp://example.com/',
      'data:text/plain,hello',
      'javascript:alert(1)',
      'ws://example.com/',
    ],
    ...[
      'blob:https://example.com/1',
      'about:blank',
      'http://example.com/',
      'https://good@example.com/',
      'https://u:p@example.com/',
      'https://:p@example.com/',
    ],
    ...[
      'https://example.com:22/',
      'https://example.com:6379/',
      'https://example.com:80/',
      'https://example.com:8443/',
      'https://example.com:0/',
    ],
  ])('refuses %s', async (url) => {
    const lookup = vi.fn(async () => ['93.184.216.34']);
    await expect(createGuardedFetch({ lookup })(url)).rejects.toMatchObject({ code: 'ADDRESS_NOT_ALLOWED' });
    expect(lookup).not.toHaveBeenCalled();
  });

  it.each(['http://example.com:443/', 'http://example.com:6379/'])('refuses %s even if http: is allowed', async (url) => {
    await expect(createGuardedFetch({ allowHttp: true })(url)).rejects.toMatchObject({ code: 'ADDRESS_NOT_ALLOWED' });
  });

  it.each([
    ['https://example.com:443/', {}],
    ['https://example.com:8443/', { allowedPorts: [8443] }],
    ['http://example.com:80/', { allowHttp: true }],
  ])('looks up the host of %s with %j', async (url, options) => {
    const lookup = vi.fn(async () => []);
    await expect(createGuardedFetch({ lookup, ...options })(url)).rejects.toMatchObject({ code: 'FETCH_FAILED' });
    expect(lookup).toHaveBeenCalledOnce();
  });

  it.each(['', 'example.com', '/path', 'https://', 'http://256.256.256.256/', 'http://[fe80::1%25eth0]/'])(
    'refuses %j, which is not a URL',
    async (url) => {
      await expect(createGuardedFetch()(url)).rejects.toMatchObject({ code: 'FETCH_FAILED', retryable: false });
    },
  );
});

describe('B37: size and time', () => {
  it.each([{}, { 'content-length': '1000000000' }])(
    'cuts an endless body with the headers %j, and closes the connection',
    async (headers) => {
      const closings: Promise<unknown>[] = [];
      const server = await serve((_request, response) => {
        closings.push(once(response, 'close'));
        response.writeHead(200, { 'content-type': 'text/plain', ...headers });
        writeForEver(response);
      });
      const thrown = localFetch([server])(server.origin);
      await expect(thrown).rejects.toMatchObject({ code: 'RESPONSE_TOO_LARGE', retryable: false, data: { maxBytes: 2_000_000 } });
      expect(closings).toHaveLength(1);
      await closings[0];
    },
  );

  it.each(['gzip', 'gzip, gzip', 'br'])('cuts a compression bomb (%s)', async (encoding) => {
    const zeros = Buffer.alloc(20_000_000);
    const bomb = encoding === 'br' ? brotliCompressSync(zeros) : encoding === 'gzip' ? gzipSync(zeros) : gzipSync(gzipSync(zeros));
    expect(bomb.byteLength).toBeLessThan(100_000);
    const server = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': encoding }).end(bomb);
    });
    await expect(localFetch([server])(server.origin)).rejects.toMatchObject({ code: 'RESPONSE_TOO_LARGE' });
  });

  it('accepts exactly maxBytes', async () => {
    const server = await serve(({ url }, response) => sendText(response, 'a'.repeat(Number(url?.slice(1)))));
    const fetch = localFetch([server], { maxBytes: 1000 });
    expect((await fetch(`${server.origin}/1000`)).text).toHaveLength(1000);
    await expect(fetch(`${server.origin}/1001`)).rejects.toMatchObject({ code: 'RESPONSE_TOO_LARGE' });
  });

  it('gives up on a body that arrives byte by byte', async () => {
    const server = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      const timer = setInterval(() => response.write('a'), 10);
      response.on('close', () => clearInterval(timer));
    });
    const thrown = localFetch([server], { timeoutMs: 300 })(server.origin);
    await expect(thrown).rejects.toMatchObject({ code: 'FETCH_FAILED', retryable: true, message: expect.stringContaining('300 ms') });
  });

  it('gives up on a silent server and on a silent resolver', async () => {
    const server = await serve(() => {});
    const options = { timeoutMs: 100 };
    await expect(localFetch([server], options)(server.origin)).rejects.toMatchObject({ code: 'FETCH_FAILED', retryable: true });
    const hanging = localFetch([server], { ...options, lookup: () => new Promise(() => {}) });
    await expect(hanging('https://public.example/')).rejects.toMatchObject({ code: 'FETCH_FAILED', retryable: true });
  });

  it('has one time limit for all hops', async () => {
    const server = await serve(({ url }, response) => {
      const hop = Number(url?.slice(1));
      setTimeout(() => (hop === 3 ? sendText(response, 'late') : redirect(response, `/${hop + 1}`)), 300);
    });
    const thrown = localFetch([server], { timeoutMs: 700 })(`${server.origin}/0`);
    await expect(thrown).rejects.toMatchObject({ code: 'FETCH_FAILED', retryable: true });
  });
});

describe('failures', () => {
  it.each([
    [400, false],
    [401, false],
    [404, false],
    [304, false],
    [408, true],
    [429, true],
    [500, true],
    [503, true],
  ])('throws for status %i (retryable: %s)', async (status, retryable) => {
    const server = await serve((_request, response) => {
      response.writeHead(status, { 'content-type': 'text/plain' }).end();
    });
    await expect(localFetch([server])(server.origin)).rejects.toMatchObject({ code: 'FETCH_FAILED', retryable, data: { status } });
  });

  it.each([
    ['7', 7_000],
    ['Sun, 22 Nov 2026 10:00:30 GMT', 30_000],
    ['Sun, 22 Nov 2026 09:00:00 GMT', 0],
    ['soon', undefined],
  ])('keeps the wait of a Retry-After header: %s', async (asked, retryAfterMs) => {
    const server = await serve((_request, response) => {
      response.writeHead(503, { date: 'Sun, 22 Nov 2026 10:00:00 GMT', 'retry-after': asked }).end();
    });
    await expect(localFetch([server])(server.origin)).rejects.toMatchObject({ code: 'FETCH_FAILED', retryable: true, retryAfterMs });
  });

  it.each([
    ['is reset before the answer', (response: ServerResponse) => response.socket?.resetAndDestroy()],
    ['is closed before the answer', (response: ServerResponse) => response.socket?.destroy()],
    [
      'is closed in the middle of the body',
      (response: ServerResponse) =>
        response.writeHead(200, { 'content-type': 'text/plain', 'content-length': '9' }).write('half', () => response.destroy()),
    ],
  ])('can be retried when the connection %s', async (_when, cut) => {
    const server = await serve((_request, response) => void cut(response));
    await expect(localFetch([server])(server.origin)).rejects.toMatchObject({ code: 'FETCH_FAILED', retryable: true });
  });

  it('can be retried if the port is closed', async () => {
    const server = createTcpServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    await expect(localFetch([{ port }])(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({ code: 'FETCH_FAILED', retryable: true });
  });

  it('fails for a broken compressed body and for a method that cannot be sent', async () => {
    const server = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' }).end('this is not gzip');
    });
    const fetch = localFetch([server]);
    await expect(fetch(server.origin)).rejects.toMatchObject({ code: 'FETCH_FAILED', retryable: false });
    await expect(fetch(server.origin, { method: 'NO WAY' })).rejects.toMatchObject({ code: 'FETCH_FAILED', retryable: false });
    await expect(fetch(server.origin, { method: 'GET', body: 'x' })).rejects.toMatchObject({ code: 'FETCH_FAILED', retryable: false });
  });

  it.each([
    'text/html',
    'TEXT/PLAIN; charset=UTF-8',
    'application/json',
    'application/ld+json',
    'application/atom+xml;charset="utf-8"',
    'text/csv',
  ])('reads %s', async (type) => {
    const server = await serve((_request, response) => void response.writeHead(200, { 'content-type': type }).end('text'));
    expect(await localFetch([server])(server.origin)).toMatchObject({ text: 'text' });
  });

  it.each([
    'application/octet-stream',
    'image/svg',
    'application/pdf',
    'application/jsonp',
    'application/json, image/png',
    'text/',
    '',
    'text/plain; charset=klingon',
  ])('refuses the content type %j', async (type) => {
    const server = await serve((_request, response) => {
      if (type !== '') response.setHeader('content-type', type);
      response.end('text');
    });
    await expect(localFetch([server])(server.origin)).rejects.toMatchObject({ code: 'FETCH_FAILED', retryable: false });
  });

  it('decodes the charset of the answer, and refuses bytes that are not in it', async () => {
    const server = await serve(({ url }, response) => {
      const type = url === '/euc-kr' ? 'text/html; charset=euc-kr' : 'text/html';
      response.writeHead(200, { 'content-type': type }).end(Buffer.from('b0a1b3aa', 'hex'));
    });
    const fetch = localFetch([server]);
    expect(await fetch(`${server.origin}/euc-kr`)).toMatchObject({ text: '가나' });
    await expect(fetch(`${server.origin}/utf-8`)).rejects.toMatchObject({ code: 'FETCH_FAILED' });
  });

  it("throws the reason of the caller's abort: before the request, while waiting, and in the body", async () => {
    const reason = new Error('the user left');
    let caller = new AbortController();
    const server = await serve(({ url }, response) => {
      if (url === '/body') response.writeHead(200, { 'content-type': 'text/plain' }).write('half', () => caller.abort(reason));
      else caller.abort(reason);
    });
    const lookup = vi.fn(async () => ['127.0.0.1']);
    const fetch = localFetch([server], { lookup });
    await expect(fetch(`${server.origin}/wait`, { signal: caller.signal })).rejects.toBe(reason);
    await expect(fetch('http://public.example/before', { signal: caller.signal })).rejects.toBe(reason);
    expect(lookup).not.toHaveBeenCalled();
    caller = new AbortController();
    await expect(fetch(`${server.origin}/body`, { signal: caller.signal })).rejects.toBe(reason);
    expect(server.requests.map(({ url }) => url)).toEqual(['/wait', '/body']);
  });

  it('keeps path, query, headers and body of the request out of every error', async () => {
    const server = await serve(({ url }, response) => {
      if (url?.startsWith('/private')) redirect(response, 'http://10.0.0.1/hunter2?hunter2');
      else if (url?.startsWith('/reset')) response.destroy();
      else response.writeHead(500, { 'content-type': 'text/plain' }).end('hunter2');
    });
    const fetch = localFetch([server], { timeoutMs: 2000 });
    const send = (path: string) => fetch(server.origin + path, { method: 'POST', headers: { 'x-key': 'hunter2' }, body: 'hunter2' });
    const errors = [
      await caught(send('/private?key=hunter2')),
      await caught(send('/reset?key=hunter2')),
      await caught(send('/hunter2')),
      await caught(fetch('http://[hunter2')),
      await caught(fetch('http://hunter2:hunter2@10.0.0.1/')),
      await caught(fetch(server.origin, { headers: { 'x-key': 'hunter2\nx' } })),
    ];
    for (const error of errors) {
      expect(error).toBeInstanceOf(Error);
      expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('hunter2');
    }
  });
});

describe('a compressed body', () => {
  const compress: Readonly<Record<string, (text: Buffer) => Buffer>> = {
    gzip: gzipSync,
    'x-gzip': gzipSync,
    br: brotliCompressSync,
    deflate: deflateSync,
    'deflate (raw)': deflateRawSync,
    'gzip, br': (text) => brotliCompressSync(gzipSync(text)),
  };
  const codings = Object.keys(compress);
  const compressed = (coding: string, text: string): Buffer => compress[coding]?.(Buffer.from(text)) ?? Buffer.alloc(0);

  /** Sends `body`, said to be compressed so; with its length in front, or in pieces without it. */
  const serveBody = (bodyOf: () => { readonly coding: string; readonly body: Buffer; readonly chunked: boolean }): Promise<LocalServer> =>
    serve((_request, response) => {
      const { coding, body, chunked } = bodyOf();
      const headers = { 'content-type': 'text/plain; charset=utf-8', 'content-encoding': coding.replace(' (raw)', '') };
      response.writeHead(200, chunked ? headers : { ...headers, 'content-length': body.length });
      response.end(body);
    });

  it.each(codings)(
    'is read whole, and refused if it is cut off at any byte (%s)',
    async (coding) => {
      for (const text of ['a', '진리는 자명하다. '.repeat(5)]) {
        const whole = compressed(coding, text);
        let body = whole;
        let chunked = false;
        const server = await serveBody(() => ({ coding, body, chunked }));
        expect(await localFetch([server])(server.origin)).toMatchObject({ text });
        for (let length = 0; length < whole.length; length++) {
          body = whole.subarray(0, length);
          chunked = length % 2 === 0;
          expect([length, await caught(localFetch([server])(server.origin))]).toEqual([
            length,
            expect.objectContaining({ code: 'FETCH_FAILED', message: 'The answer of 127.0.0.1 was cut off.', retryable: true }),
          ]);
        }
      }
    },
    30_000,
  );

  it('restores any text, and is refused if it is incomplete', async () => {
    let sent: { coding: string; body: Buffer; chunked: boolean } = { coding: '', body: Buffer.alloc(0), chunked: false };
    const server = await serveBody(() => sent);
    const fetchIt = localFetch([server]);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...codings),
        fc.string({ unit: codePoint, maxLength: 2_000, size: 'max' }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        fc.boolean(),
        async (coding, any, part, chunked) => {
          const text = any.toWellFormed().replace(/^\uFEFF/, '');
          const body = compressed(coding, text);
          sent = { coding, body, chunked };
          expect((await fetchIt(server.origin)).text).toBe(text);
          sent = { coding, body: body.subarray(0, Math.floor(part * body.length)), chunked };
          expect(await caught(fetchIt(server.origin))).toMatchObject({ code: 'FETCH_FAILED' });
        },
      ),
      { numRuns: share(100) },
    );
  });

  it.each(['zstd', 'compress', 'constructor', 'gzip, gzip, gzip, gzip', 'gzip, secret'])(
    'is refused in an unknown encoding (%s)',
    async (coding) => {
      const server = await serveBody(() => ({ coding, body: Buffer.from('plain'), chunked: false }));
      const error = await caught(localFetch([server])(server.origin));
      expect(error).toMatchObject({ code: 'FETCH_FAILED', message: expect.stringContaining('unsupported compression'), retryable: false });
    },
  );

  it('is not expected in an answer without a body', async () => {
    const server = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' }).end();
    });
    expect(await localFetch([server])(server.origin, { method: 'HEAD' })).toMatchObject({ text: '' });
    expect(await caught(localFetch([server])(server.origin))).toMatchObject({ code: 'FETCH_FAILED' });
  });
});
