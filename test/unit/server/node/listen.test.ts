// What only a socket shows.
import { once } from 'node:events';
import { connect } from 'node:net';
import { createRuntime, memoryStore } from 'agent-machines';
import { createServer } from 'agent-machines/server';
import { listen } from 'agent-machines/server/node';
import { expect, it } from 'vitest';
import { asking, token } from '../../../fixtures/served.ts';

const start = async () => {
  const store = memoryStore();
  const runtime = createRuntime({ store, workflows: [asking] });
  const listener = await listen({
    server: (hosts) => createServer({ hosts, tokens: token, store, runtime, workflows: [asking] }),
    host: '127.0.0.1',
  });
  return { ...listener, runtime };
};

/** All that comes back for raw bytes, until the server closes the connection. */
async function send(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk.toString();
  });
  socket.on('error', () => {});
  socket.write(text);
  await once(socket, 'close');
  return answer;
}

const head = `Host: 127.0.0.1:PORT\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n`;

it.each([
  ['both lengths', `POST /api/runs HTTP/1.1\r\n${head}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
  ['two lengths', `POST /api/runs HTTP/1.1\r\n${head}Content-Length: 4\r\nContent-Length: 5\r\n\r\nabcd`],
  ['a chunk that has no length', `POST /api/runs HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n`],
  ['headers that are too large', `GET /health HTTP/1.1\r\n${head}X: ${'x'.repeat(20_000)}\r\n\r\n`],
])('closes a connection with %s', async (_name, text) => {
  const { port, close, runtime } = await start();
  expect(await send(port, text.replaceAll('PORT', String(port)))).toMatch(/^HTTP\/1\.1 4\d\d /);
  expect(await runtime.list()).toEqual([]);
  await close();
  await runtime.close();
});

it('closes a connection without headers', async () => {
  const { port, close, runtime } = await start();
  expect(await send(port, `GET /health HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX-Slow: `)).toMatch(/^HTTP\/1\.1 408 /);
  await close();
  await runtime.close();
});

it('answers over a socket and ends its streams on close', async () => {
  const { url, close, runtime } = await start();
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const started = await fetch(`${url}/api/runs`, { method: 'POST', headers, body: '{"workflow":"asking","input":{}}' });
  const { id } = (await started.json()) as { id: string };
  const stream = await fetch(`${url}/api/runs/${id}/events?follow=true`, { headers });
  const text = stream.text();
  await close();
  expect(await text).toContain('event: interrupt');
  await expect(fetch(`${url}/health`)).rejects.toThrow();
  await runtime.close();
});
