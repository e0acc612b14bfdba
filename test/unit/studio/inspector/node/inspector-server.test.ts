import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { append, createRuntime, defineMachine, defineState, defineWorkflow, final, node, waiting } from 'agent-machines';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type FeedReader, rawRequest, readFeed, serveInspector } from '../../../../fixtures/feed-reader.ts';

const hostile = '</script><script>alert(1)</script>\n\ndata: forged\u2028';

interface State {
  readonly log: string[];
}
const kit = defineState<State, null, string[], { type: 'GO' }>({ reducers: { log: append } });
const machine = defineMachine(kit, {
  id: 'says',
  version: '1',
  initial: 'say',
  context: () => ({ log: [] }),
  output: ({ log }) => log,
  states: {
    say: node('say', { done: 'ask', error: 'lost' }),
    ask: waiting({ GO: 'done' }),
    done: final('success'),
    lost: final('failure'),
  },
});
const workflow = defineWorkflow({ machine, nodes: { say: async () => ({ log: [hostile] }) } });

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'agent-machines-inspect-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'agents.db');
}

/** Another program that has the database. */
function program(path: string) {
  const store = sqliteStore({ path });
  const runtime = createRuntime({ store, workflows: [workflow] });
  const close = async (): Promise<void> => {
    await runtime.close();
    await store.close();
  };
  return { runtime, close };
}

function listen(url: string, run?: string): FeedReader {
  const feed = readFeed(`${url}feed${run === undefined ? '' : `?run=${encodeURIComponent(run)}`}`);
  onTestFinished(() => feed.close());
  return feed;
}

const allOf = (messages: FeedReader['messages'], name: string): Record<string, unknown>[] =>
  messages.flatMap(([given, data]) => (given === name ? [data] : []));
const itemsOf = (messages: FeedReader['messages'], name: string): { seq: number; key?: string; kind?: string; type?: string }[] =>
  allOf(messages, name).flatMap((data) => data[name] as never);

describe('the feed', () => {
  it('sends runs, then one run as another program resumes it, numbered and without gaps', async () => {
    const path = newFile();
    const { runtime, close } = program(path);
    onTestFinished(close);
    const run = runtime.start(workflow, null);
    const waits = await run.result;
    const { server } = await serveInspector({ db: path });
    const feed = listen(server.url, run.id);
    await feed.until((messages) => itemsOf(messages, 'entries').some(({ kind }) => kind === 'settle'));
    expect(feed.messages.slice(0, 4).map(([name]) => name)).toEqual(['hello', 'runs', 'run', 'graph']);
    expect(allOf(feed.messages, 'hello')).toEqual([{ format: 1, database: path }]);
    expect(allOf(feed.messages, 'runs').at(-1)).toMatchObject({
      runs: [{ id: run.id, name: 'says', status: 'waiting', source: 'database' }],
    });
    expect(allOf(feed.messages, 'graph')).toMatchObject([
      {
        run: run.id,
        graph: {
          id: 'says',
          initial: 'say',
          states: [
            { path: 'say', kind: 'node', edges: [{ on: 'done', target: 'ask' }, { on: 'error' }] },
            { path: 'ask', kind: 'waiting' },
            {},
            {},
          ],
        },
      },
    ]);
    if (waits.status !== 'waiting' || !waits.interrupt) throw new Error('it does not wait');
    await (await runtime.send(run.id, { type: 'GO' }, { interruptId: waits.interrupt.id })).result;
    await feed.until((messages) => itemsOf(messages, 'events').some(({ type }) => type === 'run-end'));
    const history = await runtime.history(run.id);
    expect(itemsOf(feed.messages, 'entries')).toEqual(history.map(({ events: _, ...entry }) => entry));
    const events = [];
    for await (const event of runtime.events(run.id)) events.push(event);
    expect(itemsOf(feed.messages, 'events')).toEqual(events);
    expect(itemsOf(feed.messages, 'events').map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(allOf(feed.messages, 'run').at(-1)).toMatchObject({ run: { status: 'done' } });
  });

  it('waits for a missing database, creates none, and reports deletion and replacement', async () => {
    const path = newFile();
    const { server } = await serveInspector({ db: path });
    const feed = listen(server.url);
    await feed.until((messages) => allOf(messages, 'trouble').length === 1);
    expect(allOf(feed.messages, 'trouble')[0]).toMatchObject({ code: 'STORE_UNAVAILABLE' });
    const first = program(path);
    const one = first.runtime.start(workflow, null);
    await one.result;
    await feed.until((messages) => (allOf(messages, 'runs').at(-1)?.runs as unknown[])?.length === 1);
    expect(allOf(feed.messages, 'trouble').at(-1)).toEqual({ code: '', message: '' });
    await first.close();
    for (const ending of ['', '-wal', '-shm']) rmSync(`${path}${ending}`, { force: true });
    await feed.until(
      (messages) => allOf(messages, 'trouble').length === 3 && (allOf(messages, 'runs').at(-1)?.runs as unknown[])?.length === 0,
    );
    const second = program(path);
    onTestFinished(second.close);
    const other = second.runtime.start(workflow, null);
    await other.result;
    await feed.until((messages) => (allOf(messages, 'runs').at(-1)?.runs as { id: string }[])?.[0]?.id === other.id);
    expect(allOf(feed.messages, 'trouble').at(-1)).toEqual({ code: '', message: '' });
  });

  it('sends any external text as one line of data', async () => {
    const path = newFile();
    const { runtime, close } = program(path);
    onTestFinished(close);
    const run = runtime.start(workflow, null);
    await run.result;
    const { server } = await serveInspector({ db: path });
    const feed = listen(server.url, run.id);
    await feed.until((messages) => itemsOf(messages, 'entries').length >= 3);
    const said = itemsOf(feed.messages, 'entries').find(({ kind }) => kind === 'node');
    expect(said).toMatchObject({ outcome: { output: { log: [hostile] } } });
    const page = await fetch(server.url);
    expect(await page.text()).not.toContain('alert(1)');
  });

  it('shows no key of the environment', async () => {
    const path = newFile();
    const { runtime, close } = program(path);
    onTestFinished(close);
    const told = defineWorkflow({ machine, nodes: { say: async () => ({ log: ['sk-of-the-environment'] }) } });
    process.env.TAVILY_API_KEY = 'sk-of-the-environment';
    onTestFinished(() => void delete process.env.TAVILY_API_KEY);
    const { server } = await serveInspector({ db: path });
    const run = createRuntime({ store: sqliteStore({ path }) }).start(told, null);
    await run.result;
    const feed = listen(server.url, run.id);
    await feed.until((messages) => itemsOf(messages, 'entries').length >= 3);
    expect(JSON.stringify(feed.messages)).not.toContain('sk-of-the-environment');
    expect(JSON.stringify(feed.messages)).toContain('[key]');
    void runtime;
  });

  it('stops with its server', async () => {
    const { server } = await serveInspector();
    const feed = listen(server.url);
    await feed.until((messages) => messages.length > 0);
    await server.close();
    await feed.ended;
    await expect(fetch(server.url)).rejects.toThrow();
  });
});

describe('access', () => {
  it('serves its page under the token, with a policy that loads nothing else', async () => {
    const { server, port } = await serveInspector();
    const response = await fetch(server.url);
    expect(response.status).toBe(200);
    const policy = response.headers.get('content-security-policy') ?? '';
    const [, nonce = ''] = /script-src 'nonce-([\w-]+)'/.exec(policy) ?? [];
    expect(policy).toMatch(/^default-src 'none'; /);
    expect(policy).toContain("frame-ancestors 'none'");
    const [, script = '', ...others] = (await response.text()).split(`<script nonce="${nonce}">`);
    expect(others).toEqual([]);
    expect(script.indexOf('</script')).toBeGreaterThan(1_000);
    expect(script.match(/<[/]script/g)).toHaveLength(1);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
    });
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
    const again = await fetch(server.url.replace('127.0.0.1', 'localhost'));
    expect(again.status).toBe(200);
    expect(again.headers.get('content-security-policy')).not.toBe(policy);
    expect(port).toBeGreaterThan(0);
  });

  it('rejects other hosts, origins, methods, tokens and paths', async () => {
    const { port, path } = await serveInspector();
    const host = `127.0.0.1:${port}`;
    const statusOf = async (at: string, options?: Parameters<typeof rawRequest>[2]): Promise<number> =>
      (await rawRequest(port, at, options)).status;
    // names that lead to this machine and are not its own
    for (const name of [
      'evil.example',
      `evil.example:${port}`,
      '127.0.0.1',
      `127.0.0.1:${port}.evil.example`,
      `0.0.0.0:${port}`,
      `127.0.0.1:${port + 1}`,
      '',
    ])
      expect([name, await statusOf(path, { headers: { host: name } })]).toEqual([name, name === '' ? 403 : 403]);
    for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1:1', `https://${host}`, `http://localhost:${port}`])
      expect([origin, await statusOf(`${path}feed`, { headers: { host, origin } })]).toEqual([origin, 403]);
    expect(await statusOf(path, { headers: { host, 'sec-fetch-site': 'cross-site' } })).toBe(403);
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH'])
      expect([method, await statusOf(path, { method })]).toEqual([method, 405]);
    const token = path.slice(1, -1);
    const paths = [
      '/',
      '',
      '/favicon.ico',
      `/${token}`,
      `/${token}x/`,
      `/${token.slice(1)}/`,
      `/${token.toLowerCase()}/`,
      `//${token}/`,
      `/x/../${token}/`,
      `/${token}/../${token}/`,
      `/${token}/feed/`,
      `/${token}//feed`,
      `/${token}/%66eed`,
      `/${token}/..%2f`,
      `/${token}/\\feed`,
      `http://evil.example/${token}/`,
      `/${'x'.repeat(5_000)}/`,
    ];
    for (const at of paths) expect([at, await statusOf(at || '/')]).toEqual([at, 404]);
    expect(await statusOf(`${path}feed?run=${'x'.repeat(301)}`)).toBe(400);
  });

  it('rejects a guessed token; each server has another one, of 24 bytes', async () => {
    const [a, b] = [await serveInspector(), await serveInspector()];
    expect(a.path).toMatch(/^\/[\w-]{32}\/$/);
    expect(a.path).not.toBe(b.path);
    expect((await rawRequest(b.port, a.path)).status).toBe(404);
  });

  it('survives input that is not HTTP, and endless headers', async () => {
    const { server, port } = await serveInspector();
    for (const bytes of [
      '\0\0\0\0\r\n\r\n',
      'GET /\r\n\r\n',
      `GET / HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`,
      'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n',
    ]) {
      await new Promise<void>((resolve) => {
        const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
        socket.on('error', () => {}).on('close', () => resolve());
        socket.resume();
      });
    }
    expect((await fetch(server.url)).status).toBe(200);
  });

  it('serves at most 20 pages at a time', async () => {
    const { server } = await serveInspector();
    for (let index = 0; index < 20; index++) await listen(server.url).until((messages) => messages.length > 0);
    expect((await fetch(`${server.url}feed`)).status).toBe(503);
  });
});
