import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type FeedReader, readFeed, serveInspector } from '../../../../fixtures/feed-reader.ts';

async function serve() {
  const { server, port, path } = await serveInspector();
  const feed = readFeed(`${server.url}feed`);
  onTestFinished(() => feed.close());
  await feed.until((messages) => messages.length > 0);
  return { server, port, path, feed };
}

/** A browser's client: Node's own. */
async function open(url: string): Promise<WebSocket> {
  const socket = new WebSocket(url);
  onTestFinished(() => socket.close());
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', reject);
  });
  return socket;
}

const closed = (socket: WebSocket): Promise<number> =>
  new Promise((resolve) => socket.addEventListener('close', ({ code }) => resolve(code)));

/** A handshake by hand. @returns the status line, and the socket. */
async function knock(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ status: string; socket: Socket }> {
  const all = {
    host: `127.0.0.1:${port}`,
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': randomBytes(16).toString('base64'),
    ...headers,
  };
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {});
  socket.write(
    `GET ${path} HTTP/1.1\r\n${Object.entries(all)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('')}\r\n`,
  );
  const status = await new Promise<string>((resolve) => {
    socket.once('data', (bytes) => resolve(bytes.toString('latin1').split('\r\n')[0] ?? ''));
    socket.once('close', () => resolve('closed'));
  });
  return { status, socket };
}

/** A client's frame. */
function frame(first: number, payload: Buffer, { masked = true, length = payload.length } = {}): Buffer {
  const mask = Buffer.from([1, 2, 3, 4]);
  const bit = masked ? 0x80 : 0;
  const header = length < 126 ? Buffer.from([first, bit | length]) : Buffer.concat([Buffer.from([first, bit | 127]), Buffer.alloc(8)]);
  if (length >= 126) header.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([header, ...(masked ? [mask] : []), payload.map((byte, index) => (masked ? byte ^ (mask[index & 3] ?? 0) : byte))]);
}

/** The code with which the server closes. */
const codeOf = (socket: Socket): Promise<number> =>
  new Promise((resolve) => {
    const bytes: Buffer[] = [];
    socket.on('data', (part) => bytes.push(part));
    socket.on('close', () => {
      const all = Buffer.concat(bytes);
      resolve(all[0] === 0x88 ? all.readUInt16BE(2) : 0);
    });
  });

const actor = (sessionId: string, more: object = {}): string =>
  JSON.stringify({
    type: '@xstate.actor',
    sessionId,
    name: 'light',
    definition:
      '{"id":"light","initial":"red","states":{"red":{"on":{"GO":"green"}},"green":{"initial":"on","states":{"on":{},"off":{}}}}}',
    snapshot: { status: 'active', value: 'red', context: { n: 1 } },
    _version: '0.7.2',
    ...more,
  });

const runsOf = (messages: FeedReader['messages']): { id: string; name: string; status: string; seq: number; source: string }[] =>
  (messages.findLast(([name]) => name === 'runs')?.[1].runs ?? []) as never;

describe('messages of other apps', () => {
  it('become runs with a graph and snapshots', async () => {
    const { server, feed } = await serve();
    const socket = await open(server.webSocketUrl);
    socket.send(actor('x:0'));
    socket.send(actor('x:1', { name: 'child', parentId: 'x:0', definition: '{"id":"child"}', snapshot: { status: 'active', input: 1 } }));
    socket.send(JSON.stringify({ type: '@xstate.event', sessionId: 'x:0', event: { type: 'GO' } }));
    socket.send(
      JSON.stringify({
        type: '@xstate.snapshot',
        sessionId: 'x:0',
        event: { type: 'GO' },
        snapshot: { status: 'done', value: { green: 'on' }, context: { n: 2 }, output: 3 },
      }),
    );
    await feed.until((messages) => runsOf(messages).some(({ status }) => status === 'done'));
    expect(runsOf(feed.messages)).toMatchObject(
      [
        { id: 'app1/x:1', name: 'child', parent: 'app1/x:0', source: 'app' },
        { id: 'app1/x:0', name: 'light', seq: 2 },
      ].sort((a, b) => runsOf(feed.messages).findIndex(({ id }) => id === a.id) - runsOf(feed.messages).findIndex(({ id }) => id === b.id)),
    );
    const one = readFeed(`${server.url}feed?run=app1%2Fx%3A0`);
    onTestFinished(() => one.close());
    await one.until((messages) => messages.some(([name]) => name === 'snapshots'));
    expect(one.messages.find(([name]) => name === 'graph')?.[1]).toMatchObject({
      graph: {
        id: 'light',
        states: [{ path: 'red', edges: [{ on: 'GO', target: 'green' }] }, { path: 'green' }, { path: 'green.on' }, {}],
      },
    });
    expect(one.messages.find(([name]) => name === 'snapshots')?.[1]).toMatchObject({
      snapshots: [
        { seq: 1, active: ['red'], context: { n: 1 }, event: { type: '@xstate.actor' } },
        { seq: 2, active: ['green', 'green.on'], context: { n: 2 }, output: 3, status: 'done', event: { type: 'GO' } },
      ],
    });
  });

  it('are ignored when they are malformed', async () => {
    const { server, feed } = await serve();
    const socket = await open(server.webSocketUrl);
    const deep = `${'{"states":{"a":'.repeat(5_000)}{}${'}}'.repeat(5_000)}`;
    const hostile = [
      '',
      'null',
      '[]',
      '1',
      '{',
      '{"type":"@xstate.actor"}',
      '{"type":"@xstate.snapshot","sessionId":"nobody"}',
      `${'['.repeat(100_000)}`,
      actor('x:1', { definition: 'not json' }),
      actor('x:2', { definition: deep }),
      actor('x:3', { definition: '{"states":{"a":{"on":{"E":"nowhere"}}}}' }),
      actor('x:4', {
        definition: '{"states":{"__proto__":{"polluted":1}},"initial":"__proto__"}',
        snapshot: { value: { __proto__: 'x', a: { b: 1 } } },
      }),
      actor('x:5', { name: 7, snapshot: 'what' }),
      actor('x'.repeat(10_000)),
    ];
    for (const text of hostile) socket.send(text);
    socket.send(actor('last'));
    await feed.until((messages) => runsOf(messages).some(({ id }) => id === 'app1/last'));
    expect(runsOf(feed.messages).every(({ id }) => id.length < 300)).toBe(true);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    const ids = runsOf(feed.messages).map(({ id }) => id);
    for (const id of ids) {
      const one = readFeed(`${server.url}feed?run=${encodeURIComponent(id)}`);
      await one.until((messages) => messages.some(([name]) => name === 'snapshots'));
      one.close();
    }
  });

  it('are evicted oldest first when they never end', async () => {
    const { server, feed } = await serve();
    const socket = await open(server.webSocketUrl);
    for (let index = 0; index < 60; index++)
      socket.send(actor(`x:${index}`, { snapshot: { status: 'active', value: 'red', context: { text: 'y'.repeat(1_000_000) } } }));
    await feed.until((messages) => runsOf(messages).some(({ id }) => id === 'app1/x:59'));
    expect(runsOf(feed.messages).length).toBeLessThan(40);
    for (let index = 0; index < 600; index++) socket.send(actor(`z:${index}`));
    await feed.until((messages) => runsOf(messages).some(({ id }) => id === 'app1/z:599'));
    expect(runsOf(feed.messages)).toHaveLength(500);
  });
});

describe('senders', () => {
  it('are accepted only from this machine and with the token', async () => {
    const { port, path } = await serve();
    const switching = 'HTTP/1.1 101 Switching Protocols';
    for (const origin of ['http://localhost:5173', 'http://127.0.0.1:3000', 'https://localhost', 'http://[::1]:80'])
      expect([origin, (await knock(port, path, { origin })).status]).toEqual([origin, switching]);
    expect((await knock(port, path)).status).toBe(switching);
    for (const origin of ['https://evil.example', 'null', 'http://localhost.evil.example', 'http://127.0.0.1.evil.example:80', 'file://'])
      expect([origin, (await knock(port, path, { origin })).status]).toEqual([origin, 'HTTP/1.1 403 Forbidden']);
    expect((await knock(port, path, { host: `evil.example:${port}` })).status).toBe('HTTP/1.1 403 Forbidden');
    for (const at of ['/', `${path}feed`, `${path}x`, path.slice(0, -1)])
      expect([at, (await knock(port, at)).status]).toEqual([at, 'HTTP/1.1 403 Forbidden']);
    expect((await knock(port, path, { 'sec-websocket-version': '7' })).status).toBe('HTTP/1.1 400 Bad Request');
    expect((await knock(port, path, { 'sec-websocket-key': 'short' })).status).toBe('HTTP/1.1 400 Bad Request');
    expect((await knock(port, path, { upgrade: 'h2c' })).status).toBe('HTTP/1.1 400 Bad Request');
  });

  it('are disconnected when they break the protocol or send too much', async () => {
    const { server, port, path } = await serve();
    const text = Buffer.from('x');
    const wrong: [what: string, bytes: Buffer, code: number][] = [
      ['not masked', frame(0x81, text, { masked: false }), 1002],
      ['a reserved bit', frame(0xc1, text), 1002],
      ['a continuation of nothing', frame(0x80, text), 1002],
      ['a text inside a text', Buffer.concat([frame(0x01, text), frame(0x81, text)]), 1002],
      ['a ping in parts', frame(0x09, text), 1002],
      ['a long ping', frame(0x89, Buffer.alloc(126)), 1002],
      ['bytes', frame(0x82, text), 1003],
      ['no UTF-8', frame(0x81, Buffer.from([0xff])), 1007],
      ['a length beyond all bounds', frame(0x81, text, { length: 2 ** 52 }), 1009],
      ['a goodbye', frame(0x88, Buffer.from([0x03, 0xe8])), 1000],
    ];
    for (const [what, bytes, code] of wrong) {
      const { socket } = await knock(port, path);
      const end = codeOf(socket);
      socket.write(bytes);
      expect([what, await end]).toEqual([what, code]);
    }
    const many = await knock(port, path);
    const end = codeOf(many.socket);
    many.socket.write(frame(0x01, Buffer.alloc(3_000_000, 'a')));
    many.socket.write(frame(0x80, Buffer.alloc(3_000_000, 'a')));
    expect(await end).toBe(1009);
    expect((await fetch(server.url)).status).toBe(200);
  });

  it('get an answer to a ping, and may send byte by byte and in parts', async () => {
    const { port, path, feed } = await serve();
    const { socket } = await knock(port, path);
    const pong = new Promise<Buffer>((resolve) => socket.once('data', resolve));
    socket.write(frame(0x89, Buffer.from('hello')));
    expect((await pong).equals(Buffer.concat([Buffer.from([0x8a, 5]), Buffer.from('hello')]))).toBe(true);
    const message = Buffer.from(actor('한:0', { name: '신호등' }));
    const bytes = Buffer.concat([
      frame(0x01, message.subarray(0, 100)),
      frame(0x89, Buffer.alloc(0)),
      frame(0x00, message.subarray(100, 101)),
      frame(0x80, message.subarray(101)),
    ]);
    for (const byte of bytes) socket.write(Buffer.from([byte]));
    await feed.until((messages) => runsOf(messages).some(({ name }) => name === '신호등'));
  });

  it('are disconnected when the server stops', async () => {
    const { server } = await serveInspector();
    const socket = await open(server.webSocketUrl);
    const end = closed(socket);
    await server.close();
    expect(await end).toBe(1001);
  });
});
