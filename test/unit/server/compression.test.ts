// What is sent compressed: long JSON, and files that were compressed when they were built.
import { mkdirSync, writeFileSync } from 'node:fs';
import { request as ask } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import { createRuntime, memoryStore } from 'agent-machines';
import { createServer } from 'agent-machines/server';
import { listen, staticFiles } from 'agent-machines/server/node';
import { expect, it, onTestFinished } from 'vitest';
import { folderForTest } from '../../fixtures/folder-for-test.ts';
import { asking, token } from '../../fixtures/served.ts';

interface Received {
  readonly encoding: string | undefined;
  readonly bytes: Buffer;
}

/** A server over a socket, asked by a client that takes what it says and decodes nothing. */
async function open() {
  const folder = folderForTest('agent-machines-page-');
  mkdirSync(join(folder, 'assets'));
  const page = 'x'.repeat(5_000);
  writeFileSync(join(folder, 'index.html'), page);
  writeFileSync(join(folder, 'assets', 'app.js'), page);
  writeFileSync(join(folder, 'assets', 'app.js.gz'), gzipSync(page));
  const store = memoryStore();
  const runtime = createRuntime({ store, workflows: [asking] });
  const listener = await listen({
    server: (hosts) => createServer({ hosts, tokens: token, store, runtime, workflows: [asking], page: staticFiles(folder, 'missing') }),
  });
  onTestFinished(async () => {
    await listener.close();
    await runtime.close();
  });
  const get = (path: string, accepts?: string): Promise<Received> =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}`, ...(accepts === undefined ? {} : { 'accept-encoding': accepts }) };
      const asked = ask(`${listener.url}${path}`, { headers }, async (response) => {
        resolve({ encoding: response.headers['content-encoding'], bytes: await buffer(response) });
      });
      asked.on('error', reject).end();
    });
  return { get, page, runtime };
}

it('compresses long JSON for clients that take it', async () => {
  const { get, runtime } = await open();
  for (let count = 0; count < 30; count++) await runtime.start(asking, {}).result;
  const plain = await get('/api/runs');
  const zipped = await get('/api/runs', 'br;q=1.0, gzip;q=0.8, *;q=0.1');
  expect([plain.encoding, zipped.encoding]).toEqual([undefined, 'gzip']);
  expect(gunzipSync(zipped.bytes).toString()).toBe(plain.bytes.toString());
  expect(zipped.bytes.length).toBeLessThan(plain.bytes.length / 4);
  expect((await get('/api/runs', 'gzip;q=0, br')).encoding).toBeUndefined();
});

it('sends short JSON and streams as they are', async () => {
  const { get, runtime } = await open();
  expect((await get('/api/runs', 'gzip')).encoding).toBeUndefined();
  const run = runtime.start(asking, {});
  await run.result;
  expect((await get(`/api/runs/${run.id}/events`, 'gzip')).encoding).toBeUndefined();
});

it('sends the compressed copy of a file, and the file where there is none', async () => {
  const { get, page } = await open();
  const script = await get('/assets/app.js', 'gzip, deflate, br');
  expect([script.encoding, gunzipSync(script.bytes).toString()]).toEqual(['gzip', page]);
  expect(await get('/assets/app.js')).toEqual({ encoding: undefined, bytes: Buffer.from(page) });
  expect(await get('/', 'gzip')).toEqual({ encoding: undefined, bytes: Buffer.from(page) });
});
