import { memoryStore, type RunStore, WorkflowError } from 'agent-machines';
import { createServer, type ServerOptions } from 'agent-machines/server';
import { expect, it } from 'vitest';

const lost: RunStore = {
  ...memoryStore(),
  read: async () => {
    throw new WorkflowError({ code: 'STORE_UNAVAILABLE', message: 'The disk is gone.' });
  },
};

it.each<[what: string, options: Partial<ServerOptions>, status: number]>([
  ['a store that can be read', { store: memoryStore() }, 200],
  ['no store of its own', {}, 200],
  ['a store that cannot be read', { store: lost }, 503],
  ['an owner who says no', { isReady: () => false }, 503],
  ['an owner who says yes', { store: lost, isReady: () => true }, 200],
  ['an owner who throws', { isReady: async () => Promise.reject(new Error('no')) }, 503],
])('says of %s whether it can work', async (_, options, status) => {
  const server = createServer({ tokens: 'a-token-of-some-length', hosts: ['localhost'], ...options });
  const response = await server.fetch(new Request('http://localhost/ready', { headers: { host: 'localhost' } }));
  expect([response.status, await response.json()]).toEqual([status, { status: status === 200 ? 'ready' : 'not ready' }]);
  await server.close();
});
