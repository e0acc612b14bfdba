import { createServer, type ServerOptions } from 'agent-machines/server';
import { expect, it } from 'vitest';

it.each<[what: string, options: Partial<ServerOptions>, status: number]>([
  ['no isReady', {}, 200],
  ['an isReady that returns false', { isReady: () => false }, 503],
  ['an isReady that returns true', { isReady: () => true }, 200],
  ['an isReady that throws', { isReady: async () => Promise.reject(new Error('no')) }, 503],
])('answers /ready for %s', async (_, options, status) => {
  const server = createServer({ tokens: 'a-token-of-some-length', hosts: ['localhost'], ...options });
  const response = await server.fetch(new Request('http://localhost/ready', { headers: { host: 'localhost' } }));
  expect([response.status, await response.json()]).toEqual([status, { status: status === 200 ? 'ready' : 'not ready' }]);
  await server.close();
});
